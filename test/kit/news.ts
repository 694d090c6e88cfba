// What each line of a state file says that the lines before it did not, in a word and with its task.
import type { Job, Line } from '../../src/model/record/line.ts';

export interface News {
  readonly what: string;
  readonly task: string;
}

const words: Readonly<Record<string, string>> = {
  intended: 'intent',
  complete: 'settled',
  failed: 'settled',
  refused: 'settled',
};

export class LineNews {
  readonly #jobs = new Map<string, Job>();

  /** Empty if the line says nothing new. */
  of(text: string): readonly News[] {
    const line = JSON.parse(text) as Line;
    if ('job' in line) return this.#ofJob(line);
    if ('task' in line) return [{ what: line.ending, task: line.task }];
    if ('run' in line) return [{ what: 'ended' in line ? 'ended' : 'run', task: '' }];
    return [];
  }

  #ofJob(job: Job): readonly News[] {
    const before = this.#jobs.get(job.job);
    this.#jobs.set(job.job, job);
    const [first = ''] = before?.tasks ?? job.tasks;
    const added = job.tasks.filter((task) => before !== undefined && !before.tasks.includes(task));
    const news: News[] = [];
    if (job.supplied?.at !== before?.supplied?.at) news.push({ what: 'supplied', task: first });
    for (const { name, state } of job.attempts) {
      const known = before?.attempts.find((one) => one.name === name);
      if (known?.state === state) continue;
      const task = state === 'deleted' ? (added[0] ?? first) : first;
      news.push({ what: words[state] ?? state, task });
    }
    for (const { task, at } of job.outputs)
      if (before?.outputs.every((one) => one.at !== at || one.task !== task) ?? true)
        news.push({ what: 'output', task });
    if (news.length === 0) for (const task of added) news.push({ what: 'serves', task });
    return news;
  }
}
