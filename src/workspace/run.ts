// `run`: makes it so. Everything that can be refused is refused before the first request.
import { relative } from 'node:path';
import { err, ok, type Result } from '../base/result.ts';
import { type Ballast, takeBallast } from '../edge/ballast.ts';
import { realClock } from '../edge/clock.ts';
import { httpClient } from '../edge/http-client.ts';
import type { ItemFilter, ItemList } from '../edge/items.ts';
import { JournalFile } from '../edge/journal-file.ts';
import { takeLock } from '../edge/lock.ts';
import { isSystemTrouble, systemReason } from '../edge/system-error.ts';
import type { Plan } from '../plan/plan.ts';
import type { Happening, Summary } from '../report/happening.ts';
import { localRunner } from '../run/local-runner.ts';
import { Look } from '../run/look.ts';
import { Loop } from '../run/loop.ts';
import type { Clock, Disk, MediaApi } from '../run/ports.ts';
import { type LineFile, Recorder } from '../run/recorder.ts';
import type { LedgerEntry } from '../service/accounts.ts';
import type { Item } from '../task/item.ts';
import type { LoadedPipeline } from './load.ts';
import { checkWritable, type Opened, openWorkspace } from './open.ts';
import { type PlaceOptions, type Places, placesOf } from './places.ts';
import { type Problem, problem } from './problem.ts';
import { resolveFromLedger } from './rehearsal.ts';
import { type Survey, survey } from './survey.ts';
import { chooseTarget, type Target, type TargetOptions } from './target.ts';

export interface RunOptions extends TargetOptions, PlaceOptions {
  readonly items?: ItemFilter;
  /** `--budget`: credits; the smaller of it and the pipeline's counts. */
  readonly budget?: number | undefined;
  /** A result that is gone, here and at the service, may be paid again. */
  readonly payAgain?: boolean | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Hears everything that happens. */
  readonly say?: (happening: Happening) => void;
  /** Aborted: nothing new starts, running requests end, the state can be resumed. */
  readonly signal?: AbortSignal;
  /** The first pause before a request is sent again, in milliseconds. Default 1000. */
  readonly backoffMs?: number;
  /** How many times faster than the hosted service the service is: polling follows it. Default 1. */
  readonly haste?: number;
  /** How fast the local service of a rehearsal renders. Default: at once. */
  readonly rehearsalSpeed?: 'instant' | 'realtime' | number;
}

export interface Ran {
  readonly summary: Summary;
  readonly rehearsal: boolean;
  /** The state file and the output folder, relative to the working folder where they are below it. */
  readonly state: string;
  readonly output: string;
}

/** Where a test can put a plug of its own between the run and the world. */
export interface Plugs {
  /** What the journal's lines go through on their way to the state file. */
  readonly lines?: (file: LineFile) => LineFile;
  readonly api?: (api: MediaApi) => MediaApi;
  readonly disk?: (disk: Disk) => Disk;
}

export async function run(
  loaded: LoadedPipeline,
  options: RunOptions = {},
  plugs: Plugs = {},
): Promise<Result<Ran, Problem>> {
  const clock = options.clock ?? realClock;
  const target = chooseTarget(options, loaded.pipeline.service, options.env ?? process.env);
  if (!target.ok) return target;
  const places = placesOf(loaded, target.value, options);
  const unwritable = await checkWritable(places);
  if (unwritable !== undefined) return err(unwritable);
  const lock = await takeLock(places.lock, clock.now());
  if (!lock.ok) return err({ ...problem(lock.error), reason: 'locked' });
  if (lock.value.warning !== undefined)
    options.say?.({ type: 'warning', message: lock.value.warning });
  try {
    const opened = await openWorkspace(loaded, places, options.items ?? {}, clock);
    if (!opened.ok) return opened;
    try {
      return await runOpened({
        plugs,
        loaded,
        options,
        clock,
        places,
        target: target.value,
        opened: opened.value,
      });
    } catch (error) {
      if (!isSystemTrouble(error)) throw error;
      return err(cannotGoOn(error, places));
    } finally {
      opened.value.close();
    }
  } finally {
    await lock.value.release();
  }
}

/** The journal could not be written: nothing new was sent after that, and what was is in it. */
function cannotGoOn(error: unknown, { state }: Places): Problem {
  const hint = 'what was recorded before is safe; mend it and run again: nothing is paid twice';
  return {
    ...problem(`${state} ${systemReason(error)}`, 'the run stopped', hint),
    reason: 'system',
  };
}

interface Running {
  readonly plugs: Plugs;
  readonly loaded: LoadedPipeline;
  readonly options: RunOptions;
  readonly clock: Clock;
  readonly places: Places;
  readonly target: Target;
  readonly opened: Opened;
}

async function runOpened(running: Running): Promise<Result<Ran, Problem>> {
  const { loaded, options, clock, opened } = running;
  const say = options.say ?? (() => undefined);
  const began = clock.elapsed();
  for (const message of opened.state.warnings) say({ type: 'warning', message });
  const surveyed = await survey(loaded, opened.items, {
    ledger: opened.state.ledger,
    disk: opened.disk,
    clock,
  });
  const { plan, troubles } = surveyed;
  if (troubles.length > 0)
    return err({ reason: 'input', diagnostics: troubles, text: loaded.pipeline.source.text });
  const budget = smaller(options.budget, loaded.pipeline.budget.credits);
  const refusal = refuseUnpriced(plan, budget, loaded);
  if (refusal !== undefined) return err(refusal);
  say({ type: 'planned', plan });
  if (budget !== undefined && plan.credits > budget) {
    const message = `the plan may take ${plan.credits} credits and the budget is ${budget}: the run stops when it is reached`;
    say({ type: 'warning', message });
  }

  const ballast = await takeBallast(running.places.ballast);
  if (!ballast.ok) return err(noRoom(ballast.error));
  let service: Reachable | undefined;
  try {
    service = await openService(running);
    const terms = { service, budget, surveyed, began, ballast: ballast.value };
    const summary = await perform(running, terms);
    say({ type: 'ended', summary });
    const { places, target } = running;
    return ok({
      summary,
      rehearsal: target.kind === 'rehearsal',
      state: shown(places.state),
      output: shown(places.output),
    });
  } finally {
    await ballast.value.remove();
    await service?.close();
  }
}

function noRoom(why: string): Problem {
  const hint = 'make room and run again; nothing was sent';
  return problem(`there is no room to keep a journal: ${why}`, 'shotlist', hint);
}

const diskFull = 'the disk is full: make room and run again; nothing is paid twice';

const smaller = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** Promise 3: with a budget, no price is ever taken as zero. */
function refuseUnpriced(
  plan: Plan,
  budget: number | undefined,
  { pipeline, file }: LoadedPipeline,
): Problem | undefined {
  if (plan.unpriced === 0 || (budget === undefined && pipeline.budget.perItem === undefined))
    return undefined;
  return {
    reason: 'input',
    text: pipeline.source.text,
    diagnostics: plan.rows
      .filter((row) => row.unpriced > 0)
      .map((row) => ({
        severity: 'error' as const,
        file,
        span: pipeline.source.keySpanOf(['steps', row.step]),
        message: `there is a budget, and the price of "${row.step}" (${row.kind}) is not known`,
        hint: `say an upper bound: estimate: <credits>. ${plan.unpricedWhy.find((why) => why.startsWith(row.step)) ?? ''}`.trim(),
      })),
  };
}

interface Reachable {
  readonly address: string;
  readonly key: string;
  /** A rehearsal only: what the local service has charged. */
  ledger?(): readonly LedgerEntry[];
  close(): Promise<void>;
}

/** More than any rehearsal spends. */
const rehearsalCredits = 1_000_000_000;

/** The hosted service, or the local one in this process, with its data beside the rehearsal's state. */
async function openService({ target, places, options, clock }: Running): Promise<Reachable> {
  if (target.kind === 'hosted')
    return { address: target.address, key: target.key, close: async () => undefined };
  // Only a rehearsal pays for loading a web server and an image library.
  const { startService } = await import('../service/start.ts');
  return await startService({
    data: places.service,
    credits: rehearsalCredits,
    passingKey: true,
    speed: options.rehearsalSpeed ?? 'instant',
    now: () => clock.now(),
  });
}

/** What a run was found to need before it began. */
interface Terms {
  readonly service: Reachable;
  readonly budget: number | undefined;
  readonly surveyed: Survey;
  /** By the clock's `elapsed`. */
  readonly began: number;
  readonly ballast: Ballast;
}

async function perform(
  { loaded, options, clock, places, opened, plugs, target }: Running,
  { service, budget, surveyed, began, ballast }: Terms,
): Promise<Summary> {
  const { pipeline, base } = loaded;
  const { ledger } = opened.state;
  const stopper = new AbortController();
  const client = httpClient({
    stop: stopper.signal,
    base: service.address,
    key: service.key,
    clock,
    requestsPerMinute: pipeline.limits.requestsPerMinute,
  });
  const header = { shotlist: 1 as const, pipeline: pipeline.name, service: places.serviceName };
  let full = false;
  const file = new JournalFile(places.state, header, opened.state, () => {
    if (!ballast.give()) return false;
    full = true;
    loop.interrupt(diskFull);
    return true;
  });
  const journal = new Recorder(ledger, plugs.lines?.(file) ?? file, clock);
  const disk = plugs.disk?.(opened.disk) ?? opened.disk;
  const world = {
    api: plugs.api?.(client) ?? client,
    disk,
    clock,
    stop: stopper.signal,
    backoffMs: options.backoffMs ?? 1000,
    haste: options.haste ?? hasteOf(target, options),
  };
  const before = ledger.total;
  if (service.ledger !== undefined) resolveFromLedger(journal, service.ledger);
  const loop = new Loop({
    pipeline,
    base,
    items: inGroups(opened.items, surveyed),
    runner: localRunner({ world, stopper, limits: pipeline.limits.steps }),
    journal,
    look: new Look(disk),
    clock,
    budget,
    payAgain: options.payAgain ?? false,
    say: options.say ?? (() => undefined),
  });
  const interrupt = (): void => loop.interrupt('interrupted');
  if (options.signal?.aborted) interrupt();
  options.signal?.addEventListener('abort', interrupt, { once: true });
  try {
    await loop.run();
    const { stopped } = loop;
    if (!stopped.interrupted) journal.end();
    await file.close();
    await ballast.remove();
    if (journal.wrote || opened.state.warnings.length > 0) {
      const compacted = await file.compact(ledger);
      if (!compacted.ok) options.say?.({ type: 'warning', message: uncompacted(compacted.error) });
    }
    const after = ledger.total;
    return loop.tally.summary(loop.tally.outcome({ ...stopped, full }), {
      items: surveyed.plan.items,
      stopped: full ? diskFull : stopped.why,
      credits: {
        charged: after.charged - before.charged,
        refunded: after.refunded - before.refunded,
        reserved: after.reserved,
      },
      elapsedMs: clock.elapsed() - began,
    });
  } finally {
    options.signal?.removeEventListener('abort', interrupt);
    // After trouble with the journal nothing may go on in the background.
    stopper.abort();
    await file.close();
    await client.close();
  }
}

const uncompacted = (why: string): string =>
  `the state file is whole, and was not made shorter: ${why}; the next run does that`;

/** A rehearsal at once is about a hundred times faster than what it rehearses. */
function hasteOf(target: Target, { rehearsalSpeed = 'instant' }: RunOptions): number {
  if (target.kind === 'hosted' || rehearsalSpeed === 'realtime') return 1;
  return rehearsalSpeed === 'instant' ? 100 : rehearsalSpeed;
}

/** What is complete and may expire is saved before anything new is bought; then what is in the works; then the rest. */
function inGroups(items: ItemList, { owed, underWay }: Survey): readonly Iterable<Item>[] {
  const chosen = (wanted: (key: string) => boolean): Iterable<Item> => ({
    *[Symbol.iterator]() {
      for (const item of items) if (wanted(item.key)) yield item;
    },
  });
  const rest = chosen((key) => !owed.has(key) && !underWay.has(key));
  const next =
    underWay.size === 0
      ? rest
      : joined(
          chosen((key) => underWay.has(key)),
          rest,
        );
  return owed.size === 0 ? [next] : [chosen((key) => owed.has(key)), next];
}

const joined = (first: Iterable<Item>, second: Iterable<Item>): Iterable<Item> => ({
  *[Symbol.iterator]() {
    yield* first;
    yield* second;
  },
});

/** A path as a person would type it from here. */
function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || near === '' ? path : near;
}
