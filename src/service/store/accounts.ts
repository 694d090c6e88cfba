// The accounts and their ledger: every movement of credits in order, append-only. Call the functions that move credits
// inside a database write, together with the change that the credits pay for.
import { randomBytes, randomUUID } from 'node:crypto';
import { isTier, type Tier } from '../../contract/api/tier.ts';
import type { LedgerEntry, LedgerKind } from '../base/ledger-entry.ts';
import {
  choiceOf,
  type Database,
  maybeTextOf,
  numberOf,
  type Row,
  settingOf,
  textOf,
} from './database.ts';

export interface StoredAccount {
  readonly id: string;
  /** What the service calls it to its clients. Unlike `id`, the same in no other data folder. */
  readonly publicId: string;
  readonly email: string;
  readonly tier: Tier;
  /** The balance. Never below zero (facts.md, Account). */
  readonly credits: number;
}

/** The id of the account that every service has. */
export const localAccount = 'local';

/** The largest balance: the largest number that is exact. */
export const mostCredits = Number.MAX_SAFE_INTEGER;

/** The project that a movement of credits is about. */
export interface ProjectReference {
  readonly account: string;
  readonly project: string;
  readonly tool: string;
  readonly name: string;
}

export interface NewAccount {
  readonly email: string;
  readonly tier: Tier;
  /** The opening balance. */
  readonly credits: number;
}

export interface Accounts {
  all(): readonly StoredAccount[];
  find(id: string): StoredAccount | undefined;
  add(account: NewAccount, at: number): Promise<StoredAccount>;
  setTier(id: string, tier: Tier): Promise<StoredAccount | undefined>;
  /** Adds credits by hand; a negative number takes credits, down to zero. Undefined: no such account. */
  grant(id: string, credits: number, at: number): Promise<StoredAccount | undefined>;
  /** Entries of one account, oldest first. */
  ledger(id: string): readonly LedgerEntry[];
  /** Takes the credits. False if the balance is too low; then nothing changes. */
  charge(reference: ProjectReference, credits: number, at: number): boolean;
  refund(reference: ProjectReference, credits: number, at: number): void;
  /** Settles an estimate: a positive number gives credits back, a negative one takes more. Returns the credits moved. */
  adjust(reference: ProjectReference, credits: number, at: number): number;
}

/** Opens the accounts of a database. A new database gets one account. */
export async function openAccounts(
  database: Database,
  first: Omit<NewAccount, 'email'>,
  at: number,
): Promise<Accounts> {
  const insert = database.prepare(
    'INSERT INTO accounts (id, email, tier, credits) VALUES (?, ?, ?, ?)',
  );
  const changeTier = database.prepare('UPDATE accounts SET tier = ? WHERE id = ?');
  const add = database.prepare('UPDATE accounts SET credits = credits + ? WHERE id = ?');
  const take = database.prepare(
    'UPDATE accounts SET credits = credits - ?1 WHERE id = ?2 AND credits >= ?1',
  );
  const append = database.prepare(
    'INSERT INTO ledger (at, account, project, tool, name, kind, credits) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const entries = database.query('SELECT * FROM ledger WHERE account = ? ORDER BY seq', entryOf);

  // The account that every service has is another one in each data folder.
  const suffix = await settingOf(database, 'local-account', randomBytes(6).toString('hex'));
  const accountOf = (row: Row): StoredAccount => {
    const id = textOf(row, 'id');
    return {
      id,
      publicId: id === localAccount ? `${id}-${suffix}` : id,
      email: textOf(row, 'email'),
      tier: choiceOf(row, 'tier', isTier),
      credits: numberOf(row, 'credits'),
    };
  };
  const byId = database.query('SELECT * FROM accounts WHERE id = ?', accountOf);
  const inOrder = database.query('SELECT * FROM accounts ORDER BY rowid', accountOf);
  const find = (id: string): StoredAccount | undefined => byId.one(id);
  const appendEntry = (
    { account, project, tool, name }: ProjectReference | AccountReference,
    kind: LedgerKind,
    credits: number,
    when: number,
  ): void => {
    append.run(when, account, project, tool, name, kind, credits);
  };
  const open = (id: string, { email, tier, credits }: NewAccount, when: number): void => {
    insert.run(id, email, tier, credits);
    appendEntry(withoutProject(id), 'adjustment', credits, when);
  };
  /** Moves no more credits than the account has or can hold. */
  const move = (
    reference: ProjectReference | AccountReference,
    credits: number,
    when: number,
  ): number => {
    const balance = find(reference.account)?.credits ?? 0;
    const moved = Math.max(Math.min(credits, mostCredits - balance), -balance);
    if (moved === 0) return 0;
    add.run(moved, reference.account);
    appendEntry(reference, 'adjustment', moved, when);
    return moved;
  };

  if (inOrder.one() === undefined)
    await database.write(() => open(localAccount, { email: 'you@localhost', ...first }, at));
  checkBooks(database);

  return {
    all: () => inOrder.all(),
    find,
    add: (account, when) =>
      database.write(() => {
        const id = randomUUID();
        open(id, account, when);
        return { id, publicId: id, ...account };
      }),
    setTier: (id, tier) =>
      database.write(() => {
        changeTier.run(tier, id);
        return find(id);
      }),
    grant: (id, credits, when) =>
      database.write(() => {
        if (find(id) === undefined) return undefined;
        move(withoutProject(id), credits, when);
        return find(id);
      }),
    ledger: (id) => entries.all(id),
    charge: (reference, credits, when) => {
      if (take.run(credits, reference.account).changes === 0) return false;
      appendEntry(reference, 'charge', credits, when);
      return true;
    },
    refund: (reference, credits, when) => {
      add.run(credits, reference.account);
      appendEntry(reference, 'refund', credits, when);
    },
    adjust: move,
  };
}

/** A movement without a project. */
interface AccountReference {
  readonly account: string;
  readonly project: null;
  readonly tool: null;
  readonly name: null;
}

const withoutProject = (account: string): AccountReference => ({
  account,
  project: null,
  tool: null,
  name: null,
});

/** Throws if a ledger does not add up to the balance: the service must not build on such data. */
function checkBooks(database: Database): void {
  const wrong = database
    .prepare(
      `SELECT accounts.id, accounts.credits,
         coalesce(sum(CASE kind WHEN 'charge' THEN -ledger.credits ELSE ledger.credits END), 0) AS booked
       FROM accounts LEFT JOIN ledger ON ledger.account = accounts.id
       GROUP BY accounts.id HAVING booked <> accounts.credits`,
    )
    .get();
  if (wrong !== undefined)
    throw new Error(
      `bug: the ledger of ${textOf(wrong, 'id')} adds up to ${numberOf(wrong, 'booked')} credits, ` +
        `the balance is ${numberOf(wrong, 'credits')}`,
    );
}

function entryOf(row: Row): LedgerEntry {
  return {
    seq: numberOf(row, 'seq'),
    at: new Date(numberOf(row, 'at')).toISOString(),
    account: textOf(row, 'account'),
    project: maybeTextOf(row, 'project') ?? null,
    tool: maybeTextOf(row, 'tool') ?? null,
    name: maybeTextOf(row, 'name') ?? null,
    kind: choiceOf(row, 'kind', isLedgerKind),
    credits: numberOf(row, 'credits'),
  };
}

const isLedgerKind = (text: string): text is LedgerKind =>
  text === 'charge' || text === 'refund' || text === 'adjustment';
