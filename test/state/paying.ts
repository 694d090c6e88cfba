// Two state files on one machine, the jobs that they pay for, and the receipts that both write.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { digestOfBytes } from '../../src/base/digest.ts';
import { type Move, stateAfter } from '../../src/model/record/job.ts';
import type { Job } from '../../src/model/record/line.ts';
import { Receipts, type ReceiptsOptions } from '../../src/state/receipts.ts';

export const jobNamed = (name: string): string => digestOfBytes(name);
export const at = '2026-11-28T10:00:00.000Z';

export const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

type AnyMove = Move extends infer M ? (M extends Move ? Omit<M, 'job'> : never) : never;

/** The line of a job after moves. */
export function after(name: string, moves: readonly AnyMove[], before?: Job): Job {
  let line = before;
  const job = jobNamed(name);
  for (const move of moves) line = stateAfter(line, { job, ...move }, 'run-1', at);
  if (line === undefined) throw new Error('no move');
  return line;
}

const kind = 'face-swap-photo';
const fault = { code: 'x', message: 'x' };
const charge = { credits: 5, read: at };

export const intent = (attempt: string, ...forgets: readonly string[]): AnyMove => ({
  is: 'intent',
  kind,
  task: 'swap:a.png',
  attempt,
  reserve: 5,
  forgets,
});

/** Up to a state. */
export function movesTo(state: string, attempt: string): readonly AnyMove[] {
  const created: AnyMove = { is: 'created', attempt, project: `p${attempt}`, charge };
  const complete: AnyMove = { is: 'complete', attempt, charge, result: { downloads: 1 } };
  const doubt: AnyMove = { is: 'doubt', attempt, fault };
  const ways: Readonly<Record<string, readonly AnyMove[]>> = {
    intended: [],
    refused: [{ is: 'refused', attempt, fault }],
    doubt: [doubt],
    created: [created],
    failed: [created, { is: 'failed', attempt, charge: { credits: 0, read: at }, fault }],
    complete: [created, complete],
    deleted: [created, complete, { is: 'deleted', attempt }],
    'not charged': [doubt, { is: 'said', attempt, mark: 'notCharged' }],
    'given up': [doubt, { is: 'said', attempt, mark: 'gaveUp' }],
    forgotten: [created, complete, { is: 'said', attempt, mark: 'forgotten' }],
  };
  return [intent(attempt), ...(ways[state] ?? [])];
}

export const saved = (attempt: string, index = 0, path = `out/${index}.png`): AnyMove => ({
  is: 'output',
  output: {
    of: attempt,
    task: 'save:a.png',
    index,
    path,
    bytes: 3,
    sha256: digestOfBytes(`file ${index}`),
  },
});

export interface Side {
  readonly receipts: Receipts;
  /** Reasons of the warnings. */
  readonly warnings: string[];
  readonly lock: string;
  readonly folder: string;
  /** Lets the time of its sleeps pass. */
  wake(): Promise<void>;
  readonly slept: readonly number[];
}

/** The receipts of a state file in a folder of that name. */
export function side(
  file: string,
  name: string,
  options: Partial<ReceiptsOptions> = {},
  held: ReadonlySet<string> = new Set(),
): Side {
  const folder = join(dirname(file), name);
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'x.lock');
  const warnings: string[] = [];
  const slept: number[] = [];
  let wakers: (() => void)[] = [];
  const receipts = new Receipts({
    file,
    service: 'https://service.example',
    by: { state: join(folder, 'x.state.jsonl'), pipeline: join(folder, 'x.yaml'), branch: 'main' },
    lock,
    writes: true,
    clock: {
      now: () => Date.parse(at),
      sleep: (ms) => {
        slept.push(ms);
        return new Promise((wake) => void wakers.push(wake));
      },
    },
    isHeld: (path) => held.has(path),
    jobs: () => [],
    warn: (_message, reason) => void warnings.push(reason),
    ...options,
  });
  onTestFinished(() => receipts.close());
  const wake = async (): Promise<void> => {
    for (const one of wakers.splice(0)) one();
    wakers = [];
    await Promise.resolve();
  };
  return { receipts, warnings, lock, folder, wake, slept };
}
