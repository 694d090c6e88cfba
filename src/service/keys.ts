// API keys: kept as SHA-256 hashes only, so a copy of the data folder opens nothing (interface.md, Authentication).
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Database, textOf } from './database.ts';

export interface Keys {
  /** The key that this start of the service knows in full. */
  readonly key: string;
  /** Whether an `Authorization` header carries a key that was made and not revoked. */
  admits(authorization: string | undefined): boolean;
}

/** Adds a key, the given one or a new one, to those of earlier starts: all of them work. */
export async function openKeys(
  database: Database,
  given: string | undefined,
  at: number,
): Promise<Keys> {
  const key = given ?? `sl_${randomBytes(24).toString('base64url')}`;
  await database.write(() =>
    database
      .prepare('INSERT OR IGNORE INTO keys (hash, name, last4, created_at) VALUES (?, ?, ?, ?)')
      .run(hashOf(key).toString('hex'), 'made at start', key.slice(-4), at),
  );
  const hashes = database
    .prepare('SELECT hash FROM keys WHERE revoked_at IS NULL')
    .all()
    .map((row) => Buffer.from(textOf(row, 'hash'), 'hex'));
  return {
    key,
    admits: (authorization) => {
      const presented = /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1];
      if (presented === undefined) return false;
      const hash = hashOf(presented);
      // Every hash is compared, so that the time taken tells nothing about which one matched.
      return hashes.reduce((found, known) => timingSafeEqual(known, hash) || found, false);
    },
  };
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
