// The memory that decoding takes. A small file may hold a huge picture, so whoever decodes says first how much it will
// take at worst, and waits until that much is free.
import { AsyncLocalStorage } from 'node:async_hooks';
import { totalmem } from 'node:os';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { DecodeBudget } from './decode-budget.ts';

export type Release = () => void;

export interface DecodeMemory {
  /** Resolves when so many bytes are set aside; an error, the most there can be, when they never can. */
  reserve(bytes: number): Promise<Result<Release, number>>;
}

/** Bytes: 1 GiB, or a fourth of a smaller machine's memory. */
export const usualDecodeBytes = Math.min(2 ** 30, Math.floor(totalmem() / 4));

const current = new AsyncLocalStorage<DecodeMemory>();
/** Of whoever decodes outside of a rendering. */
const fallback = new DecodeBudget(usualDecodeBytes).holder();

/** Does a job whose decoders take their memory from here. */
export const decodingWithin = <T>(memory: DecodeMemory, work: () => Promise<T>): Promise<T> =>
  current.run(memory, work);

/** Sets bytes aside from the budget of the job under way. The caller releases them. */
export const reserveDecodeMemory = (bytes: number): Promise<Result<Release, number>> =>
  (current.getStore() ?? fallback).reserve(bytes);

/** Decodes with so many bytes set aside. An error: there can never be so many, in words that end a sentence. */
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
