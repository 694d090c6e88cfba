// `--pay-again`: what is paid for once more. A creation that a person names is paid for again even if its result is there. A download
// is saved again, which is free while its project or a copy of its files is there; otherwise its creation is paid for again.
import type { End } from '../../core/ending.ts';
import type { Task } from '../../core/scope.ts';
import { current, type Move } from '../../model/record/job.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { refuse } from '../refuse.ts';
import type { PrepareOptions } from './options.ts';

export class PayAgain {
  readonly #wantsLost: boolean;
  readonly #named: ReadonlySet<string>;
  /** The tasks of these names, as the last plan has them. */
  readonly #found = new Map<string, { readonly task: Task; readonly end: End }>();
  /** Fingerprints of creations that are paid for once more: tasks with the same content begin again together. */
  readonly creations = new Set<string>();
  /** Downloads whose files are saved once more. */
  readonly downloads = new Set<string>();

  readonly #ledger: Ledger;
  /** The run that goes on: what it has paid for again is not paid for a third time. */
  readonly #run: string | undefined;
  /** Tasks of which that is so. */
  readonly paid = new Set<string>();

  constructor(option: PrepareOptions['payAgain'], ledger: Ledger, run: string | undefined) {
    this.#ledger = ledger;
    this.#run = run;
    this.#wantsLost = option === true;
    this.#named = new Set(typeof option === 'object' ? option : []);
  }

  see(task: Task, end: End | undefined): void {
    if (end !== undefined && this.#named.has(task.id)) this.#found.set(task.id, { task, end });
  }

  /** It is wanted, whatever is done already. */
  wants({ id, action }: Task): boolean {
    return this.#named.has(id) || (this.#wantsLost && action === 'lost');
  }

  /** By a plan that has just been made. True if another one is to be made, because something is paid for or saved again. */
  learn(lost: ReadonlyMap<string, string>): boolean {
    const before = this.creations.size + this.downloads.size;
    if (this.#wantsLost) for (const job of lost.values()) this.creations.add(job);
    for (const name of this.#named) this.#ask(name);
    return this.creations.size + this.downloads.size > before;
  }

  #ask(name: string): void {
    const found = this.#found.get(name);
    if (found === undefined)
      return refuse(
        `--pay-again ${name}: the plan has no such task`,
        'write the name of a task, such as swap:IMG_0412.jpg',
      );
    const { task, end } = found;
    const { source = task, action } = task;
    if (action === 'doubt')
      return refuse(`--pay-again ${name}: it is in doubt: settle it first`, 'shotlist resolve');
    if (action === undefined || end.ending === 'excluded')
      return refuse(`--pay-again ${name}: ${end.why}`);
    const { operation } = task.kind;
    if (operation !== 'create' && operation !== 'download')
      return refuse(`--pay-again ${name}: it costs nothing, so nothing was paid for it`);
    if (operation === 'create' && this.#isPaidAgain(task.fingerprint)) this.paid.add(name);
    else if (operation === 'create') this.creations.add(task.fingerprint);
    else if (action === 'lost') this.creations.add(source.fingerprint);
    else this.downloads.add(name);
  }

  #isPaidAgain(job: string): boolean {
    const line = this.#ledger.job(job);
    if (line === undefined || this.#run === undefined || current(line)?.run !== this.#run)
      return false;
    return line.attempts.some(({ forgotten }) => forgotten !== undefined);
  }

  /** What the record is told before the run begins: these files are to be saved again, also after a kill. */
  *moves(): Generator<Move> {
    for (const name of this.downloads) {
      const { source, action } = this.#found.get(name)?.task ?? {};
      if (source === undefined || (action !== 'save' && action !== 'copy')) continue;
      const { fingerprint: job } = source;
      if (this.creations.has(job)) continue;
      const line = this.#ledger.job(job);
      const now = line && current(line);
      for (const { of, task, index, path } of line?.outputs ?? [])
        if (task === name && of === now?.name) yield { is: 'unsaved', job, of, task, index, path };
    }
  }
}
