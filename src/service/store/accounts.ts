// The accounts and their ledger: every movement of credits in order, append-only. Call the functions that move credits
// inside a database write, together with the change that the credits pay for.
import { randomBytes, randomUUID } from 'node:crypto';
import { isTier, type Tier } from '../../contract/api/tier.ts';
import type { LedgerEntry, LedgerKind } from '../options.ts';
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
export const maxCredits = Number.MAX_SAFE_INTEGER;

/** What a movement of credits is about: a project, or the account itself. */
export type LedgerSubject = Pick<LedgerEntry, 'account' | 'project' | 'tool' | 'name'>;

interface NewAccount {
  readonly email: string;
  readonly tier: Tier;
  /** The opening balance. */
  readonly credits: number;
}

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/** Opens the accounts of a database. A new database gets one account. */
export async function openAccounts(
  database: Database,
  local: Omit<NewAccount, 'email'>,
  at: number,
) {
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
    { account, project, tool, name }: LedgerSubject,
    kind: LedgerKind,
    credits: number,
    when: number,
  ): void => {
    append.run(when, account, project, tool, name, kind, credits);
  };
  const open = (id: string, { email, tier, credits }: NewAccount, when: number): void => {
    insert.run(id, email, tier, credits);
    appendEntry(accountItself(id), 'adjustment', credits, when);
  };
  /** Moves no more credits than the account has or can hold. */
  const move = (subject: LedgerSubject, credits: number, when: number): number => {
    const balance = find(subject.account)?.credits ?? 0;
    const moved = Math.max(Math.min(credits, maxCredits - balance), -balance);
    if (moved === 0) return 0;
    add.run(moved, subject.account);
    appendEntry(subject, 'adjustment', moved, when);
    return moved;
  };

  if (inOrder.one() === undefined)
    await database.write(() => open(localAccount, { email: 'you@localhost', ...local }, at));
  checkBooks(database);

  return {
    all: () => inOrder.all(),
    find,
    add: (account: NewAccount, when: number): Promise<StoredAccount> =>
      database.write(() => {
        const id = randomUUID();
        open(id, account, when);
        return { id, publicId: id, ...account };
      }),
    setTier: (id: string, tier: Tier) =>
      database.write(() => {
        changeTier.run(tier, id);
        return find(id);
      }),
    /** Adds credits by hand; a negative number takes credits, down to zero. Undefined: no such account. */
    grant: (id: string, credits: number, when: number) =>
      database.write(() => {
        if (find(id) === undefined) return undefined;
        move(accountItself(id), credits, when);
        return find(id);
      }),
    /** Entries of one account, oldest first. */
    ledger: (id: string) => entries.all(id),
    /** Takes the credits. False if the balance is too low; then nothing changes. */
    charge(subject: LedgerSubject, credits: number, when: number): boolean {
      if (take.run(credits, subject.account).changes === 0) return false;
      appendEntry(subject, 'charge', credits, when);
      return true;
    },
    refund(subject: LedgerSubject, credits: number, when: number): void {
      add.run(credits, subject.account);
      appendEntry(subject, 'refund', credits, when);
    },
    /** Settles an estimate: a positive number gives credits back, a negative one takes more. Returns the credits moved. */
    adjust: move,
  };
}

const accountItself = (account: string): LedgerSubject => ({
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
