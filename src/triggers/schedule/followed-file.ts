// A pipeline file that a long-lived command follows, together with the files that it includes.
import type { Result } from '../../base/result.ts';
import { followPipeline, type LoadOptions } from '../../language/load/load.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, resultOf } from '../../language/load/problem.ts';
import { appearanceOf } from './appearance.ts';

export class FollowedFile {
  readonly #file: string;
  #included: readonly string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Another text when one of the files was written, replaced or removed. */
  get appearance(): string {
    return [this.#file, ...this.#included].map(appearanceOf).join('\n');
  }

  /** Also says how the files looked before they were read. */
  async load(options: LoadOptions): Promise<{
    readonly loaded: Result<LoadedPipeline, Problem>;
    readonly appearance: string;
  }> {
    for (let attempt = 1; ; attempt++) {
      const { appearance } = this;
      let included: readonly string[] = [];
      const onIncluded = (files: readonly string[]): void => {
        included = files;
      };
      const loaded = await resultOf(() => followPipeline(this.#file, { ...options, onIncluded }));
      const same = included.join('\n') === this.#included.join('\n');
      this.#included = included;
      // A file that is newly included was not looked at before it was read.
      if (same || attempt === 3) return { loaded, appearance };
    }
  }
}
