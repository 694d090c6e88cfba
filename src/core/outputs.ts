// What expressions read of a task that is over: what stays true of it, by the record, and what holds now, by the service.
import { asJson, isObject, type Json, type JsonObject } from '../base/json.ts';
import { assetLifetimeMs } from '../contract/api/asset.ts';
import type { Project } from '../contract/api/project.ts';
import type { Operation } from '../contract/kinds.ts';
import { lastingOf, lengthOf } from '../model/outputs.ts';
import { current, type Move, projectOf } from '../model/record/job.ts';
import type { Charge, Job, Output } from '../model/record/line.ts';

/** What the record keeps of a complete project. When its addresses run out tells when it was complete. */
function resultOf(project: Project): JsonObject {
  const lasting = lastingOf(project);
  const [download] = project.downloads;
  return download?.expires_at ? { ...lasting, expires: download.expires_at } : lasting;
}

type End = Extract<Move, { readonly is: 'complete' | 'failed' }> & { readonly charge: Charge };

const reasonless = {
  error: 'the service gives no reason',
  canceled: 'stopped by hand in the hub',
} as const;

/** How a project ended; undefined if it has not. `charged`: the credits known so far, for a record without credits. */
export function endMove(
  project: Project,
  about: { readonly job: string; readonly attempt: string },
  charged: number,
  now: number,
): End | undefined {
  const { status } = project;
  const credits = project.credits_charged ?? (status === 'error' ? 0 : charged);
  const charge = { credits, read: new Date(now).toISOString() };
  if (status === 'complete') return { ...about, is: 'complete', charge, result: resultOf(project) };
  if (status !== 'error' && status !== 'canceled') return undefined;
  const fault = project.error ?? { code: status, message: reasonless[status] };
  return { ...about, is: 'failed', charge, fault };
}

/** Stands for an address where only its presence counts. No request may have it. */
export const address = 'shotlist:address';

/**
 * Undefined if the record does not know them yet. `withAddresses`: with a mark in the place of each address of the service, for
 * who counts; without, who asks for an address gets an error.
 */
export function recordedOutputs(
  operation: Operation,
  job: Job | undefined,
  withAddresses: boolean,
): JsonObject | undefined {
  if (job === undefined) return undefined;
  if (operation === 'upload') return asObject(suppliedIn(job)?.result);
  if (operation === 'detect') {
    const found = asObject(suppliedIn(job)?.result);
    if (found === undefined || !withAddresses) return found;
    const faces = Array.isArray(found['faces']) ? found['faces'] : [];
    return { ...found, faces: faces.map((face: Json) => ({ ...asObject(face), url: address })) };
  }
  if (operation !== 'create') return undefined;
  const attempt = current(job);
  const result = asObject(attempt?.result);
  const count = result?.['downloads'];
  if (attempt === undefined || result === undefined || typeof count !== 'number') return undefined;
  const entry: JsonObject = withAddresses ? { url: address, expires_at: '' } : {};
  const downloads = Array.from({ length: count }, () => entry);
  const { expires: _, ...values } = result;
  return {
    ...lengthOf(result),
    ...values,
    id: projectOf(attempt) ?? '',
    name: attempt.name,
    status: 'complete',
    credits_charged: attempt.charge?.credits ?? 0,
    downloads,
    ...(withAddresses && count > 0 ? { url: address, download: entry } : {}),
  };
}

/** Of a download: what it has saved, under the paths that an upload takes. */
export function savedOutputs(files: readonly Output[]): JsonObject | undefined {
  const sorted = [...files].sort((a, b) => a.index - b.index);
  const [first] = sorted;
  if (first === undefined) return undefined;
  return {
    path: first.path,
    paths: sorted.map(({ path }) => path),
    bytes: sorted.reduce((sum, { bytes }) => sum + bytes, 0),
    sha256: first.sha256,
    ...(first.seconds === undefined ? {} : { duration: first.seconds }),
  };
}

function asObject(value: unknown): JsonObject | undefined {
  const json = value === undefined ? undefined : asJson(value);
  return isObject(json) ? json : undefined;
}

/** What an upload or a detection found. A person who wants it done again leaves nothing of it. */
export function suppliedIn(job: Job | undefined): Job['supplied'] {
  const supplied = job?.supplied;
  return supplied === undefined || Object.keys(supplied.result).length === 0 ? undefined : supplied;
}

/** The service performs a request some time after it is sent. */
const marginMs = 3_600_000;

/** Until when the service has what was uploaded. */
export const endOfSupply = (since: number): number => since + assetLifetimeMs - marginMs;
