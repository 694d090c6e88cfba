// A pipeline file that `schedule` follows: loaded again when it changes. A file that has become invalid runs nothing until
// it is right again.

import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import {
  type Problem,
  problem,
  Refusal,
  renderProblem,
  resultOf,
} from '../../language/load/problem.ts';
import type { Schedule } from '../../language/pipeline.ts';
import { chooseTarget } from '../../service-api/target.ts';
import { pathsOf, type RunPaths } from '../../state/run-paths.ts';
import { absent, appearanceOf } from './appearance.ts';
import type { ScheduleContext } from './context.ts';
import { FollowedFile } from './followed-file.ts';

export interface ReadyPipeline {
  readonly bound: BoundPipeline;
  readonly schedule: Schedule;
  readonly paths: RunPaths;
  /** The address of the hosted service; undefined for a rehearsal. */
  readonly service: string | undefined;
}

export type PipelineFileStatus =
  | { readonly is: 'ready'; readonly ready: ReadyPipeline }
  | { readonly is: 'invalid'; readonly problem: Problem }
  /** `unauthorized`: the service refused the key in a run. */
  | { readonly is: 'removed' | 'no-schedule' | 'unauthorized' };

export class PipelineFile {
  readonly file: string;
  readonly #context: ScheduleContext;
  /** True if the user named the file; false if it was found in a folder, where other YAML files may be. */
  readonly #named: boolean;
  readonly #followed: FollowedFile;
  #status: PipelineFileStatus = { is: 'no-schedule' };
  #seen: string | undefined;

  constructor(file: string, context: ScheduleContext, named: boolean) {
    this.file = file;
    this.#context = context;
    this.#named = named;
    this.#followed = new FollowedFile(file);
  }

  get status(): PipelineFileStatus {
    return this.#status;
  }

  /** Loads the file if it has changed, and reports what that means. True if it is new or has changed, and is ready. */
  async refresh(): Promise<boolean> {
    const seen = this.#followed.appearance;
    // Another reason than the file may be gone: a consent, for example.
    if (seen === this.#seen && this.#status.is !== 'invalid') return false;
    const [first, before] = [this.#seen === undefined, this.#status];
    this.#seen = seen;
    this.#status = appearanceOf(this.file) === absent ? { is: 'removed' } : await this.#load();
    this.#report(first, before);
    return this.#status.is === 'ready';
  }

  /** What `refresh` would find; reports nothing. */
  async look(): Promise<PipelineFileStatus> {
    return appearanceOf(this.file) === absent && !this.#named
      ? { is: 'removed' }
      : await this.#load();
  }

  /** The service refused the key: nothing runs until the file changes. */
  refuse(): void {
    this.#status = { is: 'unauthorized' };
    this.#context.onEvent({ type: 'unauthorized', file: this.file });
  }

  async #load(): Promise<PipelineFileStatus> {
    const { inputs, profile, env } = this.#context;
    const { loaded, appearance } = await this.#followed.load({ inputs, profile, env });
    this.#seen = appearance;
    if (!loaded.ok)
      return this.#named || speaksOfSchedule(loaded.error)
        ? { is: 'invalid', problem: loaded.error }
        : { is: 'no-schedule' };
    const bound = boundPipeline(loaded.value);
    const { schedule } = bound.pipeline;
    if (schedule === undefined) return { is: 'no-schedule' };
    const places = resultOf(() => this.#placesOf(bound));
    return places.ok
      ? { is: 'ready', ready: { bound, schedule, ...places.value } }
      : { is: 'invalid', problem: places.error };
  }

  #placesOf(bound: BoundPipeline): Pick<ReadyPipeline, 'paths' | 'service'> {
    const { run, env, owners } = this.#context;
    const target = chooseTarget(run, bound, env);
    const paths = pathsOf(bound, target, run);
    const owner = owners.get(paths.state) ?? this.file;
    owners.set(paths.state, owner);
    const service = target.kind === 'hosted' ? target.address : undefined;
    if (owner === this.file) return { paths, service };
    const message = `${owner} has the same state file, ${paths.state}`;
    const hint = 'give each pipeline a name of its own with pipeline:, and schedule each file once';
    throw new Refusal(problem(message, this.file, hint));
  }

  #report(first: boolean, before: PipelineFileStatus): void {
    const { onEvent } = this.#context;
    const { file } = this;
    const now = this.#status;
    switch (now.is) {
      case 'ready':
      case 'unauthorized':
        return;
      case 'invalid':
        if (before.is === 'invalid' && renderProblem(before.problem) === renderProblem(now.problem))
          return;
        onEvent({ type: 'invalid', file, problem: now.problem });
        return;
      case 'removed':
      case 'no-schedule':
        if (!first || this.#named) onEvent({ type: 'unscheduled', file, why: now.is });
    }
  }
}

/** A broken file in a folder is a pipeline with a schedule if it has that line. */
const speaksOfSchedule = ({ text }: Problem): boolean => /^schedule\s*:/m.test(text ?? '');
