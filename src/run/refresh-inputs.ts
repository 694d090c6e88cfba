// Before a request uses outputs of other steps, this decides which of the outputs are stale and how to refresh them.
import { unreachable } from '../base/result.ts';
import type { Facts } from '../core/disk-facts.ts';
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import { type JobLine, resultOf } from '../model/line.ts';
import type { PlannedTask } from '../plan/planned-action.ts';
import type { Remembered } from '../plan/remembered.ts';
import { awayUpload, lostInput, payAgainHint, type Renewal, renewalOf } from '../plan/renew.ts';
import type { InFlight } from './in-flight.ts';
import type { ItemRun } from './item-run.ts';
import type { JobOrder } from './jobs/job.ts';
import { attachOrder, headOf, rereadOrder, reuploadOrder } from './orders.ts';

export type Refresh =
  /** The free task is repeated. */
  | { readonly how: 'redo'; readonly owner: ItemRun; readonly step: Step }
  /** This job reads or uploads the output again. */
  | {
      readonly how: 'order';
      readonly owner: ItemRun;
      readonly step: Step;
      readonly fingerprint: Fingerprint;
      readonly order: JobOrder;
    };

export type Refreshes =
  | { readonly are: 'needed'; readonly list: readonly Refresh[] }
  /** A project that would be read is being deleted: after that, its saved files count. */
  | { readonly are: 'unsettled' }
  /** `isLost`: only because a result is not bought again. */
  | { readonly are: 'impossible'; readonly why: string; readonly isLost: boolean };

interface Knowledge {
  readonly jobOf: (fingerprint: string) => JobLine | undefined;
  readonly facts: Facts;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly remembered?: Pick<Remembered, 'copies' | 'deletedElsewhere'> | undefined;
}

interface RefreshContext extends Knowledge {
  readonly inFlight: InFlight;
  /** True if a lost result of the step is paid for again in this run. */
  readonly buysAgain: (step: Step) => boolean;
  /** For an upload whose file another checkout has: the path of the file. */
  readonly awayOf: (owner: ItemRun, step: Step) => string | undefined;
}

/** Outputs that a request cannot contain as they are, and what must be done about them. */
interface Stale {
  readonly owner: ItemRun;
  readonly step: Step;
  readonly fingerprint: Fingerprint;
  readonly job: JobLine;
  readonly renewal: Renewal;
}

/** The outputs of finished tasks that a step uses, and that are not live. */
function staleInputs(
  itemRun: ItemRun,
  step: Step,
  { jobOf, now, facts, remembered }: Knowledge,
): readonly Stale[] {
  return step.uses.flatMap((name) =>
    itemRun.suppliersOf(step, name).flatMap((owner): Stale[] => {
      const given = owner.outputsOf(name);
      const supplier = owner.step(name);
      if (supplier === undefined || given === undefined) return [];
      // A fan-in leaves out what is not done.
      if (step.gathers.includes(name) && owner.phase(name) !== 'done') return [];
      const isRedone = owner.isRedone(name);
      if (!isRedone && given.live !== undefined) return [];
      const { fingerprint } = given;
      const job = jobOf(fingerprint);
      if (job === undefined) throw new Error(`bug: ${name} has given without a job`);
      const { operation } = supplier.kind;
      const renewal = isRedone ? 'redo' : renewalOf(operation, job, now, facts, remembered);
      return [{ owner, step: supplier, fingerprint, job, renewal }];
    }),
  );
}

/** The outputs to refresh before a step's request can be sent. Takes values that the journal has from the journal. */
export function refreshesFor(itemRun: ItemRun, step: Step, context: RefreshContext): Refreshes {
  const { inFlight, facts, remembered, buysAgain, awayOf } = context;
  const list: Refresh[] = [];
  for (const stale of staleInputs(itemRun, step, context)) {
    const { owner, step: supplier, job, fingerprint, renewal } = stale;
    const task = owner.task(supplier);
    const head = headOf(inFlight.key(), task, supplier);
    switch (renewal) {
      case 'recorded':
        owner.setLive(supplier.name, resultOf(job));
        break;
      case 'redo': {
        const isUpload = supplier.kind.operation === 'upload' && !owner.isRedone(supplier.name);
        const away = isUpload ? awayOf(owner, supplier) : undefined;
        if (away !== undefined)
          return { are: 'impossible', why: awayUpload(task, away), isLost: false };
        list.push({ how: 'redo', owner, step: supplier });
        break;
      }
      case 'read': {
        if (inFlight.clashes(supplier, fingerprint)) return { are: 'unsettled' };
        const order =
          supplier.kind.operation === 'detect'
            ? rereadOrder(head, supplier, job, fingerprint)
            : attachOrder(head, supplier, job);
        list.push({ how: 'order', owner, step: supplier, fingerprint, order });
        break;
      }
      case 'upload': {
        const order = reuploadOrder(head, job, facts, remembered);
        if (order === undefined)
          return {
            are: 'impossible',
            why: `the files of ${task} are gone; ${payAgainHint}`,
            isLost: false,
          };
        list.push({ how: 'order', owner, step: supplier, fingerprint, order });
        break;
      }
      case 'lost':
        if (!buysAgain(supplier)) {
          const why = `${lostInput(task, job, facts)}; ${payAgainHint}`;
          return { are: 'impossible', why, isLost: true };
        }
        list.push({ how: 'redo', owner, step: supplier });
        break;
      default:
        return unreachable(renewal);
    }
  }
  return { are: 'needed', list };
}

/** The same for a plan: the free tasks that a run would repeat, and why the request cannot be sent, if so. */
export function renewalsFor(
  itemRun: ItemRun,
  step: Step,
  knowledge: Knowledge & {
    /** Hears of a lost result. True: it must not be bought again in this run. */
    readonly isBarred: (owner: ItemRun, step: Step) => boolean;
  },
): {
  readonly list: readonly PlannedTask[];
  readonly lost?: string;
  readonly isBarred?: boolean;
} {
  const list: PlannedTask[] = [];
  for (const { owner, step: supplier, job, renewal } of staleInputs(itemRun, step, knowledge)) {
    const planned = owner.plannedHere(supplier.name);
    if (planned?.action !== 'reuse') continue;
    if (renewal === 'lost') {
      const isBarred = knowledge.isBarred(owner, supplier);
      return { list, lost: lostInput(planned.task, job, knowledge.facts), isBarred };
    }
    if (renewal !== 'redo') continue;
    if (planned.away !== undefined) return { list, lost: awayUpload(planned.task, planned.away) };
    const what = supplier.kind.operation === 'detect' ? 'face detection' : 'upload';
    list.push({ ...planned, action: 'begin', why: `its ${what} has expired` });
    const behind = renewalsFor(owner, supplier, knowledge);
    list.push(...behind.list);
    if (behind.lost !== undefined) return { ...behind, list };
  }
  return { list };
}

/**
 * Storage has lost an input of a step: the free tasks behind the step's inputs are to be repeated, and the tasks behind
 * theirs.
 */
export function redoSuppliers(itemRun: ItemRun, step: Step): void {
  for (const { owner, step: supplier } of suppliersOf(itemRun, step)) {
    if (owner.isRedone(supplier.name)) continue;
    owner.setLive(supplier.name, undefined);
    owner.redo(supplier.name);
  }
}

/** All free suppliers of a step, and the suppliers of those. */
function suppliersOf(itemRun: ItemRun, step: Step): readonly { owner: ItemRun; step: Step }[] {
  const suppliers = step.uses.flatMap((name) =>
    itemRun.suppliersOf(step, name).map((owner) => ({ name, owner })),
  );
  return suppliers.flatMap(({ name, owner }) => {
    const before = owner.step(name);
    if (before === undefined || owner.phase(name) !== 'done') return [];
    if (before.kind.operation === 'create') {
      owner.setLive(name, undefined);
      return [];
    }
    const free = before.kind.operation === 'upload' || before.kind.operation === 'detect';
    return free ? [{ owner, step: before }, ...suppliersOf(owner, before)] : [];
  });
}
