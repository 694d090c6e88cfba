// Opens everything that a plan needs, and makes the plan: the common part of plan and run. Sends nothing.

import { Cleanup } from '../../base/cleanup.ts';
import type { Redactor } from '../../base/redactor.ts';
import { count } from '../../base/text.ts';
import type { Env } from '../../base/user-folder.ts';
import { calendarCaps } from '../../core/calendar-budget.ts';
import { ownerOf } from '../../core/calls.ts';
import type { Action } from '../../core/ending.ts';
import type { IsYoung } from '../../core/findings.ts';
import { makePlan, type Planned } from '../../core/plan.ts';
import { PlanDigest } from '../../core/plan-digest.ts';
import type { Clock } from '../../core/ports.ts';
import { compileProgram, type Program } from '../../core/program.ts';
import { itemsOf, rerolledPipeline } from '../../core/reroll.ts';
import { type Caps, spentBy } from '../../core/spending.ts';
import { pickedTakes, rerolledTakes } from '../../core/takes.ts';
import { DryPerformer, type See, Walk, type WalkItem } from '../../core/walk.ts';
import { checkOutput } from '../../files/boundary.ts';
import type { ItemList } from '../../files/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { interrupted } from '../../model/run-identity.ts';
import { lazyClient } from '../../service-api/lazy-client.ts';
import type { Target, Unasked } from '../../service-api/target.ts';
import { pathsOf } from '../../state/run-paths.ts';
import { checkOutputFolder } from '../../state/writable.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import type { RunInternals } from '../internals.ts';
import { type EngineRecord, type OpenState, openState } from '../open-state.ts';
import { refuseIf } from '../refuse.ts';
import { factsOf, openItemsHere, placed, receiptsPort } from './here.ts';
import type { PrepareOptions } from './options.ts';
import { PaidElsewhere } from './paid-already.ts';
import { PayAgain } from './pay-again.ts';
import { PlanProblems } from './plan-problems.ts';
import { selectionOf } from './selected-items.ts';

interface PlanningContext {
  readonly access: 'plan' | 'run';
  readonly env: Env;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
  /** ISO 8601: the due time of the schedule that a run is for. */
  readonly due?: string | undefined;
  readonly internals: RunInternals;
  readonly engine?: EngineRecord | undefined;
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

export type Planning = Awaited<ReturnType<typeof openPlanning>>;

export async function openPlanning(
  whole: BoundPipeline,
  target: Target | Unasked,
  options: PrepareOptions,
  context: PlanningContext,
) {
  const { access, env, clock, onWarning, internals, redactor, stop } = context;
  const { reroll } = options;
  const bound = reroll === undefined ? whole : whole.with(rerolledPipeline(whole.pipeline, reroll));
  const { pipeline } = bound;
  // A reroll covers only the items of its tasks.
  const rerolled = reroll && { items: { keys: itemsOf(pipeline, reroll) } };
  const { filter, excluded } = selectionOf(pipeline, rerolled ?? options);
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
    engine: context.engine,
    answer: context.answer,
  });
  cleanup.defer(() => opened[Symbol.asyncDispose]());
  const { paths, state, receipts } = opened;
  if (receipts === undefined) throw new Error('bug: a plan without receipts');
  const { ledger } = state.record;
  refuseIf(checkOutputFolder(paths));
  const { limit, ...anyOf } = filter;
  const here = await openItemsHere(bound, options, {
    paths,
    ledger,
    clock,
    filter: anyOf,
    due: context.due,
    // A rehearsal writes into a folder of shotlist.
    replacesAll:
      options.replaceFiles === true ||
      (target.kind === 'rehearsal' && options.output === undefined),
    internals,
  });
  cleanup.defer(() => here[Symbol.dispose]());
  const { boundary, disk, made, run, base } = here;
  here.items.warnings.forEach(onWarning);
  const goesOn = interrupted(ledger.runs(), run.due)?.run;
  const port = receiptsPort(receipts, pipeline.reusesOwnOnly);
  const program = compileProgram(pipeline);
  const facts = factsOf(disk, (path) => made.mayReplace(path), options.requireOutputs);
  const { budget } = pipeline;
  const caps: Caps = {
    run: smaller(options.budget, budget.credits),
    perItem: budget.perItem,
    calendar: calendarCaps(pipeline),
  };
  const payAgain = new PayAgain(options.payAgain, ledger, goesOn);
  const setting = {
    ledger,
    facts,
    receipts: port,
    takes:
      reroll === undefined ? pickedTakes(ledger) : rerolledTakes(ledger, new Set(reroll), receipts),
    base,
    digest: (path: string) => disk.digest({ in: 'input', path }, stop),
    excluded,
    payAgain: payAgain.creations,
    saveAgain: payAgain.downloads,
    unusable: (to: string) => complaints.place(to),
    now: () => clock.now(),
    isWhole: here.items.count >= here.items.total,
    signal: stop ?? new AbortController().signal,
  };
  let complaints = await PlanProblems.of(bound, disk, here.items);
  if (limit !== undefined && limit < here.items.count) {
    const { items } = here;
    const { keys, bad } = await firstUnfinished(limit, program, setting, items, payAgain);
    // If all are finished, there is nothing to do for any of them.
    await here.select(keys.size === 0 ? filter : { ...anyOf, keys });
    setting.isWhole = false;
    for (const { key } of here.items) bad.delete(key);
    if (bad.size > 0)
      onWarning(
        `--limit passes over ${count(bad.size, 'item')} that cannot run: a plan without --limit says why`,
      );
  }
  const { items } = here;
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
  const make = async (see: () => See = hearAll): Promise<Planned> => {
    complaints = await PlanProblems.of(bound, disk, items);
    return await makePlan({
      program,
      setting,
      complaints,
      isYoung: context.isYoung?.(opened),
      ignoresOwed: reroll !== undefined,
      items: placed(items, context.onLook),
      count: items.count,
      see,
    });
  };
  let planned = await make();
  // What other accounts have paid for is none of our business.
  if (paid.hasNews && target.kind === 'hosted') {
    const client = lazyClient({ base: target.address, key: target.key, clock, redactor });
    cleanup.defer(() => client.close());
    const account = await (internals.api?.(client) ?? client).account();
    receipts.ownedBy(ownerOf(account.ok ? account.value : undefined));
    planned = await make();
  }
  // What needs a task that is paid for again is planned anew.
  while (payAgain.learn(planned.lost)) planned = await make();
  for (const task of payAgain.paid)
    onWarning(`--pay-again ${task}: the run that goes on has paid for it again already`);
  stop?.throwIfAborted();
  const unjudged = unjudgedText(here.unjudged);
  if (unjudged !== undefined) onWarning(unjudged);
  const problems = complaints.refusals(items.count, planned.bad.size);
  const paidAlready = paid.paidAlready(planned.lost, clock.now());
  if (paidAlready !== undefined) planned = { ...planned, plan: { ...planned.plan, paidAlready } };
  const held = cleanup.move();
  return {
    bound,
    paths,
    boundary,
    opened,
    ledger,
    receipts,
    port,
    disk,
    items,
    run,
    /** The run that this one would continue. */
    goesOn,
    /** Credits that count against the budget of a run: what that one was charged, and what is set aside. */
    spent: spentBy(ledger, goesOn),
    /** Steps that this run excludes. */
    excluded,
    program,
    setting,
    caps,
    payAgain,
    /** Why a run must not begin. */
    problems,
    planned,
    /** What the plan buys and deletes. */
    digest,
    /** The receipts know of payments that the state file does not: a run records them. */
    hasNews: paid.hasNews,
    /** Plans once more, as files may have changed: what it would buy and delete now. */
    replan: async (): Promise<PlanDigest> => {
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

/** The smaller of two budgets; undefined if there is none. */
export const smaller = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** `--limit`: the first items with something to do. What nobody can do for an item is no reason to do it for no other. */
async function firstUnfinished(
  limit: number,
  program: Program,
  setting: Planning['setting'],
  items: ItemList,
  payAgain: PayAgain,
): Promise<{ readonly keys: ReadonlySet<string>; readonly bad: Set<string> }> {
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
  bad.delete('');
  return { keys: new Set(found().slice(0, limit)), bad };
}

const works: ReadonlySet<Action> = new Set<Action>([
  ...(['supply', 'create', 'follow', 'save', 'copy', 'store', 'remove'] as const),
]);

/** The service decides about a file that nothing here can judge; undefined if there is none. */
function unjudgedText(files: ReadonlySet<string>): string | undefined {
  const [first, ...others] = files;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? 'is' : `and ${count(others.length, 'other file')} are`;
  return `${first} ${more} in a format that shotlist cannot check: the service may refuse what is paid for`;
}
