// The pipeline file of a watch: loaded again when it has changed and nobody writes to it. An invalid file runs nothing
// until it is right again.
import { statSync } from 'node:fs';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { isSystemProblem, systemReason } from '../../../contract/files/system-error.ts';
import { pathsOf, type RunPaths } from '../files/run-paths.ts';
import { type BoundPipeline, boundPipeline } from '../pipeline/bound-pipeline.ts';
import { loadPipeline } from '../pipeline/load.ts';
import type { Problem } from '../pipeline/problem.ts';
import { chooseTarget } from '../service/target.ts';
import type { WatchContext } from './context.ts';

export interface ReadyPipeline {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  /** The pattern of `items.glob`. */
  readonly glob: string;
}

/** A changed file is read when it has looked the same for so long, in milliseconds. */
const quietMs = 500;

export class WatchedPipeline {
  readonly #context: WatchContext;
  /** How the file looked when it was loaded. */
  #loaded: string | undefined;
  /** How it looks now, and since when, by the clock's `elapsed`. */
  #seen: { readonly appearance: string; readonly since: number } | undefined;

  constructor(context: WatchContext) {
    this.#context = context;
  }

  /** By the clock's `elapsed`: when a changed file may be read. */
  get nextAt(): number | undefined {
    const seen = this.#seen;
    return seen === undefined || seen.appearance === this.#loaded
      ? undefined
      : seen.since + quietMs;
  }

  /** Loads the file if it is new or has changed; undefined if there is nothing new. */
  async refresh(): Promise<Result<ReadyPipeline, Problem> | undefined> {
    const { file, clock } = this.#context;
    const now = clock.elapsed();
    const appearance = appearanceOf(file);
    if (appearance !== this.#seen?.appearance) this.#seen = { appearance, since: now };
    if (appearance === this.#loaded) return undefined;
    const isFirst = this.#loaded === undefined;
    if (!isFirst && now - this.#seen.since < quietMs) return undefined;
    this.#loaded = appearance;
    return await this.#load();
  }

  async #load(): Promise<Result<ReadyPipeline, Problem>> {
    const { file, inputs, env, run } = this.#context;
    const loaded = await loadPipeline(file, { inputs, env });
    if (!loaded.ok) return loaded;
    const bound = boundPipeline(loaded.value);
    const { items } = bound.pipeline;
    if (items.kind !== 'glob') return err(notFiles(bound));
    const target = chooseTarget(run, bound, env);
    if (!target.ok) return target;
    return ok({ bound, paths: pathsOf(bound, target.value, run), glob: items.pattern });
  }
}

/** Another text when the file was written, replaced or removed. */
function appearanceOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? 'absent' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return systemReason(error);
  }
}

function notFiles({ pipeline, file }: BoundPipeline): Problem {
  const { source, items } = pipeline;
  const found = items.kind === 'one' ? 'has no items' : 'lists its items as values';
  const message = `watch follows the files of items.glob, and this pipeline ${found}`;
  const hint = 'write items: { glob: "photos/*.jpg" }, or use shotlist run';
  const span = source.keySpanOf([items.kind === 'one' ? 'pipeline' : 'items']);
  return {
    reason: 'input',
    text: source.text,
    diagnostics: [{ severity: 'error', code: 'SL504', file, span, message, hint }],
  };
}
