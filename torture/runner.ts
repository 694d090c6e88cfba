// Runner torture: in each round, runs are killed at crash points and at random moments while the service injects faults.
// The invariants (invariants.ts) are checked after each kill and in the end.

import { chanceOf } from '../src/base/chance.ts';
import type { PathForm } from '../src/contract/api/routes.ts';
import { startService } from '../src/service/start.ts';
import { type CrashPoint, crashPoints } from './crash-points.ts';
import { auditLedgers } from './ledger-audit.ts';
import { type RoundResult, tortureRound } from './round.ts';
import { openWorkerPool, type WorkerPool } from './worker-pool.ts';
import { creditsOf, expectedOf, openWorkspace, type SecondTool } from './workspace.ts';

export interface RunnerTorture {
  readonly rounds: number;
  readonly seed: number;
  readonly items: number;
  /** Which form of the paths the service accepts. */
  readonly paths?: PathForm;
  /** How many rounds run at the same time. */
  readonly jobs: number;
  /** Repeats only this round. */
  readonly only?: number | undefined;
  readonly onEvent: (line: string) => void;
}

export interface RunnerTortured {
  readonly rounds: number;
  readonly runs: number;
  readonly kills: number;
  readonly doubts: number;
  readonly projects: number;
  /** How often a run was killed at each crash point. */
  readonly points: ReadonlyMap<CrashPoint, number>;
  readonly violations: readonly string[];
}

/** Known to every process: a local service accepts the key that it is given. */
const keyOf = (seed: number): string => `torture-${Math.floor(chanceOf(seed, 0)() * 1e9)}`;

export async function tortureRunner(options: RunnerTorture): Promise<RunnerTortured> {
  const { rounds, seed, items, jobs, only, onEvent, paths = 'both' } = options;
  const key = keyOf(seed);
  const pool = openWorkerPool(jobs * 2, key);
  const count = new Count();
  try {
    const references = {
      clip: await undisturbed('clip', items, key, pool),
      picture: await undisturbed('picture', items, key, pool),
      fan: await undisturbed('fan', items, key, pool),
    };
    const reference = (second: SecondTool): ReadonlyMap<string, string> => references[second];
    let next = only ?? 1;
    const last = only ?? rounds;
    const work = async (): Promise<void> => {
      while (next <= last) {
        const number = next++;
        const result = await tortureRound({ seed, number, items, paths, key, pool, reference });
        count.add(result);
        for (const violation of result.violations)
          onEvent(`violation in round ${number}: ${violation}`);
        if (result.violations.length > 0)
          onEvent(
            `  see ${result.folder}; again: --seed ${seed} --items ${items} --paths ${paths} --round ${number}`,
          );
        if (only !== undefined) for (const line of result.log) onEvent(`  ${line}`);
        if (number % 50 === 0) onEvent(`round ${number}: ${count.text}`);
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return count.total;
  } finally {
    pool.close();
  }
}

/** The outputs of an undisturbed run against a service without faults: digests by path. */
export async function undisturbed(
  second: SecondTool,
  items: number,
  key: string,
  pool: WorkerPool,
): Promise<ReadonlyMap<string, string>> {
  const budget = creditsOf({ second, items });
  const workspace = await openWorkspace({ second, items, budget, window: 8 });
  const service = await startService({ key, credits: budget, tier: 'business', pictures: 'plain' });
  try {
    const { file, state, receipts } = workspace;
    const end = await pool.take().run({ file, state, receipts, service: service.address });
    if (end.how !== 'ended' || !('summary' in end.end) || end.end.summary.outcome !== 'done')
      throw new Error(`an undisturbed run did not end well: ${JSON.stringify(end)}`);
    const audit = await auditLedgers(workspace, service);
    if (typeof audit === 'string') throw new Error(audit);
    const outputs = [...audit.state.jobs()].flatMap((job) => job.outputs ?? []);
    if (outputs.length !== expectedOf({ second, items }).outputs.length)
      throw new Error(`an undisturbed run saved ${outputs.length}`);
    return new Map(outputs.map(({ path, sha256 }) => [path, sha256]));
  } finally {
    await service.close();
    await workspace.remove();
  }
}

class Count {
  #rounds = 0;
  #runs = 0;
  #kills = 0;
  #doubts = 0;
  #projects = 0;
  readonly #points = new Map<CrashPoint, number>(crashPoints.map((point) => [point, 0]));
  readonly #violations: string[] = [];

  add({ runs, kills, doubts, projects, violations }: RoundResult): void {
    this.#rounds += 1;
    this.#runs += runs;
    this.#kills += kills.length;
    this.#doubts += doubts;
    this.#projects += projects;
    this.#violations.push(...violations);
    for (const plan of kills)
      if (plan.how === 'crash')
        this.#points.set(plan.crash.point, (this.#points.get(plan.crash.point) ?? 0) + 1);
  }

  get text(): string {
    return `${this.#runs} runs, ${this.#kills} kills, ${this.#projects} projects, ${this.#doubts} doubts resolved, ${this.#violations.length} violations`;
  }

  get total(): RunnerTortured {
    return {
      rounds: this.#rounds,
      runs: this.#runs,
      kills: this.#kills,
      doubts: this.#doubts,
      projects: this.#projects,
      points: this.#points,
      violations: this.#violations,
    };
  }
}
