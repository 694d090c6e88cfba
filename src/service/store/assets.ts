// The uploaded files and their owners. A file exists from the moment its upload is complete, for seven days by default
// (facts.md, Uploads). A file on disk without an entry here "does not exist".
import { type Database, textOf } from './database.ts';
import type { FileStore } from './file-store.ts';

export interface Assets {
  /** Whether this account uploaded the file, and its time has not passed. */
  has(path: string, account: string): boolean;
  /** Call inside a write of the database. */
  add(path: string, account: string, bytes: number, at: number): void;
  /** Removes the files whose time has passed. (`has` is exact to the moment; the files go later.) */
  sweep(): Promise<void>;
  /** The same, if the last sweep was at least an hour ago. */
  sweepNowAndThen(): Promise<void>;
  /** Removes files without an entry, which a kill leaves behind. Call only while no upload is being received. */
  sweepStrays(): Promise<void>;
}

const betweenSweepsMs = 3_600_000;

export interface AssetOptions {
  readonly now: () => number;
  readonly lifetimeMs: number;
}

export function openAssets(
  database: Database,
  fileStore: FileStore,
  { now, lifetimeMs }: AssetOptions,
): Assets {
  const young = database.prepare(
    'SELECT 1 FROM assets WHERE path = ? AND account = ? AND uploaded_at > ?',
  );
  const known = database.prepare('SELECT 1 FROM assets WHERE path = ?');
  const old = database.query('SELECT path FROM assets WHERE uploaded_at <= ?', (row) =>
    textOf(row, 'path'),
  );
  const forget = database.prepare('DELETE FROM assets WHERE path = ?');
  const insert = database.prepare(
    'INSERT OR REPLACE INTO assets (path, account, bytes, uploaded_at) VALUES (?, ?, ?, ?)',
  );
  const oldest = (): number => now() - lifetimeMs;
  let swept = Number.NEGATIVE_INFINITY;
  const sweep = async (): Promise<void> => {
    swept = now();
    for (const path of old.all(oldest())) {
      await fileStore.remove(path);
      await database.write(() => forget.run(path));
    }
  };
  return {
    has: (path, account) => young.get(path, account, oldest()) !== undefined,
    add: (path, account, bytes, at) => {
      insert.run(path, account, bytes, at);
    },
    sweep,
    sweepStrays: async () => {
      for (const key of await fileStore.assetKeys())
        if (known.get(key) === undefined) await fileStore.remove(key);
    },
    sweepNowAndThen: async () => {
      if (now() - swept >= betweenSweepsMs) await sweep();
    },
  };
}
