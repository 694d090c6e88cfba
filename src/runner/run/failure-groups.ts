// Groups unsuccessful tasks by step and reason, so that a summary of 10,000 equal failures is one line.

import type { ProblemGroup, TaskEnding } from '../report/run-event.ts';
import { stepOf } from '../task/task.ts';

const mostGroups = 100;
const mostExamples = 3;

interface Group extends ProblemGroup {
  count: number;
  readonly examples: string[];
}

export class FailureGroups {
  readonly #groups = new Map<string, Group>();

  get groups(): readonly ProblemGroup[] {
    return [...this.#groups.values()];
  }

  add(
    task: string,
    ending: TaskEnding,
    why: string,
    more: Pick<ProblemGroup, 'code' | 'advice'> = {},
  ): void {
    const step = stepOf(task);
    const key = JSON.stringify([step, ending, why]);
    const known = this.#groups.get(key);
    if (known !== undefined) {
      known.count += 1;
      if (known.examples.length < mostExamples) known.examples.push(task);
    } else if (this.#groups.size < mostGroups) {
      this.#groups.set(key, { step, ending, why, ...more, count: 1, examples: [task] });
    }
  }
}
