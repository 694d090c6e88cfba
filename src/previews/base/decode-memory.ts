// Limits the memory for decoding. A small file may contain a huge picture, so each decoder first reserves the most memory
// that it can need, and waits until that much is free.
import { AsyncLocalStorage } from 'node:async_hooks';
import { totalmem } from 'node:os';
import { err, ok, type Result } from '../../base/result.ts';
import { DecodeBudget } from './decode-budget.ts';

export type Release = () => void;

export interface DecodeMemory {
  /** Resolves when the bytes are reserved; an error, the largest possible number, if they never can be. */
  reserve(bytes: number): Promise<Result<Release, number>>;
}

/** Bytes: 1 GiB, or a fourth of a smaller machine's memory. */
export const usualDecodeBytes = Math.min(2 ** 30, Math.floor(totalmem() / 4));

const current = new AsyncLocalStorage<DecodeMemory>();
/** For decoding outside of a rendering. */
const fallback = new DecodeBudget(usualDecodeBytes).holder();

/** Does a job whose decoders reserve their memory here. */
export const decodingWithin = <T>(memory: DecodeMemory, work: () => Promise<T>): Promise<T> =>
  current.run(memory, work);

/** Reserves bytes for the current job. The caller releases them. */
export const reserveDecodeMemory = (bytes: number): Promise<Result<Release, number>> =>
  (current.getStore() ?? fallback).reserve(bytes);

/** Decodes while bytes are reserved. An error: the budget is too small; a clause for a message. */
export async function whileReserved<T>(
  bytes: number,
  decode: () => T | Promise<T>,
): Promise<Result<T, string>> {
  const reserved = await reserveDecodeMemory(bytes);
  if (!reserved.ok) return err(tooMuchMemory(bytes, reserved.error));
  try {
    return ok(await decode());
  } finally {
    reserved.value();
  }
}

export const tooMuchMemory = (bytes: number, most: number): string =>
  `decoding it takes up to ${megabytes(bytes)} megabytes of memory, and the local service allows ${megabytes(most)}`;

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);
