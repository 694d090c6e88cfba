// Builds the data of a report: takes the plan of each item, once, and the state file at the end.

import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ShellWord } from '../../base/shell.ts';
import { extensionOf, mediaTypeOf } from '../../contract/api/asset.ts';
import { adviceFor } from '../../contract/api/failure.ts';
import { numberOf, takesOf } from '../../core/takes.ts';
import type { Pipeline, Step } from '../../language/pipeline.ts';
import { stagesOf } from '../../language/stages.ts';
import { standingTask } from '../../model/failures.ts';
import { chargedAt, timesOf } from '../../model/job-times.ts';
import { type JobView, viewIn, viewOf, viewsOf } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Output } from '../../model/record/line.ts';
import { chargedHere, jobFacts, worthOf } from '../../model/state.ts';
import { stepOf } from '../../model/task.ts';
import type {
  FailureGroup,
  Parameter,
  ReportData,
  ReportDoubt,
  ReportFile,
  ReportItem,
  ReportStep,
  ReportTask,
  Spending,
  TaskState,
} from './report-data.ts';
import {
  itemState,
  type ReportedTask,
  type TaskVerdict,
  verdictAfter,
  verdictOf,
} from './task-state.ts';

/** What is known of a file that is uploaded. */
interface InputFact {
  readonly bytes: number;
  readonly sha256?: string | undefined;
}

interface ReportSources {
  /** A command line about the pipeline, to copy. */
  readonly line: (command: string, names: readonly string[], more?: readonly ShellWord[]) => string;
  readonly pipeline: Pipeline;
  readonly ledger: Ledger;
  readonly running: boolean;
  /** False: nothing of the inputs is in the report but the items' names. */
  readonly inputs: boolean;
  readonly inputFact: (path: string) => InputFact | undefined;
  /** Where the page finds a saved file; undefined if it cannot. */
  readonly hrefOf: (path: string) => string | undefined;
  readonly pictures: PictureNumbers;
}

interface Tasks {
  /** Undefined for the shared tasks. */
  readonly key: string | undefined;
  readonly tasks: readonly ReportedTask[];
}

export class ReportBuilder {
  readonly #sources: ReportSources;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #items: ReportItem[] = [];
  #shared: ReportItem = { key: '', state: 'done', credits: 0, tasks: [], inputs: [], outputs: [] };
  readonly #counts: Partial<Record<TaskState, number>>[];
  readonly #failures: Failed[] = [];
  readonly #doubts: ReportDoubt[] = [];
  /** Jobs whose credits a task of the report shows. */
  readonly #paid = new Set<string>();
  /** The states of the shared tasks, by step. */
  readonly #sharedStates = new Map<string, TaskState>();

  constructor(sources: ReportSources) {
    this.#sources = sources;
    const { steps } = sources.pipeline;
    this.#numbers = new Map(steps.map(({ name }, index) => [name, index]));
    this.#counts = steps.map(() => ({}));
  }

  /** Call once for each item, in their order, and for the shared tasks, in one or two parts. */
  add(item: Tasks): ReportItem {
    const number = item.key === undefined ? -1 : this.#items.length;
    const added = this.#itemOf(item, number);
    if (item.key === undefined) this.#shared = joined(this.#shared, added);
    else this.#items.push(added);
    return added;
  }

  /** Instead of `add`: an item of an earlier report, which is settled and stays as it was. */
  keep(item: ReportItem): void {
    this.#items.push(item);
    for (const { step, state, fingerprint } of item.tasks) {
      const counts = this.#counts[step];
      if (counts !== undefined) counts[state] = (counts[state] ?? 0) + 1;
      if (fingerprint !== undefined) this.#paid.add(fingerprint);
    }
  }

  #itemOf({ key = '', tasks }: Tasks, number: number): ReportItem {
    /** By step. */
    const states = key === '' ? this.#sharedStates : new Map<string, TaskState>();
    const reported = tasks.map((planned) => this.#taskOf(planned, states, { key, number }));
    const makes = reported.filter((_, index) => {
      const operation = tasks[index]?.step.kind.operation;
      return operation === 'create' || operation === 'download';
    });
    const statesOf = (of: readonly ReportTask[]): readonly TaskState[] =>
      of.map(({ state }) => state);
    return {
      key: mailable(key),
      state: itemState(statesOf(reported), statesOf(makes)),
      credits: reported.reduce((sum, { credits = 0 }) => sum + credits, 0),
      tasks: reported,
      inputs: this.#sources.inputs ? tasks.flatMap((task) => this.#inputOf(task)) : [],
      outputs: tasks.flatMap((task) => this.#outputsOf(task)),
    };
  }

  /** `states`: those of the tasks before it, by step. The tasks are in an order in which each follows those that it waits for. */
  #taskOf(planned: ReportedTask, states: Map<string, TaskState>, within: Within): ReportTask {
    const { step, task, job: name } = planned;
    const { ledger, running } = this.#sources;
    const job = name === undefined ? undefined : viewIn(ledger, name);
    const verdict = verdictAfter(
      verdictOf(planned, job, standingTask(ledger, task), running),
      step.after,
      (before) => states.get(before) ?? this.#sharedStates.get(before),
    );
    const { state, why } = verdict;
    const known = states.get(step.name);
    states.set(step.name, known === undefined ? state : itemState([known, state]));
    const number = this.#numberOf(step.name);
    this.#count(number, verdict, planned, within, job);
    const element = /\[(\d+)\]$/.exec(step.fan === undefined ? '' : task)?.[1];
    const body = planned.body?.();
    return {
      step: number,
      state,
      element: element === undefined ? undefined : Number(element),
      why: why === undefined || quiet.has(state) ? undefined : mailable(why),
      // A download and a delete are of the job of another step.
      ...(job === undefined || step.of !== undefined ? {} : this.#jobFacts(job)),
      parameters: body === undefined ? undefined : parametersOf(body),
      takes: this.#takesOf(planned),
    };
  }

  /** Their files side by side, and the command that chooses another one. Undefined for a task with one take. */
  #takesOf({ step, task, take }: ReportedTask): ReportTask['takes'] {
    if (take === undefined || take.known < 2) return undefined;
    const { ledger, line } = this.#sources;
    return takesOf(ledger, take.first)
      .map(viewOf)
      .map((job) => {
        const number = numberOf(job);
        const isPicked = number === take.number;
        const credits = worthOf(job);
        const isChoice = !isPicked && jobFacts[job.state].hasResult && mailable(task) === task;
        return {
          number,
          state: job.state,
          picked: isPicked || undefined,
          credits: credits === 0 ? undefined : credits,
          at: timesOf(job).ended,
          command: isChoice ? line('pick', [task, String(number)]) : undefined,
          files: takeFiles(job, task).map((output) => this.#fileOf(output, step.name)),
        };
      });
  }

  #jobFacts(job: JobView): Partial<ReportTask> {
    const credits = worthOf(job);
    const shares = credits > 0 && this.#paid.has(job.job);
    this.#paid.add(job.job);
    return {
      fingerprint: job.job,
      project: job.project,
      credits: credits === 0 || shares ? undefined : credits,
      shares: shares || undefined,
      ...timesOf(job),
    };
  }

  #count(
    step: number,
    { state, why = '', code }: TaskVerdict,
    { task }: ReportedTask,
    { number, key }: Within,
    job: JobView | undefined,
  ): void {
    const counts = this.#counts[step];
    if (counts !== undefined) counts[state] = (counts[state] ?? 0) + 1;
    if (state === 'failed')
      this.#failures.push({ step, item: number, key, why: mailable(why), code });
    if (state === 'doubt' && job !== undefined && this.#numberOf(stepOf(task)) === step)
      this.#doubts.push({
        step,
        item: number,
        task: mailable(task),
        name: mailable(job.name ?? ''),
        since: job.at,
        reserved: job.reserve ?? 0,
        why: job.error === undefined ? undefined : mailable(job.error.message),
        commands: mailable(task) === task ? this.#answersTo(task) : undefined,
      });
  }

  #answersTo(task: string): NonNullable<ReportDoubt['commands']> {
    const line = (...more: readonly ShellWord[]): string =>
      this.#sources.line('resolve', [task], more);
    return {
      found: line('--project', { placeholder: '<id>' }),
      absent: line('--not-charged'),
      unknown: line('--abandon'),
    };
  }

  #inputOf({ step, file, job }: ReportedTask): readonly ReportFile[] {
    if (file === undefined || job === undefined) return [];
    const fact = this.#sources.inputFact(file);
    if (fact === undefined) return [];
    const { bytes, sha256 } = fact;
    const picture = this.#pictureOf({ in: 'input', path: file, sha256 });
    const name = baseName(file);
    return [{ name, step: this.#numberOf(step.name), bytes, sha256, ...picture }];
  }

  #outputsOf({ step, task, job }: ReportedTask): readonly ReportFile[] {
    if (step.kind.operation !== 'download' || job === undefined) return [];
    const { outputs = [] } = viewIn(this.#sources.ledger, job) ?? {};
    return outputs
      .filter((output) => output.task === task && output.pruned === undefined)
      .map((output) => this.#fileOf(output, step.name));
  }

  #fileOf({ path, bytes, sha256 }: Output, step: string): ReportFile {
    const href = this.#sources.hrefOf(path);
    return {
      name: baseName(path),
      step: this.#numberOf(step),
      bytes,
      sha256,
      ...this.#pictureOf({ in: 'output', path, sha256 }),
      href,
    };
  }

  #pictureOf(source: PictureSource): Pick<ReportFile, 'medium' | 'picture'> {
    const extension = extensionOf(source.path);
    const medium = mediaTypeOf(extension) ?? 'other';
    // Of a clip, the page shows the file itself.
    if (medium !== 'image' && extension !== 'gif') return { medium };
    return { medium, picture: this.#sources.pictures.numberOf(source) };
  }

  #numberOf(step: string): number {
    return this.#numbers.get(step) ?? -1;
  }

  data(facts: Pick<ReportData, 'at' | 'rehearsal'>): ReportData {
    const { pipeline, ledger, running, inputs } = this.#sources;
    const numberOf = (step: string): number => this.#numberOf(step);
    const spending = spendingOf(ledger, numberOf);
    const steps = reportSteps(pipeline.steps, this.#counts, spending);
    const { description } = pipeline;
    return {
      pipeline: mailable(pipeline.name),
      description: description === undefined ? undefined : mailable(description),
      ...facts,
      running,
      inputs,
      steps,
      items: this.#items,
      shared: this.#shared,
      runs: ledger.runs().map(({ run, at, ended }) => {
        return { at, ended, charged: ledger.totals(run).charged };
      }),
      credits: { ...ledger.totals(), budget: pipeline.budget.credits },
      spending,
      failures: failureGroups(this.#failures),
      doubts: this.#doubts,
    };
  }
}

interface Within {
  readonly key: string;
  readonly number: number;
}

/** The plan's reasons for what is done say nothing new. */
const quiet: ReadonlySet<TaskState> = new Set(['done', 'running']);

const joined = (one: ReportItem, other: ReportItem): ReportItem => ({
  ...one,
  state: itemState([one.state, other.state]),
  credits: one.credits + other.credits,
  tasks: [...one.tasks, ...other.tasks],
  inputs: [...one.inputs, ...other.inputs],
  outputs: [...one.outputs, ...other.outputs],
});

// Failures by cause, the most frequent first.

interface Failed {
  readonly step: number;
  readonly item: number;
  readonly key: string;
  readonly why: string;
  readonly code?: string | undefined;
}

export function failureGroups(failures: readonly Failed[]): readonly FailureGroup[] {
  const groups = Map.groupBy(failures, (failed) =>
    JSON.stringify([failed.step, failed.code, withoutItem(failed)]),
  );
  return [...groups.values()]
    .sort((one, other) => other.length - one.length)
    .flatMap((all): FailureGroup[] => {
      const [first] = all;
      if (first === undefined) return [];
      const { step, code } = first;
      const why = all.length === 1 ? first.why : withoutKey(first);
      const advice = adviceFor(code);
      return [{ step, why, code, advice, items: [...new Set(all.map(({ item }) => item))] }];
    });
}

/** The same sentence about two items is one cause. */
function withoutItem(failed: Failed): string {
  const stem = failed.key.replace(/\.[^./]*$/, '');
  const text = withoutKey(failed);
  return (stem.length > 2 ? text.replaceAll(stem, '…') : text).replace(/\d+/g, '#');
}

const withoutKey = ({ why, key }: Failed): string =>
  key.length > 2 ? why.replaceAll(key, '…') : why;

// The parameters of a request for people: one line for each value.

const maxParameters = 40;
const maxValueChars = 600;

export function parametersOf(body: JsonObject): readonly Parameter[] {
  const found: Parameter[] = [];
  const visit = (name: string, value: Json): void => {
    if (found.length === maxParameters) return;
    if (Array.isArray(value))
      for (const [index, entry] of value.entries()) visit(`${name}[${index}]`, entry);
    else if (isObject(value))
      for (const [key, entry] of Object.entries(value))
        visit(name === '' ? key : `${name}.${key}`, entry);
    else if (name !== 'name') found.push({ name, value: textOf(value) });
  };
  visit('', body);
  return found;
}

function textOf(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = mailable(value);
  return text.length > maxValueChars ? `${text.slice(0, maxValueChars - 1)}…` : text;
}

/** The copy of a take lasts: in the place of the result, another take may be by now. */
function takeFiles({ outputs }: JobView, task: string): readonly Output[] {
  const left = outputs.filter(({ pruned }) => pruned === undefined);
  const own = left.filter((output) => output.task === task);
  const byIndex = new Map([...left, ...own].map((output) => [output.index, output]));
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}

// What a report says of all items together: its steps, and what was spent.

/** `counts`: the number of tasks by state, for each step. */
function reportSteps(
  steps: readonly Step[],
  counts: readonly ReportStep['tasks'][],
  spending: readonly Spending[],
): readonly ReportStep[] {
  const { once, afterItems } = stagesOf(steps);
  const spent = steps.map(() => 0);
  for (const { step, credits } of spending)
    if (step >= 0) spent[step] = (spent[step] ?? 0) + credits;
  return steps.map((step, index) => ({
    name: step.name,
    kind: step.kind.name,
    title: step.kind.title,
    operation: step.kind.operation,
    stage: once.includes(step) ? 'once' : afterItems.includes(step) ? 'after' : 'item',
    after: step.after,
    tasks: counts[index] ?? {},
    credits: spent[index] ?? 0,
  }));
}

/** Also of items and steps that are gone: the sum is what was charged. */
function spendingOf(ledger: Ledger, numberOf: (step: string) => number): readonly Spending[] {
  const found: Spending[] = [];
  for (const job of viewsOf(ledger)) {
    const credits = chargedHere(job);
    const step =
      job.tasks.map((task) => numberOf(stepOf(task))).find((number) => number >= 0) ?? -1;
    if (credits > 0) found.push({ at: chargedAt(job), step, credits });
  }
  return found.sort((one, other) => one.at - other.at);
}

// Numbers for the files that a report shows as pictures: one content has one number, in every report that shares them.

/** A file of the report on disk: its path, relative to the pipeline file. */
export interface PictureSource {
  readonly in: 'input' | 'output';
  readonly path: string;
  /** Of the content, if it is known. */
  readonly sha256?: string;
}

export class PictureNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #sources: PictureSource[] = [];

  /** The number of a file; the next one if it is new. */
  numberOf(source: PictureSource): number {
    const key = source.sha256 ?? `${source.in} ${source.path}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) {
      // The same content may be at another place now.
      this.#sources[known] = source;
      return known;
    }
    this.#numbers.set(key, this.#sources.length);
    return this.#sources.push(source) - 1;
  }

  /** In the order of their numbers. */
  get all(): readonly PictureSource[] {
    return this.#sources;
  }
}

// Texts that may leave the machine: no path of it, no address.

/** Takes the folders off every path and the address out of every link in a text from a file, a system or a service. */
export const mailable = (text: string): string =>
  text
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi, '[address]')
    .replace(
      /(?<![\w.\]])(?:[A-Za-z]:[\\/]|\\\\|\/|~\/)(?:[^\s"'<>:|\\/][^\n"'<>:|\\/]*[\\/])+/g,
      '',
    )
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '[address]');

/** The name of a file, without its folders. */
export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
