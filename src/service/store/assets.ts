// The uploaded files and their owners. A file exists from the moment its upload is complete, for seven days by default
// (facts.md, Uploads). A file on disk without an entry here "does not exist".
import { type Database, textOf } from './database.ts';
import type { FileStore } from './file-store.ts';

const betweenSweepsMs = 3_600_000;

export type Assets = ReturnType<typeof openAssets>;

export function openAssets(
  database: Database,
  fileStore: FileStore,
  now: () => number,
  lifetimeMs: number,
) {
  const young = database.prepare(
    'SELECT 1 FROM assets WHERE path = ? AND account = ? AND uploaded_at > ?',
  );
  const byPath = database.prepare('SELECT 1 FROM assets WHERE path = ?');
  const old = database.query('SELECT path FROM assets WHERE uploaded_at <= ?', (row) =>
    textOf(row, 'path'),
  );
  const forget = database.prepare('DELETE FROM assets WHERE path = ?');
  const insert = database.prepare(
    'INSERT OR REPLACE INTO assets (path, account, bytes, uploaded_at) VALUES (?, ?, ?, ?)',
  );
  const oldest = (): number => now() - lifetimeMs;
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** Removes the files whose time has passed. (`has` is exact to the moment; the files go later.) */
  async function sweep(): Promise<void> {
    sweptAt = now();
    for (const path of old.all(oldest())) {
      await fileStore.remove(path);
      await database.write(() => forget.run(path));
    }
  }

  return {
    /** Whether this account uploaded the file, and its time has not passed. */
    has: (path: string, account: string): boolean =>
      young.get(path, account, oldest()) !== undefined,
    /** Call inside a write of the database. */
    add(path: string, account: string, bytes: number, at: number): void {
      insert.run(path, account, bytes, at);
    },
    sweep,
    /** Sweeps, unless it did so in the last hour. */
    async sweepNowAndThen(): Promise<void> {
      if (now() - sweptAt >= betweenSweepsMs) await sweep();
    },
    /** Removes files without an entry, which a kill leaves behind. Call only while no upload is being received. */
    async sweepStrays(): Promise<void> {
      for (const key of await fileStore.assetKeys())
        if (byPath.get(key) === undefined) await fileStore.remove(key);
    },
  };
}
