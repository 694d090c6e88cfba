// A run with nothing to do remembers what it compared. As long as all of that is the same, the next run has nothing to do
// either. It does not plan: it compares the stamps of the files, as Make does.

import { createHash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { Cleanup } from '../../base/cleanup.ts';
import { digestOf } from '../../base/digest.ts';
import { valueIn } from '../../base/json.ts';
import { readOwnFile } from '../../base/regular-file.ts';
import { repositoryOf } from '../../base/repository.ts';
import { ok, type Result } from '../../base/result.ts';
import { validatorOf } from '../../base/schema.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import { version } from '../../base/version.ts';
import type { Plan } from '../../core/plan-table.ts';
import type { RunEvent, Summary } from '../../core/run-event.ts';
import { summaryOf } from '../../core/summary.ts';
import { boundaryOf, checkOutput } from '../../files/boundary.ts';
import {
  areSame,
  FileStamps,
  type StampedFiles,
  stampOf,
  statsIfAny,
} from '../../files/file-stamps.ts';
import type { ItemList } from '../../files/items.ts';
import { fromCel } from '../../language/cel-value.ts';
import { measuredInItems } from '../../language/item-fields.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { resultOf } from '../../language/load/refusal.ts';
import { dayIn } from '../../language/schedule.ts';
import { stagesOf } from '../../language/stages.ts';
import type { Item } from '../../model/item.ts';
import { SettledTasks, type SkippedGroup, SkippedTasks, skipsOf } from '../../run/settled-tasks.ts';
import { type Content, contentOf } from '../../state/content.ts';
import { lockState } from '../../state/lock-state.ts';
import { replaceMemory } from '../../state/memory-file.ts';
import { pathsOf, type RunPaths } from '../../state/run-paths.ts';
import { checkOutputFolder } from '../../state/writable.ts';
import { smaller } from '../planning/refusals.ts';
import { listSelected } from '../planning/selected-items.ts';
import type { RunContext, RunOptions } from './context.ts';

/** Everything except the files, whose paths follow it. */
interface Compared {
  /** A digest of everything that is neither an item nor a file. */
  readonly terms: string;
  /** The state file. */
  readonly state: Content;
  /** A digest of the items. */
  readonly items: string;
  /** A digest of the stamps of all files. */
  readonly stamps: string;
  /** What the run told: its plan, the credits that stay reserved, and the tasks that are skipped. */
  readonly plan: Plan;
  readonly reserved: number;
  readonly skipped: readonly SkippedGroup[];
}

interface RememberedRun {
  readonly compared: Compared;
  /** As in `StampedFiles`. */
  readonly paths: Uint8Array;
}

const text = { type: 'string', maxLength: 64 } as const;

const comparedSchema = {
  type: 'object',
  required: ['terms', 'state', 'items', 'stamps', 'plan', 'reserved', 'skipped'],
  properties: {
    terms: text,
    items: text,
    stamps: text,
    state: {
      type: 'object',
      required: ['bytes', 'sha256'],
      properties: { bytes: { type: 'integer' }, sha256: text },
    },
    plan: {
      type: 'object',
      required: ['items', 'rows', 'credits'],
      properties: {
        items: { type: 'integer' },
        rows: { type: 'array' },
        credits: { type: 'number' },
      },
    },
    reserved: { type: 'number' },
    skipped: {
      type: 'array',
      items: {
        type: 'object',
        required: ['skips', 'items'],
        properties: {
          skips: { type: 'object', additionalProperties: { type: 'string' } },
          items: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
} as const;

/** More than the paths of a million files. */
const maxBytes = 200_000_000;
const lineFeed = 10;

/** Undefined if the file is missing or unreadable. */
function readUpToDate(file: string): RememberedRun | undefined {
  const read = readOwnFile(file, { max: maxBytes });
  if (!read.ok) return undefined;
  const bytes = read.value;
  const end = bytes.indexOf(lineFeed);
  if (end < 0) return undefined;
  const compared = valueIn(bytes.toString('utf8', 0, end));
  if (!validatorOf<Compared>(comparedSchema)(compared)) return undefined;
  return { compared, paths: bytes.subarray(end + 1) };
}

/** Replaces the file, unless there is too much to remember. The error says why that failed; the old file stays. */
async function writeUpToDate(
  file: string,
  { compared, paths }: RememberedRun,
): Promise<Result<void, string>> {
  const head = `${JSON.stringify(compared)}\n`;
  if (Buffer.byteLength(head) + paths.length > maxBytes) return ok(undefined);
  return await replaceMemory(file, head, paths);
}

/** True for an option that changes what there is to do, or what else the run does: such a run compares everything. */
const decides: Readonly<Record<keyof RunOptions, boolean>> = {
  // Among the terms.
  service: false,
  rehearse: false,
  hosted: false,
  state: false,
  output: false,
  allowOutside: false,
  env: false,
  // These make no difference if there is nothing to do.
  budget: false,
  confirm: false,
  confirmAbove: false,
  confirmReplace: false,
  replaceFiles: false,
  clock: false,
  signal: false,
  graceMs: false,
  onEvent: false,
  onLook: false,
  onLive: false,
  rehearsalSpeed: false,
  rehearsalPictures: false,
  items: true,
  only: true,
  until: true,
  exclude: true,
  reroll: true,
  requireOutputs: true,
  payAgain: true,
  savedPlan: true,
  due: true,
  detachAfterMs: true,
  commit: true,
  listen: true,
  webhookSecret: true,
  doubtTimeoutMs: true,
};

interface Told {
  readonly plan: Plan;
  readonly files: StampedFiles;
}

export class UpToDate {
  /** Of the files that the planning looks at. */
  readonly stamps: FileStamps;
  readonly #bound: BoundPipeline;
  readonly #context: RunContext;
  readonly #paths: RunPaths;
  readonly #skipped = new SkippedTasks();
  /** Of `run.date`; before the plan asks for it. */
  readonly #day: string;
  /** Set if the plan has found nothing to do, and nobody was warned. */
  #told: Told | undefined;

  private constructor(bound: BoundPipeline, context: RunContext) {
    this.#bound = bound;
    this.#context = context;
    this.#paths = pathsOf(bound, context.target, context.options);
    this.stamps = new FileStamps(bound.folder, () => context.clock.now());
    this.#day = dayIn(bound.pipeline.schedule?.timeZone ?? 'UTC', context.clock.now());
  }

  /** Undefined for a run that always compares everything. */
  static of(bound: BoundPipeline, context: RunContext): UpToDate | undefined {
    const { options, internals, webhooks, store } = context;
    const { pipeline } = bound;
    const given = Object.entries(options).some(
      ([name, value]) => isIn(name, decides) && decides[name] && isGiven(value),
    );
    const outside = [webhooks, store, internals.disk, internals.performer];
    if (given || outside.some((one) => one !== undefined)) return undefined;
    const { provenance, items, steps } = pipeline;
    if (provenance || measuredInItems(items).size > 0) return undefined;
    if (steps.some(({ fan, isGathered }) => fan !== undefined || isGathered)) return undefined;
    return new UpToDate(bound, context);
  }

  /** Reports that nothing is to do, if nothing has changed since a run found that out. Undefined: the run must plan. */
  async reportIfSame(began: number): Promise<Summary | undefined> {
    const { clock, options, onEvent, answer } = this.#context;
    const paths = this.#paths;
    if (!existsSync(paths.upToDate)) return undefined;
    await using cleanup = new Cleanup();
    // Whatever is refused here is refused again, and explained, when the run plans.
    if (checkOutput(this.#bound, options) !== undefined) return undefined;
    const onWarning = (message: string): void => onEvent({ type: 'warning', message });
    const locked = await resultOf(() => lockState(paths, 'run', { clock, onWarning, answer }));
    if (!locked.ok) return undefined;
    cleanup.defer(() => locked.value[Symbol.asyncDispose]());
    if (checkOutputFolder(paths)) return undefined;
    const known = readUpToDate(paths.upToDate);
    if (known === undefined || known.compared.terms !== this.#terms()) return undefined;
    const { compared, paths: files } = known;
    if (!(await hasContent(paths.state, compared.state))) return undefined;
    const listed = await this.#list();
    if (listed === undefined) return undefined;
    cleanup.defer(() => listed[Symbol.dispose]());
    if (this.#digestOf(listed) !== compared.items) return undefined;
    const stamped = { paths: files, digest: compared.stamps };
    if (!(await areSame(stamped, this.#bound.folder, options.signal))) return undefined;
    options.signal?.throwIfAborted();
    return await this.#report(compared, listed, began);
  }

  async #list(): Promise<ItemList | undefined> {
    const bound = this.#bound;
    const listed = await resultOf(() =>
      listSelected(
        bound,
        this.#paths,
        {},
        {
          boundary: boundaryOf(bound, this.#context.options),
          // What the headers say is the same as long as the files are.
          measured: new Set(),
        },
      ),
    );
    if (!listed.ok) return undefined;
    if (listed.value.warnings.length === 0) return listed.value;
    listed.value[Symbol.dispose]();
    return undefined;
  }

  async #report(
    { plan, reserved, skipped }: Compared,
    items: ItemList,
    began: number,
  ): Promise<Summary> {
    const { pipeline } = this.#bound;
    const { clock, options, onEvent, view } = this.#context;
    const budget = smaller(options.budget, pipeline.budget.credits);
    onEvent({ type: 'planned', plan, budget });
    const { tally } = view;
    const settled = new SettledTasks(tally, (event) => {
      tally.take(event, clock.elapsed());
      onEvent(event);
    });
    const { once, perItem, afterItems } = stagesOf(pipeline.steps);
    const one = pipeline.items.kind === 'one';
    const skips = skipsOf(skipped);
    await settled.passItems(items, perItem, () => false, skips);
    for (const step of [...once, ...afterItems]) settled.pass(step, skips()[step.name]);
    if (one) tally.countOne();
    const credits = { charged: 0, refunded: 0, reserved };
    const elapsedMs = clock.elapsed() - began;
    const summary = summaryOf(tally, 'done', { items: plan.items, credits, elapsedMs });
    onEvent({ type: 'ended', summary });
    return summary;
  }

  /** Call with every event of a run that plans. */
  hear(event: RunEvent): void {
    if (event.type === 'planned') {
      const { files } = this.stamps;
      if (files !== undefined) this.#told = { plan: event.plan, files };
    }
    if (event.type === 'planned' || event.type === 'warning') this.stamps.abandon();
    if (event.type === 'warning') this.#told = undefined;
    if (this.#told !== undefined) this.#skipped.hear(event);
  }

  /** Remembers what the run has compared, if it has found nothing to do. */
  async keep(items: ItemList, summary: Summary): Promise<void> {
    const told = this.#told;
    const state = told === undefined ? undefined : await contentOf(this.#paths.state);
    if (told === undefined || state === undefined) return;
    const { reused: _reused, skipped: _skipped, ...others } = summary.tasks;
    if (summary.outcome !== 'done' || Object.values(others).some((count) => count > 0)) return;
    const { redactor, onEvent } = this.#context;
    const { plan, files } = told;
    const skipped = redactor.value(this.#skipped.groups);
    const written = await writeUpToDate(this.#paths.upToDate, {
      compared: {
        terms: this.#terms(),
        state,
        items: this.#digestOf(items),
        stamps: files.digest,
        plan,
        reserved: summary.credits.reserved,
        skipped,
      },
      paths: files.paths,
    });
    if (written.ok) return;
    onEvent({
      type: 'warning',
      message: `${written.error}: the next run compares everything again`,
    });
  }

  /** Of a file, only the path counts: its stamp is compared, too. */
  #digestOf(items: Iterable<Item>): string {
    const isFile = this.#bound.pipeline.items.kind === 'glob';
    const hash = createHash('sha256');
    for (const { key, fields, matrix = {} } of items)
      hash.update(`${JSON.stringify([key, isFile ? fields['path'] : fields, matrix])}\n`);
    return hash.digest('hex');
  }

  /** Everything that a plan depends on, besides the state file, the items and the files. */
  #terms(): string {
    const { folder, digest, profile = null, base, named } = this.#bound;
    const { state, output, serviceName: service, manifests } = this.#paths;
    const stats = statsIfAny(manifests);
    return digestOf({
      version: version(),
      digest,
      profile,
      day: this.#day,
      inputs: fromCel(base.inputs),
      env: fromCel(base.env),
      named,
      folder,
      repository: repositoryOf(folder),
      state,
      output,
      service,
      outside: this.#context.options.allowOutside === true,
      // A run writes the manifests that are missing.
      manifests: stats === undefined ? '' : stampOf(stats),
    });
  }
}

const isIn = <T extends object>(name: PropertyKey, object: T): name is keyof T =>
  Object.hasOwn(object, name);

/** False for what an empty list of flags leaves. */
function isGiven(value: unknown): boolean {
  if (value === undefined || value === false) return false;
  if (value instanceof Set) return true;
  return typeof value !== 'object' || value === null || Object.values(value).some(isGiven);
}

async function hasContent(file: string, { bytes, sha256 }: Content): Promise<boolean> {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size !== bytes) return false;
    return (await contentOf(file))?.sha256 === sha256;
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return false;
  }
}
