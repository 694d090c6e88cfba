// Before a request uses outputs of other steps, this decides which of the outputs are stale and how to refresh them.
import { unreachable } from '../../contract/base/result.ts';
import type { Ledger } from '../journal/ledger.ts';
import { resultOf } from '../journal/line.ts';
import type { Step } from '../language/pipeline.ts';
import type { Facts } from '../plan/facts.ts';
import type { Remembered } from '../plan/remembered.ts';
import { awayUpload, lostInput, payAgainHint, renewalOf } from '../plan/renew.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
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
  | { readonly are: 'impossible'; readonly why: string };

interface RefreshContext {
  readonly ledger: Ledger;
  readonly facts: Facts;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly inFlight: InFlight;
  readonly payAgain: boolean;
  readonly remembered: Pick<Remembered, 'copies' | 'deletedElsewhere'> | undefined;
  /** For an upload whose file another checkout has: the path of the file. */
  readonly awayOf: (owner: ItemRun, step: Step) => string | undefined;
}

/** The outputs to refresh before a step's request can be sent. Takes values that the journal has from the journal. */
export function refreshesFor(itemRun: ItemRun, step: Step, context: RefreshContext): Refreshes {
  const list: Refresh[] = [];
  const suppliers = step.uses.flatMap((name) =>
    itemRun.suppliersOf(step, name).map((owner) => ({ name, owner })),
  );
  for (const { name, owner } of suppliers) {
    const given = owner.given(name);
    const before = owner.step(name);
    if (before === undefined || given === undefined) continue;
    // A fan-in leaves out what is not done.
    if (step.gathers.includes(name) && owner.phase(name) !== 'done') continue;
    if (owner.isRedone(name)) {
      list.push({ how: 'redo', owner, step: before });
      continue;
    }
    if (given.live !== undefined) continue;
    const job = context.ledger.job(given.fingerprint);
    if (job === undefined) throw new Error(`bug: ${name} has given without a job`);
    const { now, facts, remembered } = context;
    const renewal = renewalOf(before.kind.operation, job, now, facts, remembered);
    const head = headOf(context.inFlight.key(), owner.task(before), before);
    const { fingerprint } = given;
    switch (renewal) {
      case 'recorded':
        owner.enliven(name, resultOf(job));
        break;
      case 'redo': {
        const away = before.kind.operation === 'upload' ? context.awayOf(owner, before) : undefined;
        if (away !== undefined)
          return { are: 'impossible', why: awayUpload(owner.task(before), away) };
        list.push({ how: 'redo', owner, step: before });
        break;
      }
      case 'read': {
        const order =
          before.kind.operation === 'detect'
            ? rereadOrder(head, before, job, fingerprint)
            : attachOrder(head, before, job);
        list.push({ how: 'order', owner, step: before, fingerprint, order });
        break;
      }
      case 'upload': {
        const order = reuploadOrder(head, job, facts, remembered);
        if (order === undefined)
          return {
            are: 'impossible',
            why: `the files of ${owner.task(before)} are gone; ${payAgainHint}`,
          };
        list.push({ how: 'order', owner, step: before, fingerprint, order });
        break;
      }
      case 'lost':
        if (context.payAgain) {
          list.push({ how: 'redo', owner, step: before });
          break;
        }
        return {
          are: 'impossible',
          why: `${lostInput(owner.task(before), job, context.facts)}; ${payAgainHint}`,
        };
      default:
        return unreachable(renewal);
    }
  }
  return { are: 'needed', list };
}

/**
 * Storage has lost an input of a step: the free tasks behind the step's inputs are to be repeated, and the tasks behind
 * theirs.
 */
export function redoSuppliers(itemRun: ItemRun, step: Step): void {
  for (const { owner, step: supplier } of suppliersOf(itemRun, step)) {
    if (owner.isRedone(supplier.name)) continue;
    owner.enliven(supplier.name, undefined);
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
      owner.enliven(name, undefined);
      return [];
    }
    const free = before.kind.operation === 'upload' || before.kind.operation === 'detect';
    return free ? [{ owner, step: before }, ...suppliersOf(owner, before)] : [];
  });
}
