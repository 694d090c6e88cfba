// A script of this folder in a process of its own, which ends with one line of JSON.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Measured {
  readonly seconds: number;
  readonly items: number;
  readonly peakMb: number;
  /** Seconds of processor time. */
  readonly processor: number;
}

export function inProcess(script: string, args: readonly string[]): Measured {
  const text = execFileSync(
    process.execPath,
    [...flagsFor(script), fileURLToPath(new URL(`${script}.ts`, import.meta.url)), ...args],
    { env: { ...process.env, SHOTLIST_API_KEY: 'bench' }, encoding: 'utf8' },
  );
  const measured: Measured = JSON.parse(text.trim().split('\n').at(-1) ?? '');
  return measured;
}

/** Flags of Node.js for a script, such as `SHOTLIST_BENCH_RUNNER=--cpu-prof`. */
export const flagsFor = (script: string): readonly string[] =>
  (process.env[`SHOTLIST_BENCH_${script.toUpperCase()}`] ?? '')
    .split(' ')
    .filter((flag) => flag !== '');
