// The pipeline file of a watch: loaded again when it has changed and nobody writes to it. An invalid file runs nothing
// until it is right again.

import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import { type Problem, Refusal, valueOrThrow } from '../../language/load/problem.ts';
import { chooseTarget } from '../../service-api/target.ts';
import { pathsOf, type RunPaths } from '../../state/run-paths.ts';
import { FollowedFile } from '../schedule/followed-file.ts';
import type { WatchContext } from './context.ts';

export interface ReadyPipeline {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  /** The patterns of `items.glob`. */
  readonly patterns: readonly string[];
}

/** A changed file is read when it has looked the same for so long, in milliseconds. */
const quietMs = 500;

export class WatchedPipeline {
  readonly #context: WatchContext;
  readonly #followed: FollowedFile;
  /** How the file, and what it includes, looked when it was loaded. */
  #loaded: string | undefined;
  /** How it looks now, and since when, by the clock's `elapsed`. */
  #seen: { readonly appearance: string; readonly since: number } | undefined;

  constructor(context: WatchContext) {
    this.#context = context;
    this.#followed = new FollowedFile(context.file);
  }

  /** By the clock's `elapsed`: when a changed file may be read. */
  get nextAt(): number | undefined {
    const seen = this.#seen;
    return seen === undefined || seen.appearance === this.#loaded
      ? undefined
      : seen.since + quietMs;
  }

  /** Loads the file if it is new or has changed; undefined if there is nothing new. */
  async refresh(): Promise<ReadyPipeline | undefined> {
    const now = this.#context.clock.elapsed();
    const { appearance } = this.#followed;
    if (appearance !== this.#seen?.appearance) this.#seen = { appearance, since: now };
    if (appearance === this.#loaded) return undefined;
    const isFirst = this.#loaded === undefined;
    if (!isFirst && now - this.#seen.since < quietMs) return undefined;
    return await this.#load(now);
  }

  async #load(now: number): Promise<ReadyPipeline> {
    const { inputs, profile, env, run } = this.#context;
    const { loaded, appearance } = await this.#followed.load({ inputs, profile, env });
    this.#loaded = appearance;
    this.#seen = { appearance, since: now };
    const bound = boundPipeline(valueOrThrow(loaded));
    const { items } = bound.pipeline;
    if (items.kind !== 'glob') throw new Refusal(notFiles(bound));
    const target = chooseTarget(run, bound, env);
    return { bound, paths: pathsOf(bound, target, run), patterns: items.patterns };
  }
}

const otherItems: Readonly<Record<BoundPipeline['pipeline']['items']['kind'], string>> = {
  one: 'has no items',
  glob: '',
  values: 'lists its items as values',
  csv: 'takes its items from a table',
  jsonl: 'takes its items from a table',
  matrix: 'takes its items from a matrix',
};

function notFiles({ pipeline, file }: BoundPipeline): Problem {
  const { source, items } = pipeline;
  const found = otherItems[items.kind];
  const message = `watch follows the files of items.glob, and this pipeline ${found}`;
  const hint = 'write items: { glob: "photos/*.jpg" }, or use shotlist run';
  const span = source.keySpanOf([items.kind === 'one' ? 'pipeline' : 'items']);
  return {
    reason: 'input',
    text: source.text,
    diagnostics: [{ severity: 'error', code: 'SL504', file, span, message, hint }],
  };
}
