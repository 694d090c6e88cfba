// Limits the memory for decoding. A small file may contain a huge picture, so each decoder first reserves the most memory
// that it can need, and waits until that much is free.
import { totalmem } from 'node:os';
import { err, ok, type Result } from '../../base/result.ts';

export type Release = () => void;

export interface DecodeMemory {
  /** Resolves when the bytes are reserved; an error, the largest possible number, if they never can be. */
  reserve(bytes: number): Promise<Result<Release, number>>;
}

/** The budget that all decoders of a service share. Each release is called once. */
export class DecodeBudget implements DecodeMemory {
  readonly bytes: number;
  #free: number;
  /** First in, first out, so that a large request is not overtaken forever by small ones. */
  readonly #waiting: { readonly bytes: number; readonly grant: () => void }[] = [];

  constructor(bytes: number) {
    this.bytes = bytes;
    this.#free = bytes;
  }

  reserve(bytes: number): Promise<Result<Release, number>> {
    if (bytes > this.bytes) return Promise.resolve(err(this.bytes));
    return new Promise((resolve) => {
      const release = (): void => {
        this.#free += bytes;
        this.#grantNext();
      };
      this.#waiting.push({ bytes, grant: () => resolve(ok(release)) });
      this.#grantNext();
    });
  }

  #grantNext(): void {
    const [next] = this.#waiting;
    if (next === undefined || next.bytes > this.#free) return;
    this.#waiting.shift();
    this.#free -= next.bytes;
    next.grant();
    this.#grantNext();
  }
}

/** Bytes: 1 GiB, or a fourth of a smaller machine's memory. */
export const usualDecodeBytes = Math.min(2 ** 30, Math.floor(totalmem() / 4));

let memory: DecodeMemory = new DecodeBudget(usualDecodeBytes);

/** A rendering process reserves its memory from the service, whose budget all processes share. */
export function reserveFrom(shared: DecodeMemory): void {
  memory = shared;
}

/** The caller releases the bytes before it reserves others: jobs that hold memory while they wait could wait for each other. */
export const reserveDecodeMemory = (bytes: number): Promise<Result<Release, number>> =>
  memory.reserve(bytes);

/** Decodes while bytes are reserved. An error: the budget is too small; a clause for a message. */
export async function whileReserved<T>(
  bytes: number,
  decode: () => T | Promise<T>,
): Promise<Result<T, string>> {
  const reserved = await reserveDecodeMemory(bytes);
  if (!reserved.ok)
    return err(
      `decoding it takes up to ${megabytes(bytes)} megabytes of memory, and the local service allows ${megabytes(reserved.error)}`,
    );
  try {
    return ok(await decode());
  } finally {
    reserved.value();
  }
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);
