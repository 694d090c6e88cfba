// The plan: the walk with a performer that does nothing. Under a cap it goes once more, as the run would under that cap.
import type { Ledger } from '../model/record/ledger.ts';
import { type Complaints, Findings, type IsYoung, type Refused } from './findings.ts';
import { type Owed, owedOf } from './owed.ts';
import type { Plan } from './plan-table.ts';
import type { Program } from './program.ts';
import type { Bad, Held, Scope, Task } from './scope.ts';
import { type Caps, type Need, Spending } from './spending.ts';
import { DryPerformer, type See, type Setting, Walk, type WalkItem } from './walk.ts';

interface PlanOptions {
  readonly program: Program;
  readonly setting: Omit<Setting, 'shared' | 'window' | 'ledger'> & { readonly ledger: Ledger };
  /** Gone through anew each time. */
  readonly items: Iterable<WalkItem>;
  readonly count: number;
  readonly caps: Caps;
  /** Whose charges count against the cap of the run; undefined: it has not begun. */
  readonly run: () => string | undefined;
  readonly now: () => number;
  readonly complaints?: Complaints;
  /** For a tick, which looks only where that is useful. */
  readonly isYoung?: IsYoung | undefined;
  /** A reroll makes and saves its takes, and nothing else. */
  readonly ignoresOwed: boolean;
  /** Says which items the caps buy something for. */
  readonly tellsCaps: boolean;
  /** Hears of the tasks of the plan without caps; asked anew for each walk, of which the last counts. */
  readonly see?: (() => See) | undefined;
}

export interface Planned {
  /** Of everything, whatever the caps allow. */
  readonly plan: Plan;
  readonly tiers: Refused;
  /** Begun ones first. */
  readonly order: Iterable<WalkItem>;
  readonly needs: ReadonlyMap<string, readonly Need[]>;
  readonly begun: ReadonlySet<string>;
  readonly shared: ReadonlySet<string>;
  /** Items with a task that cannot run, and that task: nothing is bought for them. */
  readonly bad: ReadonlyMap<string, Bad>;
  /** Items with paid results that are not saved, the oldest first; undefined if there is nothing to save. */
  readonly unsaved: readonly WalkItem[] | undefined;
  /** Paid results of other days and items, which come first. */
  readonly owed: readonly Owed[];
  readonly itemsToDo: number;
  /** A tick has nothing to do. */
  readonly isAsleep: boolean;
  /** Requests in doubt. */
  readonly doubts: ReadonlySet<string>;
  /** The fingerprints of creations of which nothing is left, by task: whoever wants them pays again. */
  readonly lost: ReadonlyMap<string, string>;
  /** Under a cap: the items that it buys something for, and those that no run can finish. */
  readonly admitted: ReadonlySet<string> | undefined;
  readonly held: ReadonlyMap<string, Held>;
}

export async function makePlan(options: PlanOptions): Promise<Planned> {
  const { program, setting, items, caps, run, now } = options;
  const { ledger } = setting;
  const walk = async (
    order: Iterable<WalkItem>,
    shared: ReadonlySet<string>,
    findings: Findings,
    admit?: (scope: Scope) => Promise<true | Held> | true | Held,
    see?: See,
  ): Promise<void> => {
    const both = (task: Task, end?: Parameters<See>[1]): void => {
      findings.see(task, end);
      see?.(task, end);
    };
    const dry = new DryPerformer(admit);
    await new Walk(program, { ...setting, shared, window: 1 }, dry, both).run(order);
  };
  const { steps } = program.pipeline;
  const unsaved = options.ignoresOwed ? [] : [...owedOf(ledger)];
  const { complaints, isYoung } = options;
  const first = new Findings(steps, { owed: unsaved, complaints, isYoung });
  await walk(looked(items, complaints), new Set(), first, undefined, options.see?.());
  const { bad } = first;
  const all = bad.size === 0 ? first : new Findings(steps, { owed: unsaved, isYoung });
  const unlessBad = ({ key }: Scope): true | Held => {
    const task = bad.get(key);
    return task === undefined ? true : badItem(task);
  };
  if (all !== first) await walk(items, new Set(), all, unlessBad, options.see?.());
  const order = all.orderOf(items);
  const { needs, begun, shared } = all;
  const owed = all.owed(setting.isWhole);
  const held = new Map<string, Held>();
  const admitted = new Set<string>();
  const spending = new Spending({ ledger, run, caps, needs, begun, now, isPlan: true });
  // A run asks for itself.
  if (options.tellsCaps && spending.isCapped)
    await walk(order, shared, new Findings(steps, {}), async (scope) => {
      const { key } = scope;
      const own = unlessBad(scope);
      const may = own === true ? await spending.admit(key) : own;
      if (may !== true) held.set(key, may);
      else if (key !== '' && needs.get(key)?.some(({ credits }) => credits > 0)) admitted.add(key);
      return may;
    });
  return {
    plan: all.plan(program.pipeline.items.kind === 'one' ? 1 : options.count, owed),
    tiers: all.tiers,
    ...{ order, needs, begun, shared, bad, held, owed },
    unsaved: all.unsavedOf(items),
    itemsToDo: all.itemsToDo,
    isAsleep: all.isAsleep,
    doubts: all.doubts,
    lost: all.lost,
    admitted: spending.isCapped ? admitted : undefined,
  };
}

/** Nothing is bought for an item of which another task cannot run. */
export const badItem = (bad: Bad): Held => ({
  ending: 'blocked',
  why: `not bought: ${bad.task} cannot run`,
  bad,
});

const looked = (
  items: Iterable<WalkItem>,
  complaints: Complaints | undefined,
): Iterable<WalkItem> => ({
  *[Symbol.iterator]() {
    for (const one of items) {
      complaints?.item(one.item);
      yield one;
    }
  },
});
