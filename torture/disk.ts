// The disk under torture: each system call of a run that changes a file fails in turn, by strace's fault injection.
// Then the run is repeated without trouble: nothing is charged twice, nothing that was paid for is lost, and people
// read sentences, not stack traces.
import { openCompileCache } from './compile-cache.ts';
import { type Scene, scenes } from './disk-scenes.ts';
import { type Reference, type Trial, tryDisk, undisturbed } from './disk-trial.ts';
import { type Call, diskErrors, type Interference, interferenceText } from './strace.ts';

export interface DiskTorture {
  /** Every n-th case; 1: all. */
  readonly every: number;
  /** Which of them: the same seed takes the same ones. */
  readonly seed: number;
  /** Trials at the same time. */
  readonly jobs: number;
  readonly onEvent: (line: string) => void;
}

export interface DiskTortured {
  readonly cases: number;
  /** Cases by system call and error, such as `fsync EIO`. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Cases by the exit code of the run that met the failure. */
  readonly codes: ReadonlyMap<string, number>;
  /** Cases whose call did not come that time. */
  readonly missed: number;
  readonly doubts: number;
  readonly violations: readonly string[];
}

interface Case {
  readonly scene: Scene;
  readonly reference: Reference;
  readonly interference: Interference;
}

export async function tortureDisk({
  every,
  seed,
  jobs,
  onEvent,
}: DiskTorture): Promise<DiskTortured> {
  const cache = openCompileCache();
  const count = new Count();
  try {
    const { cases, before } = await allCases(cache.folder);
    const waiting = cases.filter((_, index) => (index + seed) % every === 0);
    onEvent(`${waiting.length} of ${cases.length} cases`);
    const work = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const { scene, interference, reference } = one;
        const ground = { before, leavings: reference.leavings };
        const trial = await tryDisk(scene, interference, ground, cache.folder);
        const where = `${scene.name}, ${interferenceText(interference)}`;
        for (const violation of trial.violations) onEvent(`violation: ${where}: ${violation}`);
        count.add(interference, trial, where);
        if (count.cases % 50 === 0)
          onEvent(`${count.cases} cases, ${count.violations.length} violations`);
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return count;
  } finally {
    cache.close();
  }
}

/** `before`: the calls of a run in a new folder. */
async function allCases(
  cache: string,
): Promise<{ cases: readonly Case[]; before: Reference['calls'] }> {
  let before: Reference['calls'] = [];
  const cases: Case[] = [];
  for (const scene of scenes) {
    const reference = await undisturbed(scene, before, cache);
    if (before.length === 0) before = reference.calls;
    for (const call of reference.calls.filter((one) => scene.has(one)))
      for (const how of diskErrors)
        for (const lasting of lasts(call, reference.calls) ? [false, true] : [false])
          cases.push({ scene, reference, interference: { call, how, lasting } });
  }
  return { cases, before };
}

/** A failure that lasts begins with the first call on a file, or anywhere in the journal; with the last one it is no other. */
const lasts = ({ name, path, nth }: Call, calls: readonly Call[]): boolean =>
  (nth === 1 || path.endsWith('.state.jsonl')) &&
  calls.some((other) => other.name === name && other.path === path && other.nth > nth);

class Count implements DiskTortured {
  cases = 0;
  missed = 0;
  doubts = 0;
  readonly kinds = new Map<string, number>();
  readonly codes = new Map<string, number>();
  readonly violations: string[] = [];

  add({ call, how }: Interference, trial: Trial, where: string): void {
    this.cases += 1;
    this.violations.push(...trial.violations.map((what) => `${where}: ${what}`));
    if (!trial.hit) {
      this.missed += 1;
      return;
    }
    this.doubts += trial.doubts;
    one(this.kinds, `${call.name} ${how}`);
    one(this.codes, String(trial.code));
  }
}

function one(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
