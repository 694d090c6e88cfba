// Disk torture: strace makes each system call that changes a file fail, one per trial. Then the run is repeated without
// faults: nothing is charged twice, nothing paid is lost, and people read sentences, not stack traces.
import { openCompileCache } from './compile-cache.ts';
import { type Scenario, scenarios } from './disk-scenarios.ts';
import { type Reference, type Trial, tryDisk, undisturbed } from './disk-trial.ts';
import { type Call, diskErrors, type FaultInjection, injectionText } from './strace.ts';

export interface DiskTorture {
  /** Tries every n-th case; 1: all. */
  readonly every: number;
  /** Selects the cases: the same seed selects the same ones. */
  readonly seed: number;
  /** How many trials run at the same time. */
  readonly jobs: number;
  readonly onEvent: (line: string) => void;
}

export interface DiskTortured {
  readonly cases: number;
  /** Cases by system call and error, such as `fsync EIO`. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Cases by the exit code of the run with the fault. */
  readonly codes: ReadonlyMap<string, number>;
  /** Cases whose call was not made this time. */
  readonly missed: number;
  readonly doubts: number;
  readonly violations: readonly string[];
}

interface Case {
  readonly scenario: Scenario;
  readonly reference: Reference;
  readonly injection: FaultInjection;
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
        const { scenario, injection, reference } = one;
        const checkContext = { before, snapshot: reference.snapshot };
        const trial = await tryDisk(scenario, injection, checkContext, cache.folder);
        const where = `${scenario.name}, ${injectionText(injection)}`;
        for (const violation of trial.violations) onEvent(`violation: ${where}: ${violation}`);
        count.add(injection, trial, where);
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
  for (const scenario of scenarios) {
    const reference = await undisturbed(scenario, before, cache);
    if (before.length === 0) before = reference.calls;
    for (const call of reference.calls.filter((one) => scenario.has(one)))
      for (const how of diskErrors)
        for (const lasting of lasts(call, reference.calls) ? [false, true] : [false])
          cases.push({ scenario, reference, injection: { call, how, lasting } });
  }
  return { cases, before };
}

/** A lasting fault begins with the first call on a file, or anywhere in the journal. From the last call on, it would equal a single fault. */
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

  add({ call, how }: FaultInjection, trial: Trial, where: string): void {
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
