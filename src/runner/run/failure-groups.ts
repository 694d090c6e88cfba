// Groups unsuccessful tasks by step and reason, so that a summary of 10,000 equal failures is one line.

import { causeOf } from '../report/cause.ts';
import type { ProblemGroup, TaskEnding } from '../report/run-event.ts';
import { stepOf } from '../task/task.ts';

const mostGroups = 100;
const mostExamples = 3;

interface Group extends ProblemGroup {
  why: string;
  count: number;
  readonly examples: string[];
  files?: string[];
}

interface More extends Pick<ProblemGroup, 'code' | 'advice' | 'cure'> {
  /** Local files that the reason names. */
  readonly named?: readonly string[];
}

export class FailureGroups {
  readonly #groups = new Map<string, Group>();

  get groups(): readonly ProblemGroup[] {
    return [...this.#groups.values()];
  }

  /** Those of an earlier run; `of` says which. What is only blocked there was never begun. */
  addEarlier(earlier: FailureGroups, of: string): void {
    for (const group of earlier.groups) {
      if (group.ending === 'blocked' || this.#groups.size >= mostGroups) continue;
      const why = `${of}: ${group.why}`;
      const key = JSON.stringify([group.step, group.ending, why]);
      const { files, ...rest } = group;
      const own = files === undefined ? {} : { files: [...files] };
      this.#groups.set(key, { ...rest, why, examples: [...group.examples], ...own });
    }
  }

  add(task: string, ending: TaskEnding, why: string, { named = [], ...more }: More = {}): void {
    const step = stepOf(task);
    const cause = causeOf(why, named);
    const key = JSON.stringify([step, ending, cause]);
    const known = this.#groups.get(key);
    if (known !== undefined) {
      known.why = cause;
      known.count += 1;
      if (known.examples.length < mostExamples) known.examples.push(task);
      if (known.files !== undefined && known.files.length < mostExamples)
        known.files.push(...named);
    } else if (this.#groups.size < mostGroups) {
      const files = named.length === 0 ? {} : { files: [...named] };
      this.#groups.set(key, { step, ending, why, ...more, count: 1, examples: [task], ...files });
    }
  }
}
