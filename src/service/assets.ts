// Which uploaded files storage has. A file counts from the moment its upload is complete, for seven days
// (facts.md, Uploads); what is not here "does not exist", whatever lies on the disk.
import { assetLifetimeMs } from '../api/asset.ts';
import { type Database, textOf } from './database.ts';
import type { Storage } from './storage.ts';

export interface Assets {
  has(path: string): boolean;
  /** Call inside a write of the database. */
  add(path: string, bytes: number, at: number): void;
  /** Forgets and removes what is older than its time. */
  sweep(): Promise<void>;
}

export function openAssets(database: Database, storage: Storage, now: () => number): Assets {
  const young = database.prepare('SELECT 1 FROM assets WHERE path = ? AND uploaded_at > ?');
  const old = database.prepare('SELECT path FROM assets WHERE uploaded_at <= ?');
  const forget = database.prepare('DELETE FROM assets WHERE path = ?');
  const insert = database.prepare('INSERT OR REPLACE INTO assets VALUES (?, ?, ?)');
  const oldest = (): number => now() - assetLifetimeMs;
  return {
    has: (path) => young.get(path, oldest()) !== undefined,
    add: (path, bytes, at) => {
      insert.run(path, bytes, at);
    },
    sweep: async () => {
      for (const row of old.all(oldest())) {
        const path = textOf(row, 'path');
        await storage.remove(path);
        await database.write(() => forget.run(path));
      }
    },
  };
}
