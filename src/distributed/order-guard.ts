// What an order may touch on this host. Orders come from a database: whoever can write there must not be able to make a
// worker read or write anything but what the pipeline file of this host names.
import { relative, resolve } from 'node:path';
import { realPathOr } from '../base/real-path.ts';
import { err, ok, type Result } from '../base/result.ts';
import { validatorOf } from '../base/schema.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import { reasonOf } from '../contract/api/bounds.ts';
import type { Operation } from '../contract/kinds.ts';
import type { Boundary } from '../files/boundary.ts';
import { canFind } from '../files/glob-source.ts';
import type { Items } from '../language/items.ts';
import type { Pipeline, Step } from '../language/pipeline.ts';
import { privatePart } from '../language/reserved-name.ts';
import type { Template } from '../language/template.ts';
import { stepOf } from '../model/task.ts';
import { outputPath } from '../plan/output-path.ts';
import type { JobOrder, Place, Source } from '../run/jobs/job.ts';
import { readOrder } from '../run/jobs/wire-schemas.ts';
import type { IssuedOrder } from './database/batch.ts';

// The schema of an order as its coordinator issued it, which a worker reads from a database that others write to.

/** All but the order itself, which is read by its operation. */
export const issuedSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['order', 'epoch', 'seen'],
  properties: {
    order: { type: 'object' },
    epoch: { type: 'integer', minimum: 1 },
    seen: { type: 'integer', minimum: 0 },
    seenMs: { type: 'number', minimum: 0 },
  },
} as const;

/** The error is the end of a sentence about the order. */
export function readIssuedOrder(value: unknown): Result<IssuedOrder, string> {
  const validate = validatorOf<IssuedOrder>(issuedSchema);
  if (!validate(value)) return err(reasonOf(validate.errors));
  const order = readOrder(value.order);
  return order.ok ? ok(value) : order;
}

export interface Ground {
  /** Absolute: the folder of the pipeline file. */
  readonly folder: string;
  readonly boundary: Pick<Boundary, 'refusal'>;
  /** The pipeline of this host. */
  readonly pipeline: Pick<Pipeline, 'items' | 'steps'>;
}

/** Reads an order from the queue; the error is the end of a sentence about the order. */
export function readGuarded(value: unknown, ground: Ground): Result<IssuedOrder, string> {
  const read = readIssuedOrder(value);
  if (!read.ok) return read;
  const why = refusalOf(read.value.order, ground);
  return why === undefined ? read : err(why);
}

/** The steps that an order of each operation may be for; a digest only reads. */
const performs: Readonly<Record<JobOrder['operation'], Operation | undefined>> = {
  upload: 'upload',
  reupload: 'create',
  detect: 'detect',
  create: 'create',
  attach: 'create',
  await: 'create',
  download: 'download',
  copy: 'download',
  store: 'download',
  delete: 'delete',
  digest: undefined,
  // Never leaves the coordinator.
  settle: undefined,
};

function refusalOf(order: JobOrder, ground: Ground): string | undefined {
  const { folder, boundary, pipeline } = ground;
  const step = pipeline.steps.find(({ name }) => name === stepOf(order.task));
  if (step === undefined) return `the pipeline has no step for ${JSON.stringify(order.task)}`;
  const operation = performs[order.operation];
  const fits =
    operation === undefined || (step.kind.operation === operation && step.kind.name === order.kind);
  if (!fits) return `the step ${step.name} does not ${order.operation}`;
  for (const path of pathsIn(order)) {
    const at = resolve(folder, path);
    const secret = privatePart(path) ?? privatePart(relative(realPathOr(folder), realPathOr(at)));
    if (secret !== undefined) return `${path} is private: no order reads ${secret}`;
    const why = boundary.refusal(at);
    if (why !== undefined) return `${path} ${why}`;
  }
  if (order.operation === 'upload') {
    const why = uploadRefusal(order, step, ground);
    if (why !== undefined) return why;
  }
  for (const to of targetsIn(order)) {
    const target = outputPath(to, { index: 0, count: 1, extension: 'bin' });
    if (!target.ok) return target.error;
    if (order.operation !== 'download' && order.operation !== 'copy') continue;
    if (!canBe(fieldOf(step, 'to'), to, undefined))
      return `the step ${step.name} writes no ${JSON.stringify(to)}`;
  }
  return undefined;
}

/** An upload sends a media file that the step's `file:` can name, under the file's own name. */
function uploadRefusal(
  { from, name }: Extract<JobOrder, { readonly operation: 'upload' }>,
  step: Step,
  { folder, pipeline }: Ground,
): string | undefined {
  if (from.in !== 'input' || from.path !== name) return `${name} is the name of another file`;
  if (mediaTypeOf(extensionOf(name)) === undefined) return `${name} is no media file`;
  const found = foundBy(pipeline.items, folder);
  return canBe(fieldOf(step, 'file'), name, found)
    ? undefined
    : `the step ${step.name} does not name ${name}`;
}

type Found = ((path: string) => boolean) | undefined;

const foundBy = (items: Items, folder: string): Found =>
  items.kind === 'glob' ? canFind(items.patterns, folder) : undefined;

const fieldOf = (step: Step, field: string): Template | undefined =>
  step.with.kind === 'object' ? step.with.fields.find(([name]) => name === field)?.[1] : undefined;

/** Whether a template can have a text as its value. The values of inputs, rows and results are not known here. */
function canBe(template: Template | undefined, text: string, found: Found): boolean {
  switch (template?.kind) {
    case 'value':
      return String(template.value) === text;
    case 'expression':
      return found === undefined || template.expression.text !== 'item.path' || found(text);
    case 'text':
      return hasParts(
        text,
        template.parts.map((part) => (typeof part === 'string' ? part : undefined)),
      );
    default:
      return false;
  }
}

/** Whether a text consists of these parts, one after the other; undefined stands for any text. */
function hasParts(text: string, parts: readonly (string | undefined)[]): boolean {
  const last = parts.at(-1);
  const end = text.length - (last ?? '').length;
  if (last !== undefined && !text.endsWith(last)) return false;
  let at = 0;
  let isOpen = false;
  for (const part of parts.slice(0, -1)) {
    if (part !== undefined) {
      const found = text.indexOf(part, at);
      if (found < 0 || (!isOpen && found !== at)) return false;
      at = found + part.length;
    }
    isOpen = part === undefined;
  }
  return last === undefined || isOpen ? at <= end : at === end;
}

/** Relative to the pipeline file. */
function pathsIn(order: JobOrder): readonly string[] {
  switch (order.operation) {
    case 'upload':
      return [...ofPlace(order.from), ...(order.stored === undefined ? [] : [order.stored.path])];
    case 'reupload':
      return order.files.flatMap(({ output, from }) => [output.path, ...ofPlace(from)]);
    case 'copy':
    case 'store':
      return order.sources.flatMap(({ output, from }) => [output.path, ...ofPlace(from)]);
    case 'digest':
      return order.places.flatMap(ofPlace);
    case 'delete':
      return [
        ...(order.onlyStored ?? []).map(({ path }) => path),
        ...(order.onDisk ?? []).flatMap(({ output, from }) => [output.path, ...ofPlace(from)]),
      ];
    default:
      return [];
  }
}

const ofPlace = (place: Place | Source): readonly string[] => ('path' in place ? [place.path] : []);

/** Below the output folder. */
function targetsIn(order: JobOrder): readonly string[] {
  if ('to' in order) return [order.to];
  return 'saveTo' in order && order.saveTo !== undefined ? [order.saveTo] : [];
}
