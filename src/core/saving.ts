// The first walk of a run, over what is paid and not saved: nothing is bought, sent up or deleted in it, and nothing is waited for.
// So what may expire is at home before anything new is paid, however many items that are.
import { type End, earlyActions } from './ending.ts';
import type { ActingPerformer } from './perform.ts';
import type { Task } from './scope.ts';
import type { Performer } from './walk.ts';

const later: End = { ending: 'later', why: 'what is paid comes first' };

export class SavingPerformer implements Performer {
  readonly isDry = false;
  readonly #acting: Pick<ActingPerformer, 'early'>;

  constructor(acting: Pick<ActingPerformer, 'early'>) {
    this.#acting = acting;
  }

  admit(): true {
    return true;
  }

  act(task: Task): Promise<End> {
    const isEarly = task.action !== undefined && earlyActions.has(task.action);
    return isEarly ? this.#acting.early(task) : Promise.resolve(later);
  }
}
