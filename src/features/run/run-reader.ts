// Shows a run to a person: a live view on a terminal, plain lines elsewhere, and little with --quiet.

import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { realClock } from '../../run/clock.ts';
import type { RunEvent } from '../../run/run-event.ts';
import { planPaint } from '../../terminal/colors.ts';
import { ownCreditDollars } from '../../terminal/credit-price.ts';
import type { ReadingMode } from '../../terminal/reading-mode.ts';
import { keepDrawn } from '../../terminal/screen-lines.ts';
import {
  complainProse,
  print,
  printPainted,
  printProse,
  printWarnings,
} from '../../terminal/terminal.ts';
import { liveFacts } from '../../views/live/live-facts.ts';
import { liveLines } from '../../views/live/live-lines.ts';
import { LiveView } from '../../views/live/live-view.ts';
import { progressText } from '../../views/live/progress-text.ts';
import { shownNotes } from '../../views/plan-text.ts';
import { runEventText, troubleText } from '../../views/run-text.ts';
import { fallbackLine } from '../../views/service-text.ts';
import type { RunOptions } from './run.ts';

export interface RunReader {
  event(event: RunEvent): void;
  /** The plan has looked at so many items. */
  look(seen: number, of: number): void;
  /** Call before anything is printed after the run. */
  end(): void;
}

export interface ReaderOptions {
  readonly pipeline: LoadedPipeline;
  readonly mode: ReadingMode;
  /** The user asked for a rehearsal. */
  readonly asked: boolean;
  /** Aborted when the user asked to stop. */
  readonly stop: AbortSignal;
  /** Whether a person sees this event. */
  readonly shows: (event: RunEvent) => boolean;
  /** The speed of a rehearsal; undefined if it is not known. */
  readonly speed: number | undefined;
}

/** Events that go to standard error, separate from the facts. */
const aside: ReadonlySet<RunEvent['type']> = new Set([
  ...(['warning', 'waiting', 'back', 'stopping', 'bug'] as const),
]);

/** Failures that are printed at once; the progress and the summary count the others. */
const mostTroubles = 100;
export function runReader(options: ReaderOptions): RunReader {
  const { pipeline, mode, asked, stop, shows, speed } = options;
  const clock = realClock;
  const view = new LiveView({
    ...{ pipeline: pipeline.name, speed, creditDollars: ownCreditDollars() },
    began: clock.elapsed(),
  });
  let troubles = 0;
  const show = (event: RunEvent): void => {
    // Already reported when the user asked for it.
    if (event.type === 'stopping' && stop.aborted) return;
    if (event.type === 'planned' && mode !== 'quiet' && shows(event))
      for (const { task, action } of shownNotes(event.plan))
        if (action === 'problem') planned.add(task);
    if (event.type === 'started' && event.rehearsal && !asked) printProse(fallbackLine);
    else if (!shows(event)) return;
    else if (event.type === 'task') tell(event);
    else if (event.type !== 'item') printEvent(event, mode);
    if (event.type === 'started') printWarnings(pipeline.warnings, pipeline);
  };
  const planned = new Set<string>();
  const tell = (event: Extract<RunEvent, { type: 'task' }>): void => {
    const text = troubleText(event);
    // What the plan has said, the summary says again: that is enough.
    if (text === undefined || mode === 'live' || planned.has(event.task)) return;
    troubles += 1;
    if (troubles <= mostTroubles) print(text);
    if (troubles === mostTroubles)
      print('  More failures are only counted, here and in the summary.');
  };
  const shown = shownBy(mode, view);
  return {
    event(event) {
      view.take(event, clock.elapsed());
      show(event);
      if (event.type === 'item' && event.changed) shown.itemOver();
    },
    look: (seen, of) => view.look(seen, of),
    end: () => shown.end(),
  };
}

function printEvent(event: RunEvent, mode: ReadingMode): void {
  const text = runEventText(event, 0);
  if (text === undefined) return;
  if (aside.has(event.type)) complainProse(text);
  else if (mode === 'quiet') return;
  else if (event.type === 'planned') printPainted(text, planPaint);
  else printProse(text);
}

interface Shown {
  /** The run did something for an item. */
  itemOver(): void;
  end(): void;
}

function shownBy(mode: ReadingMode, view: LiveView): Shown {
  if (mode === 'live') return liveView(view);
  if (mode === 'plain') return new ProgressLines(view, realClock, print);
  return { itemOver: () => undefined, end: () => undefined };
}

function liveView(view: LiveView): Shown {
  const screen = keepDrawn(
    (size) => liveLines(liveFacts(view, realClock.elapsed()), size),
    () => view.version,
  );
  return { itemOver: () => undefined, end: () => screen.end() };
}

// The progress of a run in a log or a pipe: a line now and then.

type Clock = Pick<NonNullable<RunOptions['clock']>, 'elapsed' | 'sleep'>;

/** Between two lines, in milliseconds. */
const pauseMs = 10_000;
/** While nothing happens, only one of so many lines is printed. */
const quietTurns = 6;

export class ProgressLines {
  readonly #view: LiveView;
  readonly #clock: Clock;
  readonly #print: (text: string) => void;
  readonly #over = new AbortController();
  #told = false;

  constructor(view: LiveView, clock: Clock, print: (text: string) => void) {
    this.#view = view;
    this.#clock = clock;
    this.#print = print;
    void this.#begin();
  }

  /** The first item shows at once that the run works, and whether anybody still reads. */
  itemOver(): void {
    if (!this.#told) this.#tell();
  }

  end(): void {
    this.#over.abort();
  }

  async #begin(): Promise<void> {
    const { signal } = this.#over;
    let [version, quiet] = [this.#view.version, 0];
    for (;;) {
      await this.#clock.sleep(pauseMs, signal);
      if (signal.aborted) return;
      quiet = version === this.#view.version ? quiet + 1 : 0;
      version = this.#view.version;
      if (quiet % quietTurns === 0) this.#tell();
    }
  }

  #tell(): void {
    const text = progressText(liveFacts(this.#view, this.#clock.elapsed()));
    if (text === undefined) return;
    this.#told = true;
    this.#print(text);
  }
}
