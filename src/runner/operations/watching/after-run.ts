// What a run of a watch leaves: which files wait until they change, and when the rest is tried again.
import type { Step } from '../../language/pipeline.ts';
import type { RunEvent, Summary } from '../../report/run-event.ts';

/** Collects the items that failed, from the events of a run. */
export class FailedItems {
  readonly #downloads: ReadonlySet<string>;
  readonly #failed = new Set<string>();
  readonly #unsaved = new Set<string>();

  constructor(steps: readonly Step[]) {
    const downloads = steps.filter(({ kind }) => kind.operation === 'download');
    this.#downloads = new Set(downloads.map(({ name }) => name));
  }

  hear(event: RunEvent): void {
    if (event.type !== 'task' || event.ending !== 'failed') return;
    const { item } = event;
    if (item === undefined) return;
    (this.#downloads.has(event.step) ? this.#unsaved : this.#failed).add(item);
  }

  /**
   * Items that wait until their file changes. An item with a paid result that could not be saved is not among them: to
   * save it is free, and the result may expire.
   */
  get waiting(): ReadonlySet<string> {
    return new Set([...this.#failed].filter((item) => !this.#unsaved.has(item)));
  }

  get all(): ReadonlySet<string> {
    return new Set([...this.#failed, ...this.#unsaved]);
  }

  get hasUnsaved(): boolean {
    return this.#unsaved.size > 0;
  }
}

/**
 * What to do about the rest of a run. `again`: try after a pause. `at`: at this moment, epoch milliseconds. `changes`:
 * when files change. `never`: when a person has acted.
 */
export type Rest =
  | { readonly next: 'again' | 'changes' }
  | { readonly next: 'at'; readonly at: number }
  | { readonly next: 'never'; readonly why: string };

export function restOf(summary: Summary, hasUnsaved: boolean): Rest {
  const { stoppedBy, resumesAt, stopped = '', tasks } = summary;
  switch (stoppedBy) {
    case 'outage':
    case 'machine':
    case 'credits':
      return { next: 'again' };
    case 'budget':
      // Another run at once would make the budget of a run meaningless.
      return resumesAt === undefined
        ? { next: 'changes' }
        : { next: 'at', at: Date.parse(resumesAt) };
    case 'failures':
    // Each try may leave another creation in doubt.
    case 'unanswered':
      return { next: 'never', why: stopped };
    default:
      return { next: tasks.pending > 0 || hasUnsaved ? 'again' : 'changes' };
  }
}

const first = 60_000;
const longest = 15 * 60_000;

/** The pause before the rest is tried again, in milliseconds. `times`: how often it was tried without success. */
export const pauseBefore = (times: number): number => Math.min(longest, first * 2 ** times);
