// The runner under torture: round after round it is killed at every crash point and at random moments, with the
// service's faults on, and looked at after each death and in the end (torture/check.ts).
import type { PathForm } from '../src/contract/api/routes.ts';
import { chanceOf } from '../src/contract/base/chance.ts';
import { startService } from '../src/service/start.ts';
import { readBooks } from './books.ts';
import { type CrashPoint, crashPoints } from './crash-points.ts';
import { itemCredits, openRoom, type Second } from './room.ts';
import { type RoundResult, tortureRound } from './round.ts';
import { type Nursery, openNursery } from './run-process.ts';

export interface RunnerTorture {
  readonly rounds: number;
  readonly seed: number;
  readonly items: number;
  /** Which form of the paths the service answers to. */
  readonly paths?: PathForm;
  /** Rounds at the same time. */
  readonly jobs: number;
  /** Only this round, to see it again. */
  readonly only?: number | undefined;
  readonly onEvent: (line: string) => void;
}

export interface RunnerTortured {
  readonly rounds: number;
  readonly runs: number;
  readonly deaths: number;
  readonly doubts: number;
  readonly projects: number;
  /** How often a run died at each crash point. */
  readonly points: ReadonlyMap<CrashPoint, number>;
  readonly violations: readonly string[];
}

/** Known to every process: a local service accepts the key that it is given. */
const keyOf = (seed: number): string => `torture-${Math.floor(chanceOf(seed, 0)() * 1e9)}`;

export async function tortureRunner(options: RunnerTorture): Promise<RunnerTortured> {
  const { rounds, seed, items, jobs, only, onEvent, paths = 'both' } = options;
  const key = keyOf(seed);
  const nursery = openNursery(jobs * 2, key);
  const count = new Count();
  try {
    const references = {
      clip: await undisturbed('clip', items, key, nursery),
      picture: await undisturbed('picture', items, key, nursery),
    };
    const reference = (second: Second): ReadonlyMap<string, string> => references[second];
    let next = only ?? 1;
    const last = only ?? rounds;
    const work = async (): Promise<void> => {
      while (next <= last) {
        const number = next++;
        const result = await tortureRound({ seed, number, items, paths, key, nursery, reference });
        count.add(result);
        for (const violation of result.violations)
          onEvent(`violation in round ${number}: ${violation}`);
        if (result.violations.length > 0)
          onEvent(
            `  see ${result.folder}; again: --seed ${seed} --items ${items} --paths ${paths} --round ${number}`,
          );
        if (only !== undefined) for (const line of result.story) onEvent(`  ${line}`);
        if (number % 50 === 0) onEvent(`round ${number}: ${count.text}`);
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return count.total;
  } finally {
    nursery.close();
  }
}

/** What a run leaves that nothing happens to, against a service without faults: the outputs' digests by path. */
async function undisturbed(
  second: Second,
  items: number,
  key: string,
  nursery: Nursery,
): Promise<ReadonlyMap<string, string>> {
  const budget = items * itemCredits[second];
  const room = await openRoom({ second, items, budget, window: 8 });
  const service = await startService({ key, credits: budget, pictures: 'plain' });
  try {
    const { file, state } = room;
    const end = await nursery.take().run({ file, state, service: service.address });
    if (end.how !== 'ended' || !('summary' in end.end) || end.end.summary.outcome !== 'done')
      throw new Error(`an undisturbed run did not end well: ${JSON.stringify(end)}`);
    const books = await readBooks(room, service);
    if (typeof books === 'string') throw new Error(books);
    const outputs = [...books.state.jobs()].flatMap((job) => job.outputs ?? []);
    if (outputs.length !== items) throw new Error(`an undisturbed run saved ${outputs.length}`);
    return new Map(outputs.map(({ path, sha256 }) => [path, sha256]));
  } finally {
    await service.close();
    await room.remove();
  }
}

class Count {
  #rounds = 0;
  #runs = 0;
  #deaths = 0;
  #doubts = 0;
  #projects = 0;
  readonly #points = new Map<CrashPoint, number>(crashPoints.map((point) => [point, 0]));
  readonly #violations: string[] = [];

  add({ runs, deaths, doubts, projects, violations }: RoundResult): void {
    this.#rounds += 1;
    this.#runs += runs;
    this.#deaths += deaths.length;
    this.#doubts += doubts;
    this.#projects += projects;
    this.#violations.push(...violations);
    for (const fate of deaths)
      if (fate.how === 'crash')
        this.#points.set(fate.crash.point, (this.#points.get(fate.crash.point) ?? 0) + 1);
  }

  get text(): string {
    return `${this.#runs} runs, ${this.#deaths} deaths, ${this.#projects} projects, ${this.#doubts} doubts resolved, ${this.#violations.length} violations`;
  }

  get total(): RunnerTortured {
    return {
      rounds: this.#rounds,
      runs: this.#runs,
      deaths: this.#deaths,
      doubts: this.#doubts,
      projects: this.#projects,
      points: this.#points,
      violations: this.#violations,
    };
  }
}
