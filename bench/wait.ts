// How projects are waited for, with a simulated clock: looks, and how late an end is noticed, against the best that is possible with as many looks. Requests themselves take no time. And what 50,000 waits
// cost on the real clock.
import { chanceOf } from '../src/base/chance.ts';
import type { Project } from '../src/contract/api/project.ts';
import { recordOf, tools } from '../src/contract/tools/all.ts';
import { realClock } from '../src/core/clock.ts';
import { Inbox } from '../src/core/inbox.ts';
import { Looks } from '../src/core/looks.ts';
import type { MediaApi } from '../src/core/ports.ts';
import { column, defineBench, type Row } from './frame/bench.ts';
import { BestDelay } from './wait/best-delay.ts';
import { SimulatedClock } from './wait/simulated-clock.ts';
import { SimulatedService } from './wait/simulated-service.ts';

interface WaitOptions {
  /** Of each tool, for each project in progress. */
  readonly rounds: number;
  /** Of each tool, at least. */
  readonly projects: number;
  /** How many are in progress at once, at most. */
  readonly atOnce: number;
  /** The standard deviation of the logarithm of the durations. */
  readonly spread: number;
  /** How many sleep at once on the real clock. */
  readonly sleeps: number;
  readonly seed: number;
}

interface Scenario {
  readonly tool: string;
  readonly medianMs: number;
  readonly atOnce: number;
  /** The share of events that never arrive; undefined: the run does not listen. */
  readonly lostEvents?: number;
}

/** A quick tool, one in between and a slow one. */
const measured = ['face-swap-photo', 'text-to-video', 'character-replace'];

/** The true median, as a multiple of the published one: nothing else is known at the beginning. */
const factors = [1, 1 / 3, 3];

const looksPerSecond = 10;

async function* measureWait(options: WaitOptions): AsyncGenerator<Row> {
  const best = new BestDelay(options.spread);
  const without = [1, 5, 50, 1000]
    .filter((atOnce) => atOnce <= options.atOnce)
    .flatMap((atOnce) => factors.map((factor) => ({ atOnce, factor })));
  const listening = [
    ...factors.map((factor) => ({ factor, lostEvents: 0 })),
    { factor: 1, lostEvents: 0.01 },
  ].map((scenario) => ({ ...scenario, atOnce: Math.min(50, options.atOnce) }));
  const cases = [...without, ...listening].flatMap((scenario) =>
    tools.filter(({ name }) => measured.includes(name)).map((tool) => ({ ...scenario, tool })),
  );
  for (const { factor, tool, ...scenario } of cases) {
    const { name, medianSeconds } = tool;
    const medianMs = medianSeconds * 1000 * factor;
    const terms = { ...scenario, tool: name, medianMs };
    const { service, elapsedMs } = await simulate(terms, options);
    const { ends, looks, mostLooksInVainInASecond } = service;
    const tookMs = ends.reduce((sum, end) => sum + end.tookMs, 0);
    const lateMs = ends.reduce((sum, end) => sum + end.lateMs, 0);
    const looksEach = looks / ends.length;
    const row = {
      ...{ 'at once': scenario.atOnce, 'published s': medianSeconds },
      'true median': `${Number(factor.toFixed(2))} ×`,
      'looks a project': rounded(looksEach),
      'looks a second': rounded((1000 * looks) / elapsedMs),
      'mean delay %': rounded((100 * lateMs) / tookMs),
    };
    if ('lostEvents' in scenario)
      yield { ...row, events: `${100 * Number(scenario.lostEvents)} % lost` };
    else {
      const bestMs = medianMs * best.at(looksEach);
      const ratio = rounded(lateMs / ends.length / bestMs);
      yield {
        ...row,
        'most in vain in a second': mostLooksInVainInASecond,
        '÷ best possible': ratio,
      };
    }
  }
}

const rounded = (number: number): number => Math.round(number * 100) / 100;

async function simulate(
  { tool, medianMs, atOnce, lostEvents }: Scenario,
  { rounds, projects: least, spread, seed }: WaitOptions,
): Promise<{ readonly service: SimulatedService; readonly elapsedMs: number }> {
  const projects = Math.max(least, rounds * atOnce);
  const chance = chanceOf(seed, 1);
  const duration = (): number => {
    const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
    return medianMs * Math.exp(spread * normal);
  };
  const clock = new SimulatedClock();
  const wait = waiting(clock, lostEvents !== undefined);
  const service = new SimulatedService(clock, { duration, send: wait.hear, lost: lostEvents ?? 0 });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < projects) await wait.one(service.api, tool, next++);
  };
  await clock.run(Promise.all(Array.from({ length: atOnce }, worker)));
  return { service, elapsedMs: clock.elapsed() };
}

interface Waiter {
  /** Undefined: it does not listen. */
  readonly hear: ((project: Project, tool: string) => void) | undefined;
  /** Makes a project, and looks at it until it is over. */
  readonly one: (api: MediaApi, tool: string, number: number) => Promise<void>;
}

function waiting(clock: SimulatedClock, listens: boolean): Waiter {
  const { signal } = new AbortController();
  const inbox = new Inbox(clock, signal, 60_000);
  const looks = new Looks({ clock, signal, speedFactor: 1, earlier: () => new Map() });
  return {
    hear: listens ? (project) => void inbox.receive(project, signal) : undefined,
    one: async (api, tool, number) => {
      const made = await api.create(tool, { name: `n${number}` });
      if (!made.ok) throw new Error(made.error.message);
      const { id } = made.value;
      using watch = looks.watch(tool, clock.now());
      for (;;) {
        await watch.turn(listens ? inbox.look(id) : undefined);
        const read = await api.project(recordOf(tool), id);
        if (!read.ok) throw new Error(read.error.message);
        if (read.value.status === 'complete') return watch.over(read.value);
      }
    },
  };
}

/** So many sleeps at once on the real clock, each with the run's signal and one of its own. */
async function measureSleeps(sleeps: number): Promise<Row> {
  const stopper = new AbortController();
  const before = process.cpuUsage();
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  const all = Array.from({ length: sleeps }, (_, number) =>
    realClock.sleep(1000 + (number % 997), stopper.signal, new AbortController().signal),
  );
  globalThis.gc?.();
  const bytes = process.memoryUsage().heapUsed - heapUsed;
  await Promise.all(all);
  const { user, system } = process.cpuUsage(before);
  return {
    sleeps,
    'processor µs a sleep': rounded((user + system) / sleeps),
    'bytes a sleep': Math.round(bytes / sleeps),
  };
}

const most =
  (name: string) =>
  (rows: readonly Row[]): number | undefined => {
    const figures = column(rows, name);
    return figures.length === 0 ? undefined : Math.max(...figures);
  };

export const wait = defineBench({
  name: 'wait',
  description:
    'Looks a project and how late its end is noticed, on a simulated clock, for three tools whose published median is right, three times too long or three times too short; and what a sleep costs.',
  full: { rounds: 20, projects: 300, atOnce: 1000, spread: 0.35, sleeps: 50_000, seed: 1 },
  tiny: { rounds: 1, projects: 5, atOnce: 5, sleeps: 20 },
  goals: [
    {
      ...{ what: 'mean delay, × the best possible with as many looks', bound: { atMost: 1.3 } },
      ...{ figure: most('÷ best possible'), obstacle: '' },
    },
    {
      ...{ what: 'looks in vain in any second', bound: { atMost: looksPerSecond } },
      ...{ figure: most('most in vain in a second'), obstacle: '' },
    },
    {
      what: 'reads a project, with events',
      bound: { atMost: 1.1 },
      figure: (rows) => most('looks a project')(rows.filter((row) => row['events'] !== undefined)),
      obstacle: 'Projects that take much longer than the others are looked at before their event.',
    },
  ],
  async *run(options) {
    yield* measureWait(options);
    yield await measureSleeps(options.sleeps);
  },
});
