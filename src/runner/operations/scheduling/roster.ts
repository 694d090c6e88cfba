// The pipeline files of one `schedule`. Files that appear in a folder join.

import { realPathOr } from '../../adapters/files/real-path.ts';
import { type Problem, problem } from '../pipeline/problem.ts';
import type { ScheduleContext } from './context.ts';
import { type Places, yamlIn } from './find-files.ts';
import { PipelineFile } from './pipeline-file.ts';

export class Roster {
  readonly #places: Places;
  readonly #context: ScheduleContext;
  /** The real paths of the files that have joined. */
  readonly #known = new Set<string>();

  constructor(places: Places, context: ScheduleContext) {
    this.#places = places;
    this.#context = context;
  }

  /** True if files may join later. */
  get grows(): boolean {
    return this.#places.folders.length > 0;
  }

  /** The files that are new since the last call. */
  fresh(): readonly PipelineFile[] {
    return this.#all().flatMap(({ file, named }) => {
      const real = realPathOr(file);
      if (this.#known.has(real)) return [];
      this.#known.add(real);
      return [new PipelineFile(file, this.#context, named)];
    });
  }

  /** Why nothing can be scheduled. A file that the user named must be right; in a folder, one with a schedule is enough. */
  async check(): Promise<Problem | undefined> {
    const { run } = this.#context;
    if ((run.state !== undefined || run.output !== undefined) && !this.#isOne)
      return problem('--state and --output need exactly one pipeline file, and no folder');
    let scheduled = 0;
    for (const { file, named } of this.#all()) {
      const status = await new PipelineFile(file, this.#context, named).look();
      if (named && status.is === 'invalid') return status.problem;
      if (named && status.is === 'no-schedule')
        return problem('the pipeline has no schedule', file, advice);
      if (status.is === 'ready' || status.is === 'invalid') scheduled += 1;
    }
    if (scheduled > 0) return undefined;
    const folders = this.#places.folders.join(', ');
    return problem(`no pipeline file in ${folders} has a schedule`, 'shotlist', advice);
  }

  get #isOne(): boolean {
    return this.#places.files.length === 1 && !this.grows;
  }

  #all(): readonly { readonly file: string; readonly named: boolean }[] {
    const { files, folders } = this.#places;
    const found = folders.flatMap((folder) => {
      const listed = yamlIn(folder);
      // A folder may be away for a while; its files are reported as removed.
      return listed.ok ? listed.value : [];
    });
    return [
      ...files.map((file) => ({ file, named: true })),
      ...found.map((file) => ({ file, named: false })),
    ];
  }
}

const advice = 'add, for example, schedule: { cron: "0 7 * * *", time_zone: Europe/Berlin }';
