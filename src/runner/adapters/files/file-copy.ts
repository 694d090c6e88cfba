// Copies a file, and reads one in pieces.
import { type FileHandle, link, open, rename } from 'node:fs/promises';
import { createNew } from './new-file.ts';

/** A hard link if the file system supports it, else a synced copy. */
export async function copyWhole(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    const part = `${to}.part`;
    await using source = await open(from, 'r');
    await using target = await createNew(part);
    for await (const chunk of chunksOf(source)) await target.writeFile(chunk);
    await target.datasync();
    await rename(part, to);
  }
}

/** The bytes of an open file from where it is. */
export async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(1 << 18) });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}
