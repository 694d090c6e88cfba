// A pipeline file that a long-lived command follows: read again when it has changed. A file that has become invalid runs
// nothing until it is right again.

import { statSync } from 'node:fs';
import type { Result } from '../base/result.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import type { Clock } from '../core/ports.ts';
import { type LoadOptions, loadPipeline } from '../language/load/load.ts';
import type { LoadedPipeline } from '../language/load/loaded-pipeline.ts';
import { type Problem, renderProblem, resultOf } from '../language/load/refusal.ts';

/** What a file is good for. A file that is `removed` or has `no-schedule` is not wrong, and nothing of it runs. */
export type PipelineFileStatus<Ready> = { readonly is: 'ready'; readonly ready: Ready } | Unusable;

export type Unusable =
  | { readonly is: 'invalid' | 'removed'; readonly problem: Problem }
  | { readonly is: 'no-schedule' };

/** A Refusal says why the file is invalid. */
type Reader<Ready> = (loaded: Result<LoadedPipeline, Problem>) => PipelineFileStatus<Ready>;

interface FollowedFileOptions extends LoadOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** A changed file is read when it has looked the same for so long, in milliseconds. */
  readonly quietMs: number;
}

export class PipelineFile<Ready> {
  readonly file: string;
  readonly #options: FollowedFileOptions;
  readonly #read: Reader<Ready>;
  #status: PipelineFileStatus<Ready> | undefined;
  /** How the file looked when it was loaded. */
  #loaded: string | undefined;
  /** How it looks now, and since when, by the clock's `elapsed`. */
  #seen = { appearance: '', since: 0 };

  constructor(file: string, options: FollowedFileOptions, read: Reader<Ready>) {
    this.file = file;
    this.#options = options;
    this.#read = read;
  }

  /** Undefined before the first `refresh`. */
  get status(): PipelineFileStatus<Ready> | undefined {
    return this.#status;
  }

  /** In how many milliseconds a changed file may be read; undefined if it has not changed. */
  get quietInMs(): number | undefined {
    const { clock, quietMs } = this.#options;
    const { appearance, since } = this.#seen;
    return appearance === this.#loaded ? undefined : since + quietMs - clock.elapsed();
  }

  /** Loads the file if it is new or has changed. Returns the status if it is news. */
  async refresh(): Promise<PipelineFileStatus<Ready> | undefined> {
    const { clock, quietMs } = this.#options;
    const now = clock.elapsed();
    const appearance = appearanceOf(this.file);
    if (appearance !== this.#seen.appearance) this.#seen = { appearance, since: now };
    const [before, isSame] = [this.#status, appearance === this.#loaded];
    // Another reason than the file may be gone: a consent, for example.
    if (isSame && before?.is !== 'invalid') return undefined;
    if (!isSame && before !== undefined && now - this.#seen.since < quietMs) return undefined;
    const { inputs, env, profile } = this.#options;
    const loaded = await resultOf(() => loadPipeline(this.file, { inputs, env, profile }));
    this.#loaded = appearance;
    this.#seen = { appearance, since: now };
    const read = resultOf(() => this.#read(loaded));
    this.#status = read.ok ? read.value : { is: 'invalid', problem: read.error };
    return isSame && textOf(before) === textOf(this.#status) ? undefined : this.#status;
  }
}

const textOf = (status: PipelineFileStatus<unknown> | undefined): string | undefined =>
  status?.is === 'invalid' ? renderProblem(status.problem) : status?.is;

export const absent = 'absent';

/** How a file looks without reading it: another text when it was written, replaced or removed. */
export function appearanceOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? absent : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
  } catch (error) {
    // Whoever reads the file reports this.
    if (isSystemProblem(error)) return systemReason(error);
    throw error;
  }
}
