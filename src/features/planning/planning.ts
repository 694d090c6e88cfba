// Opens everything that a plan needs, and makes the plan: the common part of plan and run. Sends nothing.

import { Cleanup } from '../../base/cleanup.ts';
import type { Redactor } from '../../base/redactor.ts';
import { count } from '../../base/text.ts';
import type { Env } from '../../base/user-folder.ts';
import type { Complaint } from '../../contract/yaml/diagnostic.ts';
import { calendarCaps } from '../../core/calendar-budget.ts';
import { ownerOf } from '../../core/calls.ts';
import type { Action } from '../../core/ending.ts';
import type { Facts, ReceiptsPort } from '../../core/facts.ts';
import type { Complaints, IsYoung } from '../../core/findings.ts';
import { interrupted } from '../../core/journal.ts';
import { unusablePlace } from '../../core/output-claims.ts';
import { makePlan, type Planned } from '../../core/plan.ts';
import { PlanDigest } from '../../core/plan-digest.ts';
import type { Clock, Disk } from '../../core/ports.ts';
import { compileProgram, type Program } from '../../core/program.ts';
import { rerolledPipeline } from '../../core/reroll.ts';
import type { Task } from '../../core/scope.ts';
import type { Caps } from '../../core/spending.ts';
import { pickedTakes, rerolledTakes } from '../../core/takes.ts';
import { DryPerformer, type See, type Setting, Walk, type WalkItem } from '../../core/walk.ts';
import { type Boundary, boundaryOf, checkOutput } from '../../files/boundary.ts';
import { RealDisk } from '../../files/disk.ts';
import { HashCache } from '../../files/hash-cache.ts';
import type { ItemList } from '../../files/items.ts';
import { OutputLinks } from '../../files/output-folders.ts';
import { MadeFiles } from '../../files/saved-files.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { Refusal } from '../../language/load/refusal.ts';
import { storeNameOf } from '../../language/store.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { identityOf, type RequestedRun, type RunIdentity } from '../../model/run-identity.ts';
import { lazyClient } from '../../service-api/lazy-client.ts';
import type { Target, Unasked } from '../../service-api/target.ts';
import type { Receipts } from '../../state/receipts.ts';
import { pathsOf, type RunPaths } from '../../state/run-paths.ts';
import { checkOutputFolder } from '../../state/writable.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import type { RunInternals } from '../internals.ts';
import { awayProblem, type OpenState, openState } from '../open-state.ts';
import { refuseIf } from '../refuse.ts';
import { type PrepareOptions, withRerolled } from './options.ts';
import { PaidElsewhere } from './paid-already.ts';
import { PayAgain } from './pay-again.ts';
import { atTo, baseAt, belowOutput, PlanProblems, reallyAt } from './plan-problems.ts';
import { smaller } from './refusals.ts';
import { listSelected, selectionOf } from './selected-items.ts';

interface PlanningContext {
  readonly access: 'plan' | 'run';
  readonly env: Env;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
  readonly run: RequestedRun;
  readonly internals: RunInternals;
  readonly stop?: AbortSignal | undefined;
  /** Of a run: how far it is, for whoever asks meanwhile. */
  readonly answer?: (() => LiveFacts) | undefined;
  readonly onLook?: ((seen: number, of: number) => void) | undefined;
  readonly isYoung?: ((opened: OpenState) => IsYoung) | undefined;
  /** Asked anew for each walk of the plan, of which the last counts. */
  readonly see?:
    | ((seen: Pick<Planning, 'ledger' | 'opened' | 'disk'>) => Promise<() => See>)
    | undefined;
}

export interface Planning extends AsyncDisposable {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly boundary: Boundary;
  readonly opened: OpenState;
  readonly ledger: Ledger;
  readonly receipts: Receipts;
  readonly port: ReceiptsPort;
  readonly disk: Disk;
  readonly items: ItemList;
  /** Steps that this run excludes. */
  readonly excluded: ReadonlySet<string>;
  readonly run: RunIdentity;
  readonly program: Program;
  readonly payAgain: PayAgain;
  readonly setting: Omit<Setting, 'shared' | 'window' | 'ledger'> & { readonly ledger: Ledger };
  readonly caps: Caps;
  readonly planned: Planned;
  /** What the plan buys and deletes. */
  readonly digest: PlanDigest;
  /** Why a run must not begin. */
  readonly problems: readonly Complaint[];
  /** The receipts know of payments that the state file does not: a run records them. */
  readonly hasNews: boolean;
  /** Plans once more, as files may have changed: what it would buy and delete now. */
  readonly replan: () => Promise<PlanDigest>;
}

export async function openPlanning(
  whole: BoundPipeline,
  target: Target | Unasked,
  options: PrepareOptions,
  context: PlanningContext,
): Promise<Planning> {
  const { access, env, clock, onWarning, internals, redactor, stop } = context;
  const { reroll } = options;
  const bound = reroll === undefined ? whole : whole.with(rerolledPipeline(whole.pipeline, reroll));
  const { pipeline } = bound;
  const { filter, excluded } = selectionOf(pipeline, withRerolled(pipeline, options));
  const given = pathsOf(bound, target, options);
  refuseIf(checkOutput(bound, options));
  await using cleanup = new Cleanup();
  const service = given.serviceName;
  const opened = await openState(bound, given, access, {
    clock,
    onWarning,
    service,
    env,
    internals,
    answer: context.answer,
  });
  cleanup.defer(() => opened[Symbol.asyncDispose]());
  const { paths, state, receipts } = opened;
  if (receipts === undefined) throw new Error('bug: a plan without receipts');
  const { ledger } = state.record;
  // What the file lacks would be planned, and paid, again.
  if (state.away !== undefined) throw new Refusal(awayProblem(paths.state, state.away));
  refuseIf(checkOutputFolder(paths));
  const boundary = boundaryOf(bound, options);
  const hashes = new HashCache(paths.hashes);
  cleanup.defer(() => hashes.close());
  const made = new MadeFiles({
    recorded: () => outputPaths(ledger),
    hashes,
    // A rehearsal writes into a folder of shotlist.
    allowed:
      options.replaceFiles === true ||
      (target.kind === 'rehearsal' && options.output === undefined),
  });
  const { output, kept } = paths;
  const { folder } = bound;
  const store = storeNameOf(pipeline);
  const real = new RealDisk({ folder, output, kept, boundary, hashes, clock, made, store });
  const disk = internals.disk?.(real) ?? real;
  const { limit, ...anyOf } = filter;
  let items = await listSelected(bound, paths, anyOf, { boundary, disk });
  cleanup.defer(() => items[Symbol.dispose]());
  items.warnings.forEach(onWarning);
  const run = identityOf(state.ledger.runs(), context.run);
  const port = receiptsPort(receipts, pipeline.reusesOwnOnly);
  const program = compileProgram(pipeline);
  const facts = factsOf(disk, (path) => made.mayReplace(path), options.requireOutputs);
  const { budget } = pipeline;
  const caps: Caps = {
    run: smaller(options.budget, budget.credits),
    perItem: budget.perItem,
    calendar: calendarCaps(pipeline),
  };
  const payAgain = new PayAgain(options.payAgain);
  const setting = {
    ledger,
    facts,
    receipts: port,
    takes:
      reroll === undefined ? pickedTakes(ledger) : rerolledTakes(ledger, new Set(reroll), receipts),
    base: baseAt(bound, run.due, clock.now()),
    digest: (path: string) => disk.digest({ in: 'input', path }, stop),
    excluded,
    payAgain: payAgain.creations,
    saveAgain: payAgain.downloads,
    unusable: (to: string) => complaints.place(to),
    now: () => clock.now(),
    isWhole: items.count >= items.total,
    signal: stop ?? new AbortController().signal,
  };
  let complaints = await PlanComplaints.of(bound, disk, items);
  if (limit !== undefined && limit < items.count) {
    const keys = await firstUnfinished(limit, program, setting, items, payAgain);
    items[Symbol.dispose]();
    // If all are finished, there is nothing to do for any of them.
    const chosen = keys.size === 0 ? { ...anyOf, limit } : { ...anyOf, keys };
    items = await listSelected(bound, paths, chosen, { boundary, disk });
    setting.isWhole = false;
    complaints = await PlanComplaints.of(bound, disk, items);
  }
  const hear = await context.see?.({ ledger, opened, disk });
  let paid = new PaidElsewhere(receipts);
  let digest = new PlanDigest();
  const hearAll = (): See => {
    paid = new PaidElsewhere(receipts);
    digest = new PlanDigest();
    const { see } = digest;
    const hears = hear?.();
    return (task, end) => {
      see(task, end);
      paid.see(task, end);
      payAgain.see(task, end);
      hears?.(task, end);
    };
  };
  const make = (see: () => See = hearAll) =>
    makePlan({
      ...{ program, setting, caps },
      complaints,
      isYoung: context.isYoung?.(opened),
      tellsCaps: access === 'plan',
      ignoresOwed: reroll !== undefined,
      items: placed(items, context.onLook),
      count: items.count,
      run: () => interrupted(ledger, run.due)?.run,
      now: () => clock.now(),
      see,
    });
  let planned = await make();
  // What other accounts have paid for is none of our business.
  if (paid.hasNews && target.kind === 'hosted') {
    const client = lazyClient({ base: target.address, key: target.key, clock, redactor });
    cleanup.defer(() => client.close());
    const account = await (internals.api?.(client) ?? client).account();
    receipts.ownedBy(ownerOf(account.ok ? account.value : undefined));
    complaints = await PlanComplaints.of(bound, disk, items);
    planned = await make();
  }
  // What needs a task that is paid for again is planned anew.
  while (payAgain.learn(planned.lost)) {
    complaints = await PlanComplaints.of(bound, disk, items);
    planned = await make();
  }
  stop?.throwIfAborted();
  const unjudged = unjudgedText(real.unjudged);
  if (unjudged !== undefined) onWarning(unjudged);
  const problems = complaints.refusals(items.count, planned.bad.size);
  const paidAlready = paid.paidAlready(planned.lost, clock.now());
  if (paidAlready !== undefined) planned = { ...planned, plan: { ...planned.plan, paidAlready } };
  const held = cleanup.move();
  return {
    ...{ bound, paths, boundary, opened, ledger, receipts, port, disk, items, run },
    ...{ excluded, program, setting, caps, payAgain, problems },
    planned,
    digest,
    hasNews: paid.hasNews,
    replan: async () => {
      let again = new PlanDigest();
      await make(() => {
        again = new PlanDigest();
        return again.see;
      });
      return again;
    },
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

/** `--limit`: the first items with something to do. What nobody can do for an item is no reason to do it for no other. */
async function firstUnfinished(
  limit: number,
  program: Program,
  setting: Planning['setting'],
  items: ItemList,
  payAgain: PayAgain,
): Promise<ReadonlySet<string>> {
  const toDo = new Set<string>();
  const bad = new Set<string>();
  const see: See = (task, end) => {
    const { action, problem, scope } = task;
    const { key } = scope.payer;
    if (problem !== undefined) bad.add(key);
    else if (end === undefined) return;
    else if ((action !== undefined && works.has(action)) || payAgain.wants(task)) toDo.add(key);
  };
  const found = (): readonly string[] => [...toDo].filter((key) => key !== '' && !bad.has(key));
  const until = function* (): Generator<WalkItem> {
    for (const one of placed(items)) {
      if (found().length >= limit) return;
      yield one;
    }
  };
  const whole = { ...setting, shared: new Set<string>(), window: 1, isWhole: false };
  await new Walk(program, whole, new DryPerformer(), see).run(until());
  return new Set(found().slice(0, limit));
}

const works: ReadonlySet<Action> = new Set<Action>([
  ...(['supply', 'create', 'follow', 'save', 'copy', 'store', 'remove'] as const),
]);

/** Gone through anew each time. */
export const placed = (
  items: ItemList,
  onLook?: PlanningContext['onLook'],
): Iterable<WalkItem> => ({
  *[Symbol.iterator]() {
    let at = 0;
    for (const item of items) {
      onLook?.(at, items.count);
      yield { item, at: at++ };
    }
  },
});

function* outputPaths(ledger: Ledger): Generator<string> {
  for (const { outputs } of ledger.jobs()) for (const { path } of outputs) yield path;
}

/** `reuse: own`: what others have paid for does not count. */
export function receiptsPort(receipts: Receipts, isOwnOnly: boolean): ReceiptsPort {
  return {
    file: receipts.file,
    get: (job) => {
      const receipt = receipts.get(job);
      return isOwnOnly && receipt?.payer.pipeline !== receipts.by.pipeline ? undefined : receipt;
    },
    claim: (line, attempt) => receipts.claim(line, attempt),
    flush: () => receipts.flush(),
    payerOf: (job, project) => receipts.payerOf(job, project),
  };
}

export function factsOf(disk: Disk, mayReplace: Facts['mayReplace'], mustBeHere = false): Facts {
  return {
    mustBeHere,
    get store() {
      return disk.store;
    },
    input: (path) => disk.input(path),
    output: (path) => disk.output(path),
    kept: (digest, extension) => disk.kept(digest, extension),
    isElsewhere: (output) => !mustBeHere && disk.isElsewhere(output),
    recordedAs: (path) => disk.recordedAs(path),
    copy: ({ path }) => disk.foreign(path),
    mayReplace,
  };
}

/** The service decides about a file that nothing here can judge; undefined if there is none. */
function unjudgedText(files: ReadonlySet<string>): string | undefined {
  const [first, ...others] = files;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? 'is' : `and ${count(others.length, 'other file')} are`;
  return `${first} ${more} in a format that shotlist cannot check: the service may refuse what is paid for`;
}

/** Judges the places of a plan, and collects why tasks cannot run. */
class PlanComplaints implements Complaints {
  readonly #problems: PlanProblems;
  readonly #unusable: (to: string) => string | undefined;

  private constructor(problems: PlanProblems, unusable: (to: string) => string | undefined) {
    this.#problems = problems;
    this.#unusable = unusable;
  }

  static async of(bound: BoundPipeline, disk: Disk, items: ItemList): Promise<PlanComplaints> {
    const { path: output } = disk.fileAt({ in: 'output', path: disk.recordedAs('') });
    const root = await reallyAt(output);
    const below = belowOutput({ root, folder: await reallyAt(bound.folder) });
    const outputs = { platform: process.platform, root, below };
    const links = new OutputLinks(output);
    const problems = new PlanProblems(bound, outputs, items);
    return new PlanComplaints(
      problems,
      (to) => unusablePlace(to, outputs) ?? atTo(to, links.problem(to)),
    );
  }

  item(item: WalkItem['item']): void {
    this.#problems.addItem(item);
  }

  problem({ step, id, scope, problem }: Task): void {
    if (problem === undefined) return;
    this.#problems.addTask({ step, task: id, problem }, scope.payer.item);
  }

  place(to: string): string | undefined {
    return this.#unusable(to);
  }

  writes({ step, id }: Task, to: string): void {
    this.#problems.addOutputs({ step, task: id, to });
  }

  reads({ step, id }: Task, file: string): void {
    this.#problems.addOutputs({ step, task: id, file });
  }

  refusals(items: number, unrunnable: number): readonly Complaint[] {
    return this.#problems.refusals({ items, unrunnable });
  }
}
