// Notes which parts of the sources each test file executes, so that a mutant meets only the tests that reach it. What runs in a process
// that a test starts is not seen.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

/** What one test file executes. */
export interface Reach {
  /** The test file, absolute. */
  readonly test: string;
  /** By source file, absolute: start, end and how often it was executed, of each piece of the text. */
  readonly pieces: Readonly<Record<string, readonly (readonly [number, number, number])[]>>;
}

const folder = process.env['REACH'] ?? '';
const sources = new URL('../src/', import.meta.url).href;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

afterAll(async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const pieces = Object.fromEntries(
    result.flatMap(({ url, functions }) =>
      url.startsWith(sources)
        ? [
            [
              fileURLToPath(url),
              functions
                .flatMap(({ ranges }) => ranges)
                .map(
                  ({ startOffset, endOffset, count }) => [startOffset, endOffset, count] as const,
                ),
            ],
          ]
        : [],
    ),
  );
  const { testPath: test = '' } = expect.getState();
  const name = `${basename(test)}-${process.pid}.json`;
  writeFileSync(join(folder, name), JSON.stringify({ test, pieces } satisfies Reach));
});
