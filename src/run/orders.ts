// Builds job orders: turns a step that is ready into plain data for a performer.

import { digestFrom } from '../base/digest.ts';
import { isObject } from '../base/json.ts';
import type { Download } from '../contract/api/project.ts';
import type { Facts } from '../core/disk-facts.ts';
import {
  downloadCount,
  isSomewhere,
  isStored,
  placeOf,
  wholeCopies,
} from '../core/recorded-files.ts';
import { timeoutOf } from '../core/timeout.ts';
import type { Step } from '../language/pipeline.ts';
import { type Fingerprint, fingerprintFrom, uploadFingerprint } from '../model/fingerprint.ts';
import type { JobLine, OutputLine } from '../model/line.ts';
import { resultOf } from '../model/line.ts';
import { nothingRemembered, type Remembered } from '../plan/remembered.ts';
import type { TakeChoice } from '../plan/takes.ts';
import type {
  AttachOrder,
  AwaitOrder,
  CopyOrder,
  CreateOrder,
  DeleteOrder,
  DetectOrder,
  OrderHead,
  ReuploadOrder,
  Source,
  StoreOrder,
} from './jobs/job.ts';

/** The number of tries for free requests, which only cost time. */
const freeAttempts = 5;

export function headOf(key: string, task: string, step: Step): OrderHead {
  const attempts =
    step.kind.operation === 'create' ? step.attempts : Math.max(step.attempts, freeAttempts);
  return { key, task, kind: step.kind.name, attempts };
}

/** What an order says of the take that it makes. */
export function orderedTake(take: TakeChoice | undefined): Pick<CreateOrder, 'take' | 'saveTo'> {
  if (take === undefined) return {};
  const { first: of, number } = take;
  return { ...(number === 1 ? {} : { take: { of, number } }), ...savedTo(take) };
}

const savedTo = (take: TakeChoice | undefined): Pick<CreateOrder, 'saveTo'> =>
  take?.saveTo === undefined ? {} : { saveTo: take.saveTo };

/** Waits for a paid project, or reads it again. */
export function attachOrder(
  head: OrderHead,
  step: Step,
  job: JobLine,
  take?: TakeChoice,
): AttachOrder {
  if (job.project === undefined)
    throw new Error(`bug: job ${job.job} is ${job.state} without a project`);
  return {
    ...head,
    operation: 'attach',
    attempts: Math.max(head.attempts, freeAttempts),
    fingerprint: fingerprintFrom(digestFrom(job.job)),
    project: job.project,
    settled: job.state !== 'created',
    since: Date.parse(job.at),
    credits: job.credits ?? 0,
    timeoutMs: timeoutOf(step),
    ...(job.adopted === undefined ? {} : { adopted: true as const }),
    ...savedTo(take),
  };
}

/** Waits for an event about an earlier run's creation whose outcome is unknown. */
export function awaitOrder(
  head: OrderHead,
  step: Step,
  job: JobLine,
  take?: TakeChoice,
): AwaitOrder {
  if (job.name === undefined) throw new Error(`bug: job ${job.job} is ${job.state} without a name`);
  return {
    ...head,
    operation: 'await',
    attempts: Math.max(head.attempts, freeAttempts),
    fingerprint: fingerprintFrom(digestFrom(job.job)),
    name: job.name,
    reserve: job.reserve ?? 0,
    timeoutMs: timeoutOf(step),
    ...savedTo(take),
  };
}

/** Reads a face detection of an earlier run again. */
export function rereadOrder(
  head: OrderHead,
  step: Step,
  job: JobLine,
  fingerprint: Fingerprint,
): DetectOrder {
  const id = resultOf(job)['id'];
  return {
    ...head,
    operation: 'detect',
    fingerprint,
    body: {},
    timeoutMs: timeoutOf(step),
    ...(typeof id === 'string' ? { detection: id } : {}),
  };
}

/** The same, or the store if there is no copy on this disk. */
const sourceOf = (output: OutputLine, facts: Facts): Source =>
  isSomewhere(output, facts) ? placeOf(output, facts) : { in: 'store' };

/** Uploads a deleted project's saved files to replace its addresses; undefined if the files are gone. */
export function reuploadOrder(
  head: OrderHead,
  job: JobLine,
  facts: Facts,
  remembered: Pick<Remembered, 'copies'> = nothingRemembered,
): ReuploadOrder | undefined {
  const copies = wholeCopies(job, facts) ?? remembered.copies(job);
  if (copies.length === 0) return undefined;
  return {
    ...head,
    operation: 'reupload',
    attempts: Math.max(head.attempts, freeAttempts),
    result: resultOf(job),
    files: copies.map((output) => ({
      fingerprint: uploadFingerprint(output.sha256),
      output,
      from: sourceOf(output, facts),
    })),
  };
}

export function copyOrder(
  head: OrderHead,
  to: string,
  fingerprint: Fingerprint,
  sources: readonly OutputLine[],
  facts: Facts,
): CopyOrder {
  return {
    ...head,
    operation: 'copy',
    fingerprint,
    to,
    sources: sources.map((output) => ({ output, from: sourceOf(output, facts) })),
  };
}

export function storeOrder(
  head: OrderHead,
  fingerprint: Fingerprint,
  outputs: readonly OutputLine[],
  facts: Facts,
): StoreOrder {
  const sources = outputs.map((output) => ({ output, from: placeOf(output, facts) }));
  return { ...head, operation: 'store', fingerprint, sources };
}

export function deleteOrder(
  about: Omit<DeleteOrder, 'operation'>,
  { discard }: Step,
  { outputs = [] }: JobLine,
  facts: Facts,
): DeleteOrder {
  if (discard) return { ...about, operation: 'delete' };
  const onDisk = outputs
    .filter((output) => isSomewhere(output, facts))
    .map((output) => ({ output, from: placeOf(output, facts) }));
  const onlyStored = outputs.filter(
    (output) => !isSomewhere(output, facts) && isStored(output, facts),
  );
  return { ...about, operation: 'delete', onlyStored, onDisk };
}

/** A project's addresses if they were just read and still work for a minute, to save another read. */
export function freshDownloads(
  listed: unknown,
  job: JobLine,
  now: number,
): { downloads?: readonly Download[] } {
  if (!Array.isArray(listed) || listed.length !== downloadCount(job)) return {};
  const downloads = listed.flatMap((entry) => {
    const { url, expires_at: until } = isObject(entry) ? entry : {};
    return typeof url === 'string' && typeof until === 'string' && Date.parse(until) > now + 60_000
      ? [{ url, expires_at: until }]
      : [];
  });
  return downloads.length === listed.length ? { downloads } : {};
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A name that people recognize in the hub, that is unique to the attempt, and that the service returns unchanged. */
export function attemptName(shown: string, chance: () => number): string {
  const token = Array.from(
    { length: 10 },
    () => alphabet[Math.floor(chance() * alphabet.length)],
  ).join('');
  // Databases, such as the service's, may take no NUL.
  return `${shown.slice(0, 80).toWellFormed().replaceAll('\u0000', '')} #${token}`;
}
