// The progress of a run in a log or a pipe: a line now and then.
import type { RunOptions } from '../operations/run.ts';
import { liveFacts } from '../report/live/live-facts.ts';
import type { LiveView } from '../report/live/live-view.ts';
import { progressText } from '../report/live/progress-text.ts';

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
