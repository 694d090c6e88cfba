// A run's view of a real folder: the disk, its cache of hashes, and a way to save a result.
import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Digest, digestFrom } from '../../src/base/digest.ts';
import { Boundary } from '../../src/files/boundary.ts';
import { RealDisk } from '../../src/files/disk.ts';
import { HashCache } from '../../src/files/hash-cache.ts';
import { FakeClock, temporaryFolder } from './places.ts';

export const hash = (content: string | Buffer): Digest =>
  digestFrom(createHash('sha256').update(content).digest('hex'));

export interface Room {
  readonly folder: string;
  readonly disk: RealDisk;
  /** Saves a result the way a download does. */
  save(path: string, content: string): Promise<void>;
  end(): Promise<void>;
}

/** A run’s view of a folder; with `folder`, that of a later run. */
export function room(folder = temporaryFolder()): Room {
  mkdirSync(join(folder, '.shotlist'), { recursive: true });
  const hashes = new HashCache(join(folder, '.shotlist', 'hashes.db'));
  const disk = new RealDisk({
    folder,
    output: join(folder, 'out'),
    kept: join(folder, '.shotlist', 'kept'),
    hashes,
    boundary: new Boundary({
      repository: realpathSync.native(folder),
      allowOutside: false,
      named: [],
    }),
    clock: new FakeClock(Date.now()),
  });
  let open = true;
  const end = async (): Promise<void> => {
    if (!open) return;
    open = false;
    hashes.close();
  };
  onTestFinished(end);
  const save = async (path: string, content: string): Promise<void> => {
    const temporary = await disk.temporary(path, hash(path));
    if (!temporary.ok) throw new Error(temporary.error.message);
    writeFileSync(temporary.value.path, content);
    const placed = await disk.place(temporary.value, path, hash(content));
    if (!placed.ok) throw new Error(placed.error.message);
  };
  return { folder, disk, save, end };
}
