// A plan in which everything is there, or is not to be: the run tells of it, and need not walk again.
import { projectOf } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { End } from './ending.ts';
import type { Task } from './scope.ts';
import { type Payer, type Telling, type Told, toldOf } from './telling.ts';

export class Settled {
  /** Undefined: there is something to do. Without tasks and scopes, of which the walk lets go. */
  #ended: { readonly told: Told; readonly end: End }[] | undefined = [];
  #payer: Payer | undefined;

  readonly #ledger: Pick<Ledger, 'task'>;

  constructor(ledger: Pick<Ledger, 'task'>) {
    this.#ledger = ledger;
  }

  readonly see = (task: Task, end?: End): void => {
    if (end === undefined || this.#ended === undefined) return;
    if (!isSettled(task, end) || !this.#isRecorded(task, end)) {
      this.#ended = undefined;
      return;
    }
    const now = task.known.ownNow;
    const project = now && projectOf(now);
    this.#ended.push({ told: { ...toldOf(task, end), payer: this.#payerOf(task), project }, end });
  };

  /** A failure that is over is recorded as such. */
  #isRecorded({ id }: Task, { ending, why }: End): boolean {
    const known = this.#ledger.task(id);
    if (known === undefined || known.ending === 'done') return true;
    return known.ending === ending && known.fault.message === why;
  }

  #payerOf({ scope: { payer } }: Task): Payer {
    const { key, item } = payer;
    if (this.#payer?.key !== key) this.#payer = { key, item, admitted: true };
    return this.#payer;
  }

  get isAll(): boolean {
    return this.#ended !== undefined;
  }

  tellTo(telling: Pick<Telling, 'ended' | 'over'>): void {
    let last: Payer | undefined;
    for (const { told, end } of this.#ended ?? []) {
      if (last !== undefined && last !== told.payer) telling.over(last);
      last = told.payer;
      telling.ended(told, end);
    }
    if (last !== undefined) telling.over(last);
  }
}

function isSettled(task: Task, { ending }: End): boolean {
  const { id, kind, action, isShared, perhaps, known } = task;
  if (perhaps) return false;
  if (ending === 'excluded' || ending === 'skipped') return action === undefined;
  if (ending !== 'done' || (action !== 'reuse' && !isShared)) return false;
  return kind.operation === 'download' || known.own?.tasks.includes(id) === true;
}
