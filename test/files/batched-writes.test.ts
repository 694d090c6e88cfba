// Small pieces become few writes. What is in the file is what was appended, in its order, or whoever appends is told.
import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BatchedWrites } from '../../src/files/part.ts';
import { temporaryFolder } from './places.ts';

const batchBytes = 1 << 20;

/** So many bytes, which say whose they are. */
const piece = (bytes: number, number: number): Buffer => Buffer.alloc(bytes, `piece ${number}, `);

interface OpenFile {
  readonly file: FileHandle;
  readonly content: () => Buffer;
  readonly writes: BatchedWrites;
}

async function opened(): Promise<OpenFile> {
  const path = join(temporaryFolder(), 'a');
  const file = await open(path, 'w');
  onTestFinished(() => file.close());
  return { file, content: () => readFileSync(path), writes: new BatchedWrites(file) };
}

/** `write` is the write of the real file. */
type Write = (pieces: readonly Buffer[], write: FileHandle['writev']) => Promise<unknown>;

/** Puts `how` in place of the file's write of many pieces, and counts its calls. */
function change(file: FileHandle, how: Write): { readonly writes: () => number } {
  const write = file.writev.bind(file);
  let writes = 0;
  Object.assign(file, {
    async writev(pieces: readonly Buffer[]): Promise<unknown> {
      writes += 1;
      return await how(pieces, write);
    },
  });
  return { writes: () => writes };
}

describe('pieces', () => {
  test('are in the file in their order after a flush, in one write for each batch', async () => {
    const { file, content, writes } = await opened();
    const { writes: count } = change(file, (pieces, write) => write(pieces));
    const pieces = Array.from({ length: 40 }, (_, index) => piece(65_000 + index, index));
    for (const one of pieces) await writes.append(one);
    expect(count()).toBe(2);
    await writes.flush();
    expect(count()).toBe(3);
    expect(content().equals(Buffer.concat(pieces))).toBe(true);
    await writes.flush();
    expect(count()).toBe(3);
  });

  test('wait while the batch before them is written, so that none overtakes another', async () => {
    const { file, content, writes } = await opened();
    const disk = Promise.withResolvers<void>();
    const { writes: count } = change(file, async (pieces, write) => {
      if (count() === 1) await disk.promise;
      return await write(pieces);
    });
    const batches = [1, 2, 3].map((number) => piece(batchBytes, number));
    // The first batch is on its way: appending does not wait for it.
    await writes.append(batches[0] ?? Buffer.of());
    const rest = (async () => {
      for (const batch of batches.slice(1)) await writes.append(batch);
      await writes.flush();
    })();
    await new Promise((resolve) => void setImmediate(resolve));
    expect(count()).toBe(1);
    disk.resolve();
    await rest;
    expect(content().equals(Buffer.concat(batches))).toBe(true);
  });

  test('of which the disk takes only a part at first are all written, before the next ones', async () => {
    const { file, content, writes } = await opened();
    change(file, (pieces, write) => write([Buffer.concat([...pieces]).subarray(0, 700_001)]));
    const pieces = [1, 2, 3, 4].map((number) => piece(800_000, number));
    for (const one of pieces) await writes.append(one);
    await writes.flush();
    expect(content().equals(Buffer.concat(pieces))).toBe(true);
  });
});

describe('a batch that cannot be written', () => {
  const full = { code: 'ENOSPC' };
  const isFull = (): Error => Object.assign(new Error('the disk is full'), full);

  /** The first batch fails after its `append` is over; the disk has room again afterwards. */
  async function failing(): Promise<OpenFile> {
    const one = await opened();
    const { writes: count } = change(one.file, async (pieces, write) => {
      if (count() === 1) throw isFull();
      return await write(pieces);
    });
    await one.writes.append(piece(batchBytes, 1));
    await one.writes.idle();
    return one;
  }

  test('is told to the one who appends the next batch, and to the one who flushes', async () => {
    const { writes, content } = await failing();
    await expect(writes.append(piece(batchBytes, 2))).rejects.toMatchObject(full);
    await expect(writes.append(piece(1, 3))).rejects.toMatchObject(full);
    await expect(writes.flush()).rejects.toMatchObject(full);
    // Nothing is written behind the gap.
    expect(content()).toHaveLength(0);
  });

  test('is told to the one who flushes, also if nothing was appended since', async () => {
    const { writes } = await failing();
    await expect(writes.flush()).rejects.toMatchObject(full);
  });

  test('is told to the one who flushes if it is the last one', async () => {
    const { file, writes } = await opened();
    change(file, () => Promise.reject(isFull()));
    await writes.append(piece(10, 1));
    await expect(writes.flush()).rejects.toMatchObject(full);
  });
});
