// A saved plan: what a run would do, with the fingerprints of its tasks, so that `run` does that or nothing. It gives no
// rights: what a person allows a command by its flags is not in the file.

import { basename, dirname, join, relative, resolve } from 'node:path';
import { isObject } from '../../base/json.ts';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { repositoryOf } from '../../base/repository.ts';
import { validatorOf } from '../../base/schema.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import {
  firstDifference,
  type PlanRecord,
  type RecordedTask,
  type SavedChoices,
  savedChoicesSchema,
} from '../../core/plan-record.ts';
import type { Plan } from '../../core/plan-table.ts';
import { placeOf, replaceFile } from '../../files/replace-file.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { contentOf } from '../../state/content.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { refuse } from '../refuse.ts';

interface Header {
  readonly shotlistPlan: 1;
  /** Relative to the saved plan, with "/". */
  readonly pipeline: string;
  /** ISO 8601. */
  readonly made: string;
  readonly service: string;
  readonly choices: SavedChoices;
  /** `state` is absent if there was no state file. */
  readonly digests: { readonly pipeline: string; readonly state?: string; readonly tasks: string };
  readonly plan: Pick<Plan, 'items' | 'credits' | 'unpriced' | 'uncounted'>;
}

/** A plan that was made just now. */
export interface Made {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly planned: { readonly plan: Plan };
}

export interface SavedPlan {
  readonly header: Header;
  readonly tasks: readonly RecordedTask[];
}

const text = { type: 'string', maxLength: 4096 } as const;

const isHeader = validatorOf<Header>({
  type: 'object',
  required: ['shotlistPlan', 'pipeline', 'made', 'service', 'choices', 'digests', 'plan'],
  properties: {
    shotlistPlan: { const: 1 },
    pipeline: text,
    made: text,
    service: text,
    choices: savedChoicesSchema,
    digests: {
      type: 'object',
      required: ['pipeline', 'tasks'],
      properties: { pipeline: text, state: text, tasks: text },
    },
    plan: { type: 'object' },
  },
});

/** A plan of a million tasks. */
const maxBytes = 500_000_000;

/** So that nobody saves a plan over a pipeline. */
const extension = '.plan';

/**
 * Reads a plan that `plan` saved with `out`, for the option `savedPlan` of `run`. Undefined if the name does not end in
 * `.plan`.
 *
 * @example
 * ```ts
 * import { loadPipeline, plan, readSavedPlan } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * await plan(pipeline, { rehearse: true, out: { file: 'p.plan', choices: {} } });
 * const saved = readSavedPlan('p.plan');
 * console.log('saved:', saved?.header.pipeline);
 * ```
 */
export function readSavedPlan(file: string): SavedPlan | undefined {
  if (!file.endsWith(extension)) return undefined;
  const read = readRegularFile(file, { max: maxBytes });
  if (!read.ok) refuse(`the saved plan ${file} ${read.error}`);
  const [first = '', ...rest] = read.value.toString('utf8').trimEnd().split('\n');
  const header = parsed(first);
  const tasks = rest.map(parsed);
  if (!isHeader(header) || !tasks.every(isTask))
    refuse(
      `${file} is a saved plan that this version cannot read, or it is damaged`,
      'make it again with shotlist plan --out',
    );
  if (isInRepository(file, resolve(dirname(file), header.pipeline))) return { header, tasks };
  refuse(
    `${file} names the pipeline file ${header.pipeline}, which is not in the repository of the plan`,
    'keep a saved plan in the repository of its pipeline file, or plan again there with --out',
  );
}

/** A plan from someone else must not choose among the pipelines of this machine. */
function isInRepository(file: string, pipeline: string): boolean {
  const folder = realPathOr(dirname(resolve(file)));
  return isWithin(realPathOr(pipeline), repositoryOf(folder));
}

const isTask = (value: unknown): value is RecordedTask =>
  isObject(value) && typeof value['task'] === 'string' && typeof value['action'] === 'string';

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Not JSON, so shotlist did not write it.
    return undefined;
  }
}

/** The pipeline file of a saved plan. */
export const pipelineOf = (file: string, { header }: SavedPlan): string =>
  relative('', resolve(dirname(file), header.pipeline)) || header.pipeline;

/** `now`: epoch milliseconds. */
export async function writeSavedPlan(
  file: string,
  prepared: Made,
  choices: SavedChoices,
  record: PlanRecord,
  now: number,
): Promise<void> {
  if (!file.endsWith(extension))
    refuse(`--out ${file}: the name of a saved plan ends in ${extension}`);
  if (!isInRepository(file, resolve(prepared.bound.file)))
    refuse(
      `--out ${file} is not in the repository of the pipeline file, and run would refuse such a plan`,
      `save it beside the pipeline file: ${join(dirname(prepared.bound.file), basename(file))}`,
    );
  const at = placeOf(file);
  if ('refused' in at) refuse(`--out ${file} ${at.refused}`);
  const { bound, planned, paths } = prepared;
  const { items, credits, unpriced, uncounted } = planned.plan;
  const pipeline = relative(dirname(resolve(file)), resolve(bound.file)).replaceAll('\\', '/');
  const header: Header = {
    shotlistPlan: 1,
    pipeline,
    made: new Date(now).toISOString(),
    service: paths.serviceName,
    choices,
    digests: await digestsOf(prepared, record),
    plan: { items, credits, unpriced, uncounted },
  };
  const lines = [header, ...record.tasks].map((line) => `${JSON.stringify(line)}\n`);
  try {
    await replaceFile(at.place, lines.join(''));
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    refuse(`--out ${file} ${systemReason(error)}`);
  }
}

async function digestsOf({ bound, paths }: Made, record: PlanRecord): Promise<Header['digests']> {
  const content = await contentOf(paths.state);
  const known = content === undefined ? {} : { state: content.sha256 };
  return { pipeline: bound.digest, ...known, tasks: record.digest };
}

/** Refuses a saved plan that is no longer what a run would do. */
export async function refuseIfStale(
  { header, tasks }: SavedPlan,
  prepared: Made,
  record: PlanRecord,
): Promise<void> {
  const { digests, service, made } = header;
  const now = await digestsOf(prepared, record);
  const stale = (why: string, hint = 'plan again with --out, and look at the new plan'): never =>
    refuse(`the plan of ${made} is out of date, so nothing was sent: ${why}`, hint);
  const { serviceName } = prepared.paths;
  if (service !== serviceName)
    stale(
      `it is for ${service}, and this run is for ${serviceName}`,
      'run it with the service and the flags of the plan',
    );
  if (digests.pipeline !== now.pipeline)
    stale('the pipeline file, or a file that it includes, has changed');
  if (digests.state !== now.state)
    stale('the state file has changed: another run or command has been at work since');
  if (digests.tasks === now.tasks) return;
  const task = firstDifference(tasks, record.tasks);
  const first = task === undefined ? '' : `; the first difference is ${task}`;
  stale(
    `files, items or inputs are not as they were${first}`,
    'plan again with --out; if the plan had flags such as --input, --state or --output, repeat them',
  );
}
