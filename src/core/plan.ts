// The plan: the walk with a performer that does nothing, whatever the caps allow.
import type { Ledger } from '../model/record/ledger.ts';
import { type Complaints, Findings, type IsYoung, type Refused } from './findings.ts';
import { type Owed, owedOf } from './owed.ts';
import type { Plan } from './plan-table.ts';
import type { Program } from './program.ts';
import type { Bad, Held, Scope } from './scope.ts';
import type { Need } from './spending.ts';
import { DryPerformer, type See, type Setting, Walk, type WalkItem } from './walk.ts';

interface PlanOptions {
  readonly program: Program;
  readonly setting: Omit<Setting, 'shared' | 'window' | 'ledger'> & { readonly ledger: Ledger };
  /** Gone through anew each time. */
  readonly items: Iterable<WalkItem>;
  readonly count: number;
  readonly complaints?: Complaints;
  /** For a tick, which looks only where that is useful. */
  readonly isYoung?: IsYoung | undefined;
  /** A reroll makes and saves its takes, and nothing else. */
  readonly ignoresOwed: boolean;
  /** Hears of the tasks; asked anew for each walk, of which the last counts. */
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
}

export async function makePlan(options: PlanOptions): Promise<Planned> {
  const { program, setting, items, complaints, isYoung } = options;
  const { steps, items: source } = program.pipeline;
  const unsaved = options.ignoresOwed ? [] : [...owedOf(setting.ledger)];
  const walk = async (findings: Findings, admit?: (scope: Scope) => true | Held): Promise<void> => {
    const see = options.see?.();
    const both: See = (task, end) => {
      findings.see(task, end);
      see?.(task, end);
    };
    const asked = { ...setting, shared: new Set<string>(), window: 1 };
    await new Walk(program, asked, new DryPerformer(admit), both).run(looked(items, findings));
  };
  const first = new Findings(steps, { owed: unsaved, complaints, isYoung });
  await walk(first);
  const { bad } = first;
  const all = bad.size === 0 ? first : new Findings(steps, { owed: unsaved, isYoung });
  if (all !== first)
    await walk(all, ({ key }) => {
      const task = bad.get(key);
      return task === undefined ? true : badItem(task);
    });
  const owed = all.owed(setting.isWhole);
  return {
    plan: all.plan(source.kind === 'one' ? 1 : options.count, owed),
    order: all.orderOf(items),
    unsaved: all.unsavedOf(items),
    needs: all.needs,
    begun: all.begun,
    shared: all.shared,
    tiers: all.tiers,
    itemsToDo: all.itemsToDo,
    isAsleep: all.isAsleep,
    doubts: all.doubts,
    lost: all.lost,
    bad,
    owed,
  };
}

/** Nothing is bought for an item of which another task cannot run. */
export const badItem = (bad: Bad): Held => ({
  ending: 'blocked',
  why: `not bought: ${bad.task} cannot run`,
  bad,
});

const looked = (items: Iterable<WalkItem>, findings: Findings): Iterable<WalkItem> => ({
  *[Symbol.iterator]() {
    for (const one of items) {
      findings.complaints?.item(one.item);
      yield one;
    }
  },
});
