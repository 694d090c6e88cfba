// API keys: kept as SHA-256 hashes only, so a copy of the data folder opens nothing (interface.md, Authentication).
// Names, permissions and the last four characters are kept with them; the full key is shown once, when it is made.
import { createHash, randomBytes } from 'node:crypto';
import { localAccount } from './accounts.ts';
import { type Database, maybeNumberOf, numberOf, type Row, textOf } from './database.ts';

/** What a key may be used for. The hosted list is not published; this one is ours. */
export const permissions = ['upload', 'create', 'read', 'delete'] as const;
export type Permission = (typeof permissions)[number];

export function isPermission(text: string): text is Permission {
  return permissions.some((permission) => permission === text);
}

/** Who a request comes from. */
export interface Caller {
  readonly account: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** A key as the list shows it. */
export interface KeyRow {
  readonly id: number;
  readonly name: string;
  readonly last4: string;
  readonly account: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
}

export interface NewKey {
  readonly name: string;
  readonly account: string;
  readonly permissions: readonly Permission[];
}

export interface Keys {
  /** The key that this start of the service knows in full. */
  readonly key: string;
  /** Whose key an `Authorization` header carries; undefined: none that was made and not revoked. */
  callerOf(authorization: string | undefined): Caller | undefined;
  all(): readonly KeyRow[];
  /** `key` is the full key, which nobody can read again. */
  add(key: NewKey, at: number): Promise<{ readonly row: KeyRow; readonly key: string }>;
  /** From this moment the key opens nothing. Undefined: there is no such key. */
  revoke(id: number, at: number): Promise<KeyRow | undefined>;
}

export interface KeyOptions {
  /** The key to accept; undefined: a new one is made. */
  readonly given: string | undefined;
  /** The key ends with this start: the next one of this kind takes its place. */
  readonly temporary: boolean;
}

/** Adds a key, the given one or a new one, to those of earlier starts: all of them work. */
export async function openKeys(
  database: Database,
  { given, temporary }: KeyOptions,
  at: number,
): Promise<Keys> {
  const insert = database.prepare(
    `INSERT OR IGNORE INTO keys (hash, name, last4, account, permissions, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const rows = database.prepare('SELECT rowid AS id, * FROM keys ORDER BY rowid');
  const byId = database.prepare('SELECT rowid AS id, * FROM keys WHERE rowid = ?');
  const end = database.prepare(
    'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE rowid = ?',
  );
  const find = (id: number): KeyRow | undefined => {
    const row = byId.get(id);
    return row === undefined ? undefined : keyRowOf(row);
  };
  const store = (key: string, { name, account, permissions: may }: NewKey, when: number): number =>
    Number(
      insert.run(hashOf(key), name, key.slice(-4), account, may.join(' '), when).lastInsertRowid,
    );

  const key = given ?? newKey();
  const forget = database.prepare('DELETE FROM keys WHERE name = ?');
  await database.write(() => {
    if (temporary) forget.run(temporaryName);
    const name = temporary ? temporaryName : 'made at start';
    store(key, { name, account: localAccount, permissions }, at);
  });
  // By the hash of the key: how long a look-up takes tells nothing about a key that one does not have.
  const valid = new Map<string, Caller>();
  for (const row of rows.all())
    if (row['revoked_at'] === null) valid.set(textOf(row, 'hash'), callerIn(keyRowOf(row)));
  if (!valid.has(hashOf(key)))
    throw new Error('The key that the service was started with is revoked: give it another one.');

  return {
    key,
    callerOf: (authorization) => {
      const presented = /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1];
      return presented === undefined ? undefined : valid.get(hashOf(presented));
    },
    all: () => rows.all().map(keyRowOf),
    add: async (wanted, when) => {
      const made = newKey();
      const id = await database.write(() => store(made, wanted, when));
      const row = find(id);
      if (row === undefined) throw new Error('bug: the key was just written');
      valid.set(hashOf(made), callerIn(row));
      return { row, key: made };
    },
    revoke: async (id, when) => {
      const found = byId.get(id);
      if (found === undefined) return undefined;
      // Before it is on disk: immediately means immediately.
      valid.delete(textOf(found, 'hash'));
      await database.write(() => end.run(when, id));
      return find(id);
    },
  };
}

/** The name of keys that end with the start that made them. */
const temporaryName = 'of a rehearsal';

const newKey = (): string => `sl_${randomBytes(24).toString('base64url')}`;

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const callerIn = ({ account, permissions: may }: KeyRow): Caller => ({
  account,
  permissions: new Set(may),
});

function keyRowOf(row: Row): KeyRow {
  return {
    id: numberOf(row, 'id'),
    name: textOf(row, 'name'),
    last4: textOf(row, 'last4'),
    account: textOf(row, 'account'),
    permissions: textOf(row, 'permissions').split(' ').filter(isPermission),
    createdAt: numberOf(row, 'created_at'),
    revokedAt: maybeNumberOf(row, 'revoked_at'),
  };
}
