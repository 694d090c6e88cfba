// A report that follows its state file: it is gathered again when something changed, and tells what is different.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Clock } from '../../core/ports.ts';
import type { OutsideOptions } from '../../files/boundary.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { resultOf } from '../../language/load/refusal.ts';
import { fannedOutIn, itemOf, stepOf } from '../../model/task.ts';
import type { PageMessage, PagePulse } from '../../report/page/page-message.ts';
import { mailable, PictureNumbers, type PictureSource } from '../../report/page/report-builder.ts';
import { holderOf } from '../../state/live.ts';
import type { LocatedState, LocateOptions } from '../../state/locate-state.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import { type Gathered, gatherReport } from './gather.ts';

/** Between two looks at the state file. */
const pauseMs = 500;
/** Between two reports. A report that takes longer to gather rests as long as it took. */
const restMs = 1_000;

export type LiveReportOptions = Pick<LocateOptions, 'onState' | 'env'> & OutsideOptions;

export class LiveReport {
  readonly pictures = new PictureNumbers();
  readonly files = new LiveFiles();
  #bound: BoundPipeline;
  #find: () => LocatedState;
  readonly #finder: (bound: BoundPipeline) => () => LocatedState;
  readonly #options: LiveReportOptions;
  readonly #clock: Clock;
  #seen = '';
  /** The traces of the pipeline file that the page shows. */
  #read: string;
  /** The report as JSON, as it is sent, and without its time. */
  #text: string | undefined;
  #facts: string | undefined;
  #last: Gathered | undefined;
  #trouble: string | undefined;
  #pulse: PagePulse | null = null;

  constructor(
    bound: BoundPipeline,
    finder: (bound: BoundPipeline) => () => LocatedState,
    options: LiveReportOptions,
    clock: Clock,
  ) {
    this.#bound = bound;
    this.#finder = finder;
    this.#find = finder(bound);
    this.#read = tracesOf(bound.file);
    this.#options = options;
    this.#clock = clock;
  }

  /** Everything that a page needs that has just been opened. */
  greeting(): readonly PageMessage[] {
    return [
      ...(this.#text === undefined ? [] : [reportMessage(this.#text)]),
      ...(this.#trouble === undefined ? [] : [troubleMessage(this.#trouble)]),
      ...(this.#pulse === null ? [] : [pulseMessage(this.#pulse)]),
    ];
  }

  /** Where a file of the report is now; undefined if it must not be read. */
  fileOf(source: PictureSource | undefined): string | undefined {
    return source === undefined ? undefined : this.#last?.fileOf(source);
  }

  /** Gathers the report, and returns what to tell if it changed; the error is of the state file or of the pipeline's files. */
  async gather(onWarning: (message: string) => void): Promise<readonly PageMessage[]> {
    this.#seen = this.#traces();
    const isReadAgain = this.#readAgain();
    const located = this.#find();
    const gathered = await gatherReport(this.#bound, this.#options, {
      ...located,
      pictures: this.pictures,
      inputs: true,
      needsState: false,
      clock: this.#clock,
      // Said once.
      env: this.#last === undefined ? (this.#options.env ?? process.env) : undefined,
      onWarning,
      onState: this.#options.onState,
      last: isReadAgain ? undefined : this.#last,
      hrefOf: (file) => this.files.hrefOf(file),
    });
    // That time passes is no change.
    const facts = JSON.stringify({ ...gathered.data, at: '' });
    const text = facts === this.#facts ? undefined : JSON.stringify(gathered.data);
    this.#facts = facts;
    this.#text = text ?? this.#text;
    this.#last = gathered;
    const recovered = this.#trouble !== undefined;
    this.#trouble = undefined;
    return [
      ...(text === undefined ? [] : [reportMessage(text)]),
      ...(recovered ? [troubleMessage(null)] : []),
    ];
  }

  /** Reads a pipeline file that was changed, unless a run goes by what it was. True if it did. Throws a `Refusal`. */
  #readAgain(): boolean {
    const traces = tracesOf(this.#bound.file);
    if (traces === this.#read || this.#last?.running !== undefined) return false;
    this.#bound = this.#bound.again();
    this.#find = this.#finder(this.#bound);
    this.#read = traces;
    return true;
  }

  /** Calls `tell` with every change until the signal is aborted. Looks only while somebody is `watched` by. */
  async follow(
    signal: AbortSignal,
    watched: () => boolean,
    tell: (message: PageMessage) => void,
  ): Promise<void> {
    for (;;) {
      await this.#clock.sleep(pauseMs, signal);
      if (signal.aborted) return;
      if (!watched()) continue;
      this.#feel(tell);
      if (this.#traces() === this.#seen) continue;
      const began = this.#clock.elapsed();
      await this.update(tell);
      await this.#clock.sleep(Math.max(restMs, this.#clock.elapsed() - began) - pauseMs, signal);
    }
  }

  /** Reads how far the run is. */
  #feel(tell: (message: PageMessage) => void): void {
    const located = resultOf(() => this.#find());
    const facts = located.ok ? holderOf(located.value.paths)?.facts : undefined;
    const pulse = facts === undefined ? null : this.#pulseOf(facts);
    if (pulse === null && this.#pulse === null) return;
    this.#pulse = pulse;
    tell(pulseMessage(pulse));
  }

  #pulseOf({ elapsedMs, timeLeftMs, charged, budget, stage, atWork }: LiveFacts): PagePulse {
    const isFannedOut = fannedOutIn(this.#bound.pipeline.steps);
    return {
      elapsedMs,
      charged,
      stage: stage.is,
      ...('why' in stage ? { why: mailable(stage.why) } : {}),
      timeLeftMs,
      budget,
      atWork: atWork.map(({ task }) => {
        const item = itemOf(task, isFannedOut(task));
        return { step: stepOf(task), item: item && mailable(item) };
      }),
    };
  }

  /** Gathers, and tells what changed. */
  async update(tell: (message: PageMessage) => void): Promise<void> {
    const found = await resultOf(() => this.gather(() => undefined));
    if (found.ok) return found.value.forEach(tell);
    const why = mailable(found.error.diagnostics.map(({ message }) => message).join('; '));
    if (why === this.#trouble) return;
    this.#trouble = why;
    tell(troubleMessage(why));
  }

  /** Differs if a run wrote to the state file, began or ended, and if the pipeline file was changed. */
  #traces(): string {
    const located = resultOf(() => this.#find());
    if (!located.ok) return JSON.stringify(located.error.diagnostics);
    const { paths } = located.value;
    const files = `${tracesOf(this.#bound.file)} ${tracesOf(paths.state)}`;
    return `${paths.state} ${files} ${holderOf(paths)?.process ?? ''}`;
  }
}

function tracesOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

const reportMessage = (data: string): PageMessage => ({ type: 'report', data });

const pulseMessage = (pulse: PagePulse | null): PageMessage => ({
  type: 'pulse',
  data: JSON.stringify(pulse),
});

const troubleMessage = (why: string | null): PageMessage => ({
  type: 'trouble',
  data: JSON.stringify(why),
});

// The saved files that a live page may ask for: each has a number, and nothing else of a request says which file is meant.

class LiveFiles {
  readonly #numbers = new Map<string, number>();
  readonly #paths: string[] = [];

  /** The address of a file (absolute path), relative to the page. */
  hrefOf(file: string): string {
    const number = this.#numbers.get(file) ?? this.#paths.push(file) - 1;
    this.#numbers.set(file, number);
    return `files/${number}/${encodeURIComponent(basename(file))}`;
  }

  pathOf(number: number): string | undefined {
    return this.#paths[number];
  }
}
