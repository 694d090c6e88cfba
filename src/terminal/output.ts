// Standard output and standard error, which may become unavailable while a command runs: a pipe whose reader has
// exited, a closed terminal, a full disk. Then nothing more is written there, and listeners are called.
import { writeSync } from 'node:fs';
import { printable } from '../base/printable.ts';
import { Redactor } from '../base/redactor.ts';
import { systemCode, systemReason } from '../base/system-error.ts';
import { secretsIn } from '../service-api/secrets.ts';
import type { Span } from '../views/live/spans.ts';

const streams = { out: process.stdout, err: process.stderr } as const;
type Channel = keyof typeof streams;

const lost = new Set<Channel>();
const listeners = new Set<() => void>();

/** What this command has said and need not say again. */
export const said = new Set<string>();

/**
 * Call when a command begins. From now on, the loss of a stream does not crash it. If the reader of a pipe has exited, the
 * exit code stays the same. If facts could not be written for another reason, that is a failure, and exit code 0 becomes 1.
 */
export function beginOutput(): void {
  for (const one of [lost, listeners, said]) one.clear();
  below = undefined;
  afterAnswer = undefined;
  redactor = undefined;
  streams.err.on('error', () => lose('err'));
  streams.out.on('error', (error) => {
    if (!lost.has('out') && systemCode(error) !== 'EPIPE') {
      write(
        'err',
        `error: standard output ${systemReason(error)}; the printed output is incomplete`,
      );
      process.once('exit', (code) => {
        if (code === 0) process.exitCode = 1;
      });
    }
    lose('out');
  });
}

/** Call when standard output or standard error can no longer be written. */
export function lose(channel: Channel): void {
  if (lost.has(channel)) return;
  lost.add(channel);
  for (const listener of listeners) listener();
}

/**
 * Calls `listener` when either is lost; immediately if one already is. Returns a function that removes the listener.
 */
export function onLost(listener: () => void): () => void {
  listeners.add(listener);
  if (lost.size > 0) listener();
  return () => void listeners.delete(listener);
}

/** What stays below everything that is printed on the terminal. */
interface Below {
  above(print: () => void): void;
  erase(): void;
}

let below: Below | undefined;

/** Takes away what was there before. */
export function showBelow(shown: Below | undefined): void {
  below?.erase();
  below = shown;
}

/** What was printed to the terminal since a question was asked; undefined if none is open. */
let afterAnswer: (() => void)[] | undefined;

/** True while a question is open: whatever is drawn again and again must not draw. */
export const isAsking = (): boolean => afterAnswer !== undefined;

/** The terminal belongs to the question until it is answered. What others print meanwhile follows the answer. */
export async function whileAsking<T>(ask: () => Promise<T>): Promise<T> {
  if (afterAnswer !== undefined) throw new Error('bug: two questions at once');
  below?.erase();
  const waiting: (() => void)[] = [];
  afterAnswer = waiting;
  try {
    return await ask();
  } finally {
    afterAnswer = undefined;
    for (const send of waiting) send();
  }
}

export function write(channel: Channel, text: string): void {
  if (lost.has(channel)) return;
  const send = (): void => void streams[channel].write(`${text}\n`);
  if (!streams[channel].isTTY) send();
  else if (afterAnswer !== undefined) afterAnswer.push(() => write(channel, text));
  else if (below !== undefined) below.above(send);
  else send();
}

/** How often a full pipe is tried again, and the pause before each time in milliseconds. */
const fullPipe = { times: 100, pauseMs: 10 };

/**
 * Writes to standard error before it returns, for a process that ends at once: what waits for the reader of a pipe would be
 * lost. Gives up after a second.
 */
export function writeLast(text: string): void {
  if (lost.has('err')) return;
  const bytes = Buffer.from(`${text}\n`);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let at = 0, left = fullPipe.times; at < bytes.length && left > 0; )
    try {
      at += writeSync(2, bytes, at);
    } catch (error) {
      // Nobody can be told of another error.
      if (systemCode(error) !== 'EAGAIN') return;
      left -= 1;
      Atomics.wait(pause, 0, 0, fullPipe.pauseMs);
    }
}

/** Standard output as a terminal. */
export const terminal = {
  /** Undefined if it is none. */
  size(): { readonly columns: number; readonly rows: number } | undefined {
    const { isTTY, columns, rows } = streams.out;
    // Some terminals have no size.
    return isTTY ? { columns: columns || 80, rows: rows || 24 } : undefined;
  },
  write(text: string): void {
    if (!lost.has('out')) streams.out.write(text);
  },
  /** `take`: true if the size has changed since the last call. */
  watchSize() {
    let changed = false;
    const note = (): void => {
      changed = true;
    };
    streams.out.on('resize', note);
    return {
      take(): boolean {
        const was = changed;
        changed = false;
        return was;
      },
      off: (): void => void streams.out.off('resize', note),
    };
  },
};

// Prepares text and facts for output: hides the secrets of the environment, and escapes everything that a terminal
// would obey.

let redactor: Redactor | undefined;

/** Hides the secrets that this command was given. */
export function ownRedactor(): Redactor {
  redactor ??= new Redactor(secretsIn(process.env));
  return redactor;
}

/** A piece of a line, ready to be shown. */
export const shownSpan = ({ text, tone }: Span): Span => ({
  text: printable(ownRedactor().text(text)),
  tone,
});

/** Lines of text, ready to be printed. */
export const shown = (text: string): string => printable(ownRedactor().text(text), true);
