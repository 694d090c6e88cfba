// `run`: makes it so. Everything that can be refused is refused before the first request.
import { relative } from 'node:path';
import { Redactor } from '../../contract/base/redactor.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { isSystemTrouble, systemReason } from '../../contract/files/system-error.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { realClock } from '../adapters/clock.ts';
import { type ClientOptions, httpClient } from '../adapters/http/http-client.ts';
import { takeLock } from '../adapters/lock/lock.ts';
import { type Ballast, takeBallast } from '../adapters/state/ballast.ts';
import { JournalFile } from '../adapters/state/journal-file.ts';
import type { RunEvent, Summary } from '../report/run-event.ts';
import { FileFacts } from '../run/file-facts.ts';
import { Outages } from '../run/jobs/outages.ts';
import type { Clock, Disk, MediaApi } from '../run/jobs/ports.ts';
import type { WebhookInbox } from '../run/jobs/webhook-inbox.ts';
import { type LineFile, Recorder } from '../run/recorder.ts';
import { boundaryOf, checkOutput, type OutsideOptions } from './files/boundary.ts';
import { claimOwnFolder } from './files/own-folder.ts';
import { type PathOptions, pathsOf, type RunPaths } from './files/run-paths.ts';
import { excludedSteps, type SelectionOptions, selectionOf } from './items/item-selection.ts';
import { type PlannedItems, planItems } from './items/plan-items.ts';
import { checkWritable, type Opened, openWorkspace } from './open.ts';
import type { LoadedPipeline } from './pipeline/load.ts';
import { type Problem, problem, uncompacted } from './pipeline/problem.ts';
import {
  balanceOf,
  refuseBeyondPlan,
  refuseUnpriced,
  smaller,
  statedPrices,
} from './price-checks.ts';
import { GracePeriod } from './run/grace-period.ts';
import { runPhases } from './run/phases.ts';
import { checkService, type ServiceCheck } from './service/check-service.ts';
import {
  type Connection,
  connectService,
  rehearsalTier,
  type Speed,
  speedFactorOf,
} from './service/connect-service.ts';
import type { Pictures } from './service/local-service.ts';
import { resolveFromLedger } from './service/rehearsal-doubts.ts';
import { secretsIn } from './service/secrets.ts';
import { chooseTarget, type Target, type TargetOptions } from './service/target.ts';
import {
  openInbox,
  type WebhookConfig,
  type WebhookOptions,
  webhookConfigOf,
} from './service/webhooks.ts';

export interface RunOptions
  extends TargetOptions,
    PathOptions,
    OutsideOptions,
    WebhookOptions,
    SelectionOptions {
  /** `--budget`: credits; the smaller of it and the pipeline's counts. */
  readonly budget?: number | undefined;
  /** `--run-id`: the budget counts over all runs with this id. */
  readonly runId?: string | undefined;
  /** A result that is gone, here and at the service, may be paid again. */
  readonly payAgain?: boolean | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Hears everything that happens. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Aborted: nothing new starts, running requests end, the state can be resumed. */
  readonly signal?: AbortSignal;
  /**
   * How long requests that are running may take after `signal` was aborted, in milliseconds. Default 30,000. Then they are
   * cut; a creation among them is in doubt.
   */
  readonly graceMs?: number;
  /** The first pause before a request is sent again, in milliseconds. Default 1000. */
  readonly backoffMs?: number;
  /** How many times faster than the hosted service the service is: polling follows it. Default 1. */
  readonly speedFactor?: number;
  /** How fast the local service of a rehearsal renders. Default: at once. */
  readonly rehearsalSpeed?: Speed;
  /** What the local service of a rehearsal renders. Default: real previews. */
  readonly rehearsalPictures?: Pictures;
}

export interface Ran {
  readonly summary: Summary;
  readonly rehearsal: boolean;
  /** The state file and the output folder, relative to the working folder where they are below it. */
  readonly state: string;
  readonly output: string;
}

/** Where a test can put a plug of its own between the run and the world. */
export interface RunInternals {
  /** What the journal's lines go through on their way to the state file. */
  readonly lines?: (file: LineFile) => LineFile;
  readonly api?: (api: MediaApi) => MediaApi;
  readonly disk?: (disk: Disk) => Disk;
  /** Limits of the client, and its network. */
  readonly client?: Partial<ClientOptions>;
}

export async function run(
  loaded: LoadedPipeline,
  given: RunOptions = {},
  internals: RunInternals = {},
): Promise<Result<Ran, Problem>> {
  const clock = given.clock ?? realClock;
  const env = given.env ?? process.env;
  const target = chooseTarget(given, loaded, env);
  if (!target.ok) return target;
  if (target.value.kind === 'hosted')
    given.onEvent?.({ type: 'service', address: target.value.address });
  const webhooks = webhookConfigOf(given, target.value, env);
  if (!webhooks.ok) return webhooks;
  const redactor = new Redactor([...secretsIn(env), webhooks.value?.secret]);
  const onEvent = (event: RunEvent): void => given.onEvent?.(redactor.value(event));
  const options = { ...given, onEvent };
  const chosen = selectionOf(loaded.pipeline, options);
  if (!chosen.ok) return chosen;
  const boundary = boundaryOf(loaded, options);
  const choice = { ...chosen.value, retryFailed: options.retryFailed ?? false, boundary };
  const misplaced = checkOutput(loaded, options);
  if (misplaced !== undefined) return err(misplaced);
  const paths = pathsOf(loaded, target.value, options);
  const refused = await claimOwnFolder(paths);
  if (refused !== undefined) return err(refused);
  const unwritable = await checkWritable(paths);
  if (unwritable !== undefined) return err(unwritable);
  const lock = await takeLock(paths.lock, clock.now());
  if (!lock.ok) return err({ ...problem(lock.error), reason: 'locked' });
  if (lock.value.warning !== undefined) onEvent({ type: 'warning', message: lock.value.warning });
  try {
    const opened = await openWorkspace(loaded, paths, choice, clock);
    if (!opened.ok) return opened;
    try {
      return await runOpened({
        internals,
        loaded,
        options,
        redactor,
        clock,
        paths,
        target: target.value,
        webhooks: webhooks.value,
        opened: opened.value,
        leftOut: excludedSteps(loaded.pipeline, choice, opened.value.items),
      });
    } catch (error) {
      if (!isSystemTrouble(error)) throw error;
      return err(cannotGoOn(error, paths));
    } finally {
      opened.value.close();
    }
  } finally {
    await lock.value.release();
  }
}

/** The journal could not be written: nothing new was sent after that, and what was is in it. */
function cannotGoOn(error: unknown, { state }: RunPaths): Problem {
  const hint =
    'everything recorded before is safe; fix this, then run again: nothing is paid twice';
  return {
    ...problem(`${state} ${systemReason(error)}`, 'the run stopped', hint),
    reason: 'system',
  };
}

interface Running {
  readonly internals: RunInternals;
  readonly loaded: LoadedPipeline;
  readonly options: RunOptions & Required<Pick<RunOptions, 'onEvent'>>;
  /** Hides the run's secrets in what is heard and in what is written. */
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly paths: RunPaths;
  readonly target: Target;
  readonly webhooks: WebhookConfig | undefined;
  readonly opened: Opened;
  /** Steps that this run leaves out. */
  readonly leftOut: ReadonlySet<string>;
}

async function runOpened(running: Running): Promise<Result<Ran, Problem>> {
  const { loaded, options, redactor, clock, opened } = running;
  const { onEvent } = options;
  const began = clock.elapsed();
  for (const message of opened.state.warnings) onEvent({ type: 'warning', message });
  const plannedItems = await planItems(loaded, opened.items, {
    ledger: opened.state.ledger,
    disk: opened.disk,
    clock,
    leftOut: running.leftOut,
  });
  const { plan, troubles } = plannedItems;
  if (troubles.length > 0)
    return err({ reason: 'input', diagnostics: troubles, text: loaded.pipeline.source.text });
  const budget = smaller(options.budget, loaded.pipeline.budget.credits);
  const rehearsal = running.target.kind === 'rehearsal';
  const diagnostics = [
    ...refuseUnpriced(plan, { budget, rehearsal }, loaded),
    ...refuseBeyondPlan(plannedItems.findings, rehearsal ? rehearsalTier : undefined, loaded),
  ];
  if (diagnostics.length > 0)
    return err({ reason: 'input', diagnostics, text: loaded.pipeline.source.text });
  onEvent({ type: 'planned', plan });
  for (const message of plannedItems.warnings) onEvent({ type: 'warning', message });
  if (budget !== undefined && plan.credits > budget) {
    const message = `the plan may take ${plan.credits} credits and the budget is ${budget}: the run stops when it is reached`;
    onEvent({ type: 'warning', message });
  }

  const heard = await openInbox(running.webhooks, opened.state.ledger, {
    ...{ redactor, clock, onEvent },
  });
  if (!heard.ok) return heard;
  const ballast = await takeBallast(running.paths.ballast);
  if (!ballast.ok) {
    await heard.value.close();
    return err(noRoom(ballast.error));
  }
  let service: Connection | undefined;
  try {
    const { rehearsalSpeed: speed = 'instant', rehearsalPictures: pictures = 'real' } = options;
    const { target, paths, clock } = running;
    const { signal } = options;
    const checked = await checkService(target, plan, { redactor, now: clock.now(), signal });
    if (!checked.ok) return checked;
    const beyond = heedAccount(checked.value, plannedItems, loaded, onEvent);
    if (beyond.length > 0)
      return err({ reason: 'input', diagnostics: beyond, text: loaded.pipeline.source.text });
    const stated = statedPrices(loaded);
    const reached = await connectService({
      ...{ target, data: paths.serviceData, clock, speed, pictures, stated },
    });
    if (!reached.ok) return reached;
    service = reached.value;
    const kinds = new Set([...loaded.pipeline.steps].map((step) => step.kind.name));
    for (const message of service.lacks?.(kinds) ?? []) onEvent({ type: 'warning', message });
    const { inbox } = heard.value;
    const terms = { service, inbox, budget, plannedItems, began, ballast: ballast.value };
    const summary = await perform(running, terms);
    onEvent({ type: 'ended', summary });
    return ok({
      summary,
      rehearsal: target.kind === 'rehearsal',
      state: shown(paths.state),
      output: shown(paths.output),
    });
  } finally {
    await heard.value.close();
    await ballast.value.remove();
    await service?.close();
  }
}

function noRoom(why: string): Problem {
  const hint = 'nothing was sent; make room or check the disk, then run again';
  return problem(`no room could be reserved for the journal: ${why}`, 'shotlist', hint);
}

/** Says what the account has, and answers what its plan refuses. */
function heedAccount(
  { account }: ServiceCheck,
  { plan, findings }: PlannedItems,
  loaded: LoadedPipeline,
  onEvent: (event: RunEvent) => void,
): readonly Diagnostic[] {
  if (account === undefined) return [];
  const { credits: balance, tier, warning } = balanceOf(plan, account);
  if (balance !== undefined)
    onEvent({ type: 'account', balance, ...(tier === undefined ? {} : { tier }) });
  if (warning !== undefined) onEvent({ type: 'warning', message: warning });
  return refuseBeyondPlan(findings, tier, loaded);
}

/** What a run was found to need before it began. */
interface Terms {
  readonly service: Connection;
  readonly inbox: WebhookInbox | undefined;
  readonly budget: number | undefined;
  readonly plannedItems: PlannedItems;
  /** By the clock's `elapsed`. */
  readonly began: number;
  readonly ballast: Ballast;
}

async function perform(
  { loaded, options, redactor, clock, paths, opened, internals, target, leftOut }: Running,
  { service, inbox, budget, plannedItems, began, ballast }: Terms,
): Promise<Summary> {
  const { pipeline, base } = loaded;
  const { ledger } = opened.state;
  const { onEvent } = options;
  const stopper = new AbortController();
  const gracePeriod = new GracePeriod(clock, options.graceMs);
  if (options.signal !== undefined) gracePeriod.beginAfter(options.signal);
  const client = httpClient({
    stop: stopper.signal,
    cut: gracePeriod.expired,
    loopbackOnly: target.kind === 'rehearsal',
    base: service.address,
    key: service.key,
    redactor,
    clock,
    requestsPerMinute: pipeline.limits.requestsPerMinute,
    ...internals.client,
  });
  const header = { shotlist: 1 as const, pipeline: pipeline.name, service: paths.serviceName };
  const low = new AbortController();
  const file = new JournalFile(paths.state, header, opened.state, () => {
    if (!ballast.give()) return false;
    low.abort();
    return true;
  });
  const terms = { run: { id: options.runId }, redactor };
  const journal = new Recorder(ledger, internals.lines?.(file) ?? file, clock, terms);
  const disk = internals.disk?.(opened.disk) ?? opened.disk;
  const backoffMs = options.backoffMs ?? 1000;
  const outages = new Outages({
    ...{ clock, backoffMs, onEvent, stop: stopper.signal },
    api: internals.api?.(client) ?? client,
    address: service.address,
    limitMs: pipeline.limits.outageMs,
  });
  const context = {
    ...{ api: outages.api, outages, disk, clock, backoffMs },
    speedFactor: options.speedFactor ?? speedFactorOf(target, options.rehearsalSpeed ?? 'instant'),
    inbox,
  };
  const before = ledger.total;
  if (service.ledger !== undefined) resolveFromLedger(journal, service.ledger);
  try {
    const { tally, stopped } = await runPhases({
      pipeline,
      base,
      list: opened.items,
      plannedItems,
      context,
      stopper,
      leftOut,
      signal: options.signal,
      low: low.signal,
      journal,
      fileFacts: new FileFacts(disk),
      clock,
      budget,
      payAgain: options.payAgain ?? false,
      listening: inbox !== undefined,
      onEvent,
    });
    if (!stopped.interrupted && !stopped.machine && !stopped.outage) journal.end();
    await file.close();
    await ballast.remove();
    if (journal.wrote || opened.state.warnings.length > 0) {
      const compacted = await file.compact(ledger);
      if (!compacted.ok) onEvent({ type: 'warning', message: uncompacted(compacted.error) });
    }
    const after = ledger.total;
    return tally.summary(tally.outcome(stopped), {
      items: plannedItems.plan.items,
      stopped: stopped.why,
      credits: {
        charged: after.charged - before.charged,
        refunded: after.refunded - before.refunded,
        reserved: after.reserved,
      },
      elapsedMs: clock.elapsed() - began,
    });
  } catch (error) {
    for (const made of journal.unwritten) onEvent({ type: 'warning', message: unrecorded(made) });
    throw error;
  } finally {
    // After trouble with the journal nothing may go on in the background.
    stopper.abort();
    await file.close();
    gracePeriod.beginAfter(stopper.signal);
    await client.close();
    gracePeriod.cancel();
  }
}

/** The last line of defence: the disk would not have it, so a person must. */
const unrecorded = ({ name, project }: { name: string; project: string }): string =>
  `the service made project ${project} for ${JSON.stringify(name)}, and that may not be on disk: ` +
  `if it is in doubt afterwards, shotlist resolve <file> ${JSON.stringify(name)} --project ${project}`;

/** A path as a person would type it from here. */
function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || near === '' ? path : near;
}
