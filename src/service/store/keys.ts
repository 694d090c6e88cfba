// API keys, stored as SHA-256 hashes only: a copy of the data folder gives no access (interface.md, Authentication).
// Each hash has a name, permissions and the last four characters. The full key is shown once, when it is created.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { localAccount } from './accounts.ts';
import { type Database, maybeNumberOf, numberOf, type Row, textOf } from './database.ts';

/** What a key permits. The hosted service publishes no list; this one is a guess. */
export const permissions = ['upload', 'create', 'read', 'delete'] as const;
export type Permission = (typeof permissions)[number];

export function isPermission(text: string): text is Permission {
  return permissions.some((permission) => permission === text);
}

/** The account and the permissions behind a request. */
export interface Caller {
  readonly account: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** A key as the list of keys shows it. */
export interface KeyRow {
  readonly id: number;
  readonly name: string;
  readonly last4: string;
  readonly account: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
}

interface NewKey {
  readonly name: string;
  readonly account: string;
  readonly permissions: readonly Permission[];
}

export type Keys = Awaited<ReturnType<typeof openKeys>>;

/**
 * Adds a key, unless it is there. The keys of earlier starts keep working.
 *
 * @param candidates the first that is not revoked is the key of this start
 * @param isTemporary the next start with a temporary key revokes this one
 */
export async function openKeys(
  database: Database,
  candidates: Iterable<string>,
  isTemporary: boolean,
  at: number,
) {
  const insert = database.prepare(
    `INSERT OR IGNORE INTO keys (hash, name, last4, account, permissions, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const rows = database.query('SELECT rowid AS id, * FROM keys ORDER BY rowid', storedKeyOf);
  const byId = database.query('SELECT rowid AS id, * FROM keys WHERE rowid = ?', storedKeyOf);
  const end = database.prepare(
    'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE rowid = ?',
  );
  const store = (key: string, { name, account, permissions: may }: NewKey, when: number): number =>
    Number(
      insert.run(hashOf(key), name, key.slice(-4), account, may.join(' '), when).lastInsertRowid,
    );

  const revoked = new Set(rows.all().flatMap(({ hash, row }) => (isRevoked(row) ? [hash] : [])));
  const key = firstBut(revoked, candidates);
  if (key === undefined)
    throw new Error(
      'The key that the service was started with is revoked. Start the service with another key.',
    );
  const forget = database.prepare('DELETE FROM keys WHERE name = ?');
  await database.write(() => {
    if (isTemporary) forget.run(temporaryName);
    const name = isTemporary ? temporaryName : 'made at start';
    store(key, { name, account: localAccount, permissions }, at);
  });
  // By hash: the time of a look-up reveals nothing about other keys.
  const valid = new Map<string, Caller>();
  for (const { hash, row } of rows.all()) if (!isRevoked(row)) valid.set(hash, callerIn(row));

  return {
    /** The full key of this start of the service. */
    key,
    /** The caller with this `Authorization` header; undefined: no key in force. */
    callerOf(authorization: string | undefined): Caller | undefined {
      const presented = /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1];
      return presented === undefined ? undefined : valid.get(hashOf(presented));
    },
    all: (): readonly KeyRow[] => rows.all().map(({ row }) => row),
    /** Returns the full key, which cannot be read again. */
    async add(
      wanted: NewKey,
      when: number,
    ): Promise<{ readonly row: KeyRow; readonly key: string }> {
      const made = newKey();
      const stored = byId.one(await database.write(() => store(made, wanted, when)));
      if (stored === undefined) throw new Error('bug: the key was just written');
      valid.set(stored.hash, callerIn(stored.row));
      return { row: stored.row, key: made };
    },
    /** The key stops working immediately. Undefined: no such key. */
    async revoke(id: number, when: number): Promise<KeyRow | undefined> {
      const found = byId.one(id);
      if (found === undefined) return undefined;
      // Before the write is on disk: the key stops working immediately.
      valid.delete(found.hash);
      await database.write(() => end.run(when, id));
      return byId.one(id)?.row;
    },
  };
}

/** The name of temporary keys. */
const temporaryName = 'of a rehearsal';

export const newKey = (): string => keyOf(randomBytes(24).toString('base64url'));

/** The keys that follow from a secret: each start finds the same ones, although only their hashes are stored. */
export function* keysOf(secret: string): Generator<string> {
  for (let number = 1; ; number += 1)
    yield keyOf(
      createHmac('sha256', secret).update(`key ${number}`).digest('base64url').slice(0, 32),
    );
}

function firstBut(revoked: ReadonlySet<string>, candidates: Iterable<string>): string | undefined {
  for (const key of candidates) if (!revoked.has(hashOf(key))) return key;
  return undefined;
}

const keyOf = (secret: string): string => `sl_${secret}`;

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const callerIn = ({ account, permissions: may }: KeyRow): Caller => ({
  account,
  permissions: new Set(may),
});

const isRevoked = ({ revokedAt }: KeyRow): boolean => revokedAt !== undefined;

function storedKeyOf(row: Row): { readonly hash: string; readonly row: KeyRow } {
  return {
    hash: textOf(row, 'hash'),
    row: {
      id: numberOf(row, 'id'),
      name: textOf(row, 'name'),
      last4: textOf(row, 'last4'),
      account: textOf(row, 'account'),
      permissions: textOf(row, 'permissions').split(' ').filter(isPermission),
      createdAt: numberOf(row, 'created_at'),
      revokedAt: maybeNumberOf(row, 'revoked_at'),
    },
  };
}
