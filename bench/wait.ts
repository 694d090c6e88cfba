// How a run waits for projects, by the code that performs jobs and a simulated clock. Counts every request about a project from its
// creation until it is known to be over (the creation, and all reads; no upload, download or deletion), and how late that is
// known, as a share of the project's duration. Requests themselves take no time. And what 50,000 waits cost on the real clock.
import { chanceOf } from '../src/contract/base/chance.ts';
import { digestOf } from '../src/contract/base/digest.ts';
import type { Tool } from '../src/contract/kinds/kind.ts';
import { tools } from '../src/contract/kinds/tools.ts';
import { realClock } from '../src/runner/adapters/clock.ts';
import { Durations } from '../src/runner/plan/durations.ts';
import { drive } from '../src/runner/run/jobs/drive.ts';
import type { CreateOrder } from '../src/runner/run/jobs/job.ts';
import type { JobContext } from '../src/runner/run/jobs/job-context.ts';
import { Outages } from '../src/runner/run/jobs/outages.ts';
import { ProjectIds } from '../src/runner/run/jobs/project-ids.ts';
import { WebhookInbox } from '../src/runner/run/jobs/webhook-inbox.ts';
import { fingerprintFrom } from '../src/runner/task/fingerprint.ts';
import { MemoryDisk } from '../test/fakes/memory-disk.ts';
import { defineBench, type Row } from './frame/bench.ts';
import { SimulatedClock } from './wait/simulated-clock.ts';
import { SimulatedService } from './wait/simulated-service.ts';

interface WaitOptions {
  /** Of each tool. */
  readonly projects: number;
  /** How many are under way at once. */
  readonly window: number;
  /** How many sleep at once on the real clock. */
  readonly sleeps: number;
}

interface Scenario {
  /** The standard deviation of the logarithm of the durations. */
  readonly spread: number;
  /** The true median, as a multiple of the published one. */
  readonly factor: number;
  /** The state file has a hundred projects of an earlier run. */
  readonly history: boolean;
  /** The share of events that never arrive; undefined: the run does not listen. */
  readonly lostEvents?: number;
}

const scenarios: readonly Scenario[] = [0.1, 0.25, 0.35, 0.7].flatMap((spread) => [
  { spread, factor: 1, history: false },
  { spread, factor: 1, history: true },
  ...[1 / 3, 3].flatMap((factor) => [
    { spread, factor, history: false },
    { spread, factor, history: true },
  ]),
  { spread, factor: 1, history: true, lostEvents: 0 },
  { spread, factor: 3, history: false, lostEvents: 0 },
  { spread, factor: 1, history: true, lostEvents: 0.01 },
]);

/** A row for each scenario, over all tools. */
async function* measureWait({ projects, window }: WaitOptions): AsyncGenerator<Row> {
  for (const scenario of scenarios) {
    const late: number[] = [];
    let requests = 0;
    for (const [index, tool] of tools.entries()) {
      const seen = await simulate(tool, scenario, { projects, window, seed: index });
      late.push(...seen.late);
      requests += seen.requests;
    }
    const { spread, factor, history, lostEvents } = scenario;
    const sorted = late.toSorted((one, other) => one - other);
    const share = (at: number): number => 100 * (sorted[Math.floor(at * sorted.length)] ?? 0);
    yield {
      spread,
      'true median': `${Number(factor.toFixed(2))} ×`,
      history: history ? '100 projects' : 'none',
      events: lostEvents === undefined ? 'none' : `${100 * lostEvents} % lost`,
      'requests a project': rounded(requests / late.length),
      'reads a project': rounded(requests / late.length - 1),
      'median delay %': rounded(share(0.5)),
      'p95 delay %': rounded(share(0.95)),
    };
  }
}

const rounded = (number: number): number => Math.round(number * 100) / 100;

interface Simulation extends Pick<WaitOptions, 'projects' | 'window'> {
  readonly seed: number;
}

async function simulate(
  tool: Tool,
  { spread, factor, history, lostEvents }: Scenario,
  { projects, window, seed }: Simulation,
): Promise<SimulatedService> {
  const chance = chanceOf(seed, 1);
  const duration = (): number => {
    const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
    return tool.medianSeconds * 1000 * factor * Math.exp(spread * normal);
  };
  const earlier = history ? await noticedBefore(tool, { spread, factor }, { window, seed }) : [];
  const clock = new SimulatedClock();
  const inbox =
    lostEvents === undefined ? undefined : new WebhookInbox({ patienceMs: 60_000, since: 0 });
  const service = new SimulatedService(clock, { duration, inbox, lost: lostEvents ?? 0 });
  const durations = new Durations({
    speedFactor: 1,
    known: () => new Map([[tool.name, earlier]]),
  });
  const { api } = service;
  const patience = { clock, stop: new AbortController().signal, backoffMs: 1000 };
  const outages = new Outages({
    ...{ ...patience, api, address: 'memory:', limitMs: 60_000, onEvent: () => undefined },
  });
  const context: JobContext = {
    ...{ ...patience, api: outages.api, outages, disk: new MemoryDisk(), durations, inbox },
    projects: new ProjectIds(),
    pace: async () => undefined,
  };
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < projects) {
      const outcome = await drive(orderOf(tool.name, next++), context, willing);
      if (outcome.is !== 'done') throw new Error(JSON.stringify(outcome));
    }
  };
  await clock.run(Promise.all(Array.from({ length: window }, worker)));
  return service;
}

/** The durations that a state file has after a run. */
async function noticedBefore(
  tool: Tool,
  { spread, factor }: Pick<Scenario, 'spread' | 'factor'>,
  { window, seed }: Pick<Simulation, 'window' | 'seed'>,
): Promise<readonly number[]> {
  const before = { projects: 100, window, seed: seed + tools.length };
  return (await simulate(tool, { spread, factor, history: false }, before)).noticed;
}

/** Records nothing. */
const willing = {
  claim: async () => ({ is: 'go' }) as const,
  again: async () => ({ is: 'go' }) as const,
  record: async () => ({ is: 'go' }) as const,
};

const orderOf = (kind: string, number: number): CreateOrder => ({
  ...{ operation: 'create', key: `k${number}`, task: `t:${number}`, kind, attempts: 3, attempt: 1 },
  ...{ fingerprint: fingerprintFrom(digestOf(`${number}`)), body: {}, name: `n${number}` },
  ...{ reserve: 1, expectation: { kind, measure: { of: kind, amount: 1 }, why: '' } },
  timeoutMs: 30 * 86_400_000,
});

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

const seldom = (column: string) => (rows: readonly Row[]) => {
  const found = rows.find(
    ({ spread, events, history, 'true median': factor }) =>
      spread === 0.35 && factor === '1 ×' && history === '100 projects' && events === 'none',
  )?.[column];
  return typeof found === 'number' ? found : undefined;
};

export const wait = defineBench({
  name: 'wait',
  description:
    'Requests a project and how late its end is noticed, on a simulated clock, for durations around the medians of all tools; and what a sleep costs.',
  full: { projects: 300, window: 32, sleeps: 50_000 },
  tiny: { projects: 2, sleeps: 20 },
  goals: [
    {
      what: 'requests a project, with history, spread 0.35',
      bound: { atMost: 5 },
      figure: seldom('requests a project'),
      obstacle: 'Durations that are far from the median need more looks.',
    },
    {
      what: 'median delay in % of the duration, with history, spread 0.35',
      bound: { atMost: 5 },
      figure: seldom('median delay %'),
      obstacle:
        'With four looks, no placement is better than about 7 %; with a first look at the median it could be 4.6 %, and every twentieth project would be noticed 78 % late.',
    },
    {
      what: 'reads a project, with events',
      bound: { atMost: 1.1 },
      figure: (rows) => {
        const reads = rows.flatMap(({ events, 'reads a project': cell }) =>
          events !== undefined && events !== 'none' && typeof cell === 'number' ? [cell] : [],
        );
        return reads.length === 0 ? undefined : Math.max(...reads);
      },
      obstacle:
        'If the published median is wrong by a factor of three, a look comes before the event.',
    },
  ],
  async *run(options) {
    yield* measureWait(options);
    yield await measureSleeps(options.sleeps);
  },
});
