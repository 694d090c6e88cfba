// Tells how tasks ended: the summary adds it up, and whoever listens to the run hears it.

import { adviceFor, doubtAdvice } from '../../contract/api/advice.ts';
import { extensionOf } from '../../contract/api/asset.ts';
import type { Step } from '../language/pipeline.ts';
import { endWithExtension } from '../plan/output-names.ts';
import type { Ending } from '../plan/turn.ts';
import type { RunEvent, TaskEnding } from '../report/run-event.ts';
import type { ItemRun } from './item-run.ts';
import type { Misnamed } from './jobs/job.ts';
import type { Journal } from './jobs/ports.ts';
import type { SummaryBuilder } from './summary-builder.ts';

export interface TaskEnd {
  readonly ending: Ending;
  readonly why: string;
  readonly shown: TaskEnding;
  /** Credits charged for it in this run. */
  readonly credits: number;
}

export interface TaskReporterOptions {
  readonly summary: SummaryBuilder;
  readonly journal: Journal;
  readonly onEvent: (event: RunEvent) => void;
}

export class TaskReporter {
  readonly #o: TaskReporterOptions;
  /** Steps and extensions that were warned of. */
  readonly #misnamed = new Set<string>();

  constructor(options: TaskReporterOptions) {
    this.#o = options;
  }

  ended(itemRun: ItemRun, step: Step, { ending, why, shown, credits }: TaskEnd): void {
    const { summary, journal, onEvent } = this.#o;
    const task = itemRun.task(step);
    if (shown !== 'reused' && shown !== 'skipped' && shown !== 'excluded') itemRun.changed = true;
    const before = itemRun.shown.get(step.name);
    itemRun.shown.set(step.name, shown);
    // Made fresh for the sake of another step, and told of already.
    if (before === shown && credits === 0) return;
    const code = ending === 'failed' ? journal.ledger.task(task)?.code : undefined;
    const advice = ending === 'held' ? doubtAdvice : adviceFor(code);
    summary.add(task, { ending: shown, why, advice, before });
    onEvent({
      type: 'task',
      task,
      step: step.name,
      ending: shown,
      credits,
      ...(why === '' ? {} : { why }),
    });
  }

  /** A file whose name says another format than it holds, once for each step and format. */
  misnamed({ name }: Step, { path, holds }: Misnamed): void {
    const key = `${name} ${extensionOf(path)} ${holds}`;
    if (this.#misnamed.has(key)) return;
    this.#misnamed.add(key);
    const message =
      `${path} holds ${holds.toUpperCase()}, whatever its name says, and so may others of step "${name}". ` +
      `For a true name, change to: and ${endWithExtension}`;
    this.#o.onEvent({ type: 'warning', message });
  }
}

export const shownAs = (ending: Ending): TaskEnding => (ending === 'held' ? 'doubt' : ending);
