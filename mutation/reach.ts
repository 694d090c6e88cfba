// Which parts of the sources a process executes, so that a mutant meets only the tests that reach it.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Start, end and how often it was executed, of a piece of a text. */
export type Piece = readonly [start: number, end: number, times: number];

/** What one test executes, or one command of it. */
export interface Reach {
  /** The name of the pin (sample.ts). */
  readonly pin: string;
  /** By source file, absolute. */
  readonly pieces: Readonly<Record<string, readonly Piece[]>>;
}

const sources = new URL('../src/', import.meta.url).href;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** Notes what was executed since the last note. */
export function note(pin: string): void {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  // The answer comes before the call returns.
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    scripts = result;
  });
  const pieces: Record<string, readonly Piece[]> = {};
  for (const { url, functions } of scripts) {
    const all = functions.flatMap(({ ranges }) => ranges);
    if (url.startsWith(sources) && all.some(({ count }) => count > 0))
      pieces[fileURLToPath(url)] = all.map(({ startOffset, endOffset, count }) => [
        startOffset,
        endOffset,
        count,
      ]);
  }
  const file = join(process.env['REACH'] ?? '', `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify({ pin, pieces } satisfies Reach));
}

/** The smallest piece around a place. */
const around = (pieces: readonly Piece[], at: number): Piece | undefined =>
  pieces
    .filter(([start, end]) => start <= at && at < end)
    .toSorted(([start, end], [from, until]) => end - start - (until - from))
    .at(0);

/** The names of the pins that execute what is at this place of a file. */
export function pinsAt(reaches: readonly Reach[], file: string, at: number): ReadonlySet<string> {
  const all = reaches.flatMap(({ pin, pieces }) => {
    const own = pieces[file];
    return own === undefined ? [] : [{ pin, piece: around(own, at) }];
  });
  // What stands outside of functions is executed when a process loads the file, and counts for all that the process does then.
  const isOutside = all.some(({ piece }) => piece?.[0] === 0 && piece[2] > 0);
  return new Set(all.flatMap(({ pin, piece }) => (isOutside || (piece?.[2] ?? 0) > 0 ? pin : [])));
}
