// The account and its ledger: every credit that moved, in order, never changed afterwards.
// The functions that move credits must be called inside a write of the database, with the change they pay for.
import { type Database, maybeTextOf, numberOf, onlyRow, type Row, textOf } from './database.ts';

export type LedgerKind = 'charge' | 'refund' | 'adjustment';

export interface LedgerEntry {
  readonly seq: number;
  /** ISO 8601 timestamp. */
  readonly at: string;
  /** The project that it is about; null for an adjustment of the account itself, as the opening balance. */
  readonly project: string | null;
  readonly tool: string | null;
  /** The project's name. */
  readonly name: string | null;
  readonly kind: LedgerKind;
  /**
   * Credits. A charge and a refund are positive: the kind says the direction. An adjustment has a sign:
   * positive is credited to the account, negative is taken from it.
   */
  readonly credits: number;
}

/** What a movement of credits is about. */
export interface Purpose {
  readonly project: string;
  readonly tool: string;
  readonly name: string;
}

export interface Account {
  balance(): number;
  ledger(): readonly LedgerEntry[];
  details(): { id: string; email: string; tier: string; credits: number };
  /** Takes the credits; false, and nothing changed, when the balance is not enough. */
  charge(purpose: Purpose, credits: number, at: number): boolean;
  refund(purpose: Purpose, credits: number, at: number): void;
  /** Settles an estimate: positive gives credits back, negative takes more. Answers what was moved. */
  adjust(purpose: Purpose, credits: number, at: number): number;
}

const id = 'local';

/** The one account of a local service; made with the opening balance when the database is new. */
export async function openAccount(
  database: Database,
  opening: number,
  at: number,
): Promise<Account> {
  const one = database.prepare('SELECT * FROM accounts');
  const add = database.prepare('UPDATE accounts SET credits = credits + ?');
  const take = database.prepare('UPDATE accounts SET credits = credits - ?1 WHERE credits >= ?1');
  const append = database.prepare(
    'INSERT INTO ledger (at, project, tool, name, kind, credits) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const all = database.prepare('SELECT * FROM ledger ORDER BY seq');
  const balance = (): number => numberOf(onlyRow(one), 'credits');
  const note = (purpose: Purpose | null, kind: LedgerKind, credits: number, when: number): void => {
    const { project = null, tool = null, name = null } = purpose ?? {};
    append.run(when, project, tool, name, kind, credits);
  };

  if (one.get() === undefined)
    await database.write(() => {
      database
        .prepare('INSERT INTO accounts (id, email, tier, credits) VALUES (?, ?, ?, ?)')
        .run(id, 'you@localhost', 'pro', opening);
      note(null, 'adjustment', opening, at);
    });

  const booked = numberOf(
    onlyRow(
      database.prepare(
        `SELECT coalesce(sum(CASE kind WHEN 'charge' THEN -credits ELSE credits END), 0) AS sum
         FROM ledger`,
      ),
    ),
    'sum',
  );
  if (booked !== balance())
    throw new Error(`bug: the ledger adds up to ${booked} credits, the balance is ${balance()}`);

  return {
    balance,
    ledger: () => all.all().map(entryOf),
    details: () => {
      const row = onlyRow(one);
      return {
        id: textOf(row, 'id'),
        email: textOf(row, 'email'),
        tier: textOf(row, 'tier'),
        credits: numberOf(row, 'credits'),
      };
    },
    charge: (purpose, credits, when) => {
      if (take.run(credits).changes === 0) return false;
      note(purpose, 'charge', credits, when);
      return true;
    },
    refund: (purpose, credits, when) => {
      add.run(credits);
      note(purpose, 'refund', credits, when);
    },
    adjust: (purpose, credits, when) => {
      // An account never goes below zero (facts.md, Account): the service bears what is missing.
      const moved = Math.max(credits, -balance());
      if (moved === 0) return 0;
      add.run(moved);
      note(purpose, 'adjustment', moved, when);
      return moved;
    },
  };
}

function entryOf(row: Row): LedgerEntry {
  return {
    seq: numberOf(row, 'seq'),
    at: new Date(numberOf(row, 'at')).toISOString(),
    project: maybeTextOf(row, 'project') ?? null,
    tool: maybeTextOf(row, 'tool') ?? null,
    name: maybeTextOf(row, 'name') ?? null,
    kind: kindOf(textOf(row, 'kind')),
    credits: numberOf(row, 'credits'),
  };
}

function kindOf(text: string): LedgerKind {
  if (text === 'charge' || text === 'refund' || text === 'adjustment') return text;
  throw new Error(`bug: unknown ledger kind ${text}`);
}
