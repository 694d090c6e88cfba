// The tasks of a walk that need attention: the first of them, and all of them grouped by step and reason, so that a summary of
// 10,000 equal failures is one line.
import type { ProblemGroup, RunEvent, Summary, TaskDetail } from './run-event.ts';

const mostProblems = 100;
const mostGroups = 100;
const mostExamples = 3;

interface Group extends ProblemGroup {
  why: string;
  count: number;
  readonly examples: string[];
  files?: string[];
}

export class Problems {
  readonly list: Summary['problems'][number][] = [];
  readonly #groups = new Map<string, Group>();

  get groups(): readonly ProblemGroup[] {
    return [...this.#groups.values()];
  }

  add(
    { step, task, ending, why = '', code }: Extract<RunEvent, { type: 'task' }>,
    { advice, cure, named = [] }: TaskDetail,
  ): void {
    if (this.list.length < mostProblems) this.list.push({ task, ending, why, code, advice });
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
      const more = { code, advice, cure, count: 1, examples: [task], ...files };
      this.#groups.set(key, { step, ending, why, ...more });
    }
  }

  /** Those of an earlier run; `of` says which. What is only blocked there was never begun. */
  addEarlier(earlier: Problems, of: string): void {
    const room = mostProblems - this.list.length;
    for (const problem of earlier.list.filter(({ ending }) => ending !== 'blocked').slice(0, room))
      this.list.push({ ...problem, why: `${of}: ${problem.why}` });
    for (const group of earlier.#groups.values()) {
      if (group.ending === 'blocked' || this.#groups.size >= mostGroups) continue;
      const why = `${of}: ${group.why}`;
      this.#groups.set(JSON.stringify([group.step, group.ending, why]), { ...group, why });
    }
  }
}

/** The sentence without the names of the task's own files, so that equal causes are equal texts. */
function causeOf(why: string, named: readonly string[]): string {
  const longestFirst = named.filter((name) => name !== '').sort((a, b) => b.length - a.length);
  return longestFirst.reduce((text, name) => text.replaceAll(name, 'its file'), why);
}
