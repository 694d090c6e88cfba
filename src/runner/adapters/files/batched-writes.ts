// Collects the pieces of a socket, which are small, and writes many at once: each write has its price. While a batch is
// written, the next one is collected.
import type { FileHandle } from 'node:fs/promises';

const batchBytes = 1 << 20;

export class BatchedWrites {
  readonly #file: FileHandle;
  #pieces: Buffer[] = [];
  #size = 0;
  /** The write that is under way, or the one that failed. */
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** When this resolves, two batches at most are in memory. Rejects if an earlier batch could not be written. */
  async append(piece: Buffer): Promise<void> {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size < batchBytes) return;
    await this.#writing;
    this.#write();
  }

  /** When this resolves, everything is in the file, though not on disk. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#size > 0) this.#write();
    await this.#writing;
  }

  /** Resolves when nothing is written any more. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.#writing]);
  }

  #write(): void {
    const [pieces, size] = [this.#pieces, this.#size];
    this.#pieces = [];
    this.#size = 0;
    this.#writing = writeAll(this.#file, pieces, size);
    // The next append, or the flush, waits for it and rejects with the same error.
    this.#writing.catch(() => undefined);
  }
}

async function writeAll(file: FileHandle, pieces: Buffer[], size: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces);
  // A disk that is almost full takes a part, and then says why it takes no more.
  if (bytesWritten < size) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}
