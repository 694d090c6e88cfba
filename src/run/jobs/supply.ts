// The free jobs that make inputs: upload, face detection, hashing. Repeating them does no harm.

import { err, ok, type Result } from '../../base/result.ts';
import { extensionOf, mediaTypeOf } from '../../contract/api/asset.ts';
import { detectionRequest } from '../../contract/kinds.ts';
import type { LocalFile } from '../../core/ports.ts';
import { patiently } from '../../core/retry.ts';
import { lastingFaces, liveFaces, liveFromUploads } from '../../model/outputs.ts';
import type {
  DetectOrder,
  DigestOrder,
  JobOutcome,
  ReuploadOrder,
  SettleOrder,
  Unreadable,
  UploadOrder,
} from './job.ts';
import type { JobContext, Performance, Recorded } from './job-context.ts';
import { failed, outcomeOf, stopped } from './outcome.ts';
import { onThisDisk } from './store.ts';

export async function* upload(order: UploadOrder, context: JobContext): Performance {
  const { fingerprint: job, task, name, content, attempts, stored } = order;
  const here =
    stored === undefined
      ? undefined
      : await onThisDisk({ output: stored, from: { in: 'store' } }, attempts, context);
  if (here?.ok === false) return here.error;
  const at = here?.value.file ?? context.disk.fileAt(order.from);
  const sent = await send({ at, name, content }, attempts, context);
  await here?.value.release();
  if (!sent.ok) return sent.error;
  const result = { file_path: sent.value };
  yield { durable: false, event: { event: 'supplied', job, task, kind: 'upload', result } };
  return { is: 'done', live: result };
}

export async function* reupload(order: ReuploadOrder, context: JobContext): Performance {
  const paths: string[] = [];
  for (const file of order.files) {
    const { path: name, sha256: content } = file.output;
    const here = await onThisDisk(file, order.attempts, context);
    if (!here.ok) return here.error;
    const sent = await send({ at: here.value.file, name, content }, order.attempts, context);
    await here.value.release();
    if (!sent.ok) return sent.error;
    paths.push(sent.value);
    yield {
      durable: false,
      event: {
        event: 'supplied',
        job: file.fingerprint,
        task: order.task,
        kind: 'upload',
        result: { file_path: sent.value },
      },
    };
  }
  return { is: 'done', live: liveFromUploads(order.result, paths) };
}

interface FileToUpload {
  readonly at: LocalFile;
  readonly name: string;
  readonly content: string;
}

/** Uploads one file. If its upload address expired meanwhile, the next attempt requests a new one. */
async function send(
  file: FileToUpload,
  attempts: number,
  context: JobContext,
): Promise<Result<string, JobOutcome>> {
  const extension = extensionOf(file.name);
  const type = mediaTypeOf(extension) ?? 'image';
  const { api } = context;
  const sent = await patiently('free', attempts, context, async () => {
    const target = await api.uploadAddress({ type, extension });
    if (!target.ok) return target;
    const put = await api.put(target.value, file.at);
    return put.ok ? ok({ path: target.value.filePath, digest: put.value }) : put;
  });
  if (!sent.ok) return err(outcomeOf('supply', sent.error));
  if (sent.value.digest !== file.content)
    return err(failed(`${file.name} changed while it was being uploaded`));
  return ok(sent.value.path);
}

export async function* detect(order: DetectOrder, context: JobContext): Performance {
  const { api, clock, stop, outages, lookSchedule, looks } = context;
  let id = order.detection;
  if (id === undefined) {
    const begun = await patiently('free', order.attempts, context, () =>
      api.detectFaces(detectionRequest(order.body)),
    );
    if (!begun.ok) return outcomeOf('supply', begun.error);
    id = begun.value.id;
  }
  const detection = id;
  // Time during which the service was down does not count.
  const spent = (): number => clock.elapsed() - outages.waitedMs;
  const until = spent() + order.timeoutMs;
  const began = clock.elapsed();
  let seenMs = 0;
  using _ = lookSchedule.wait();
  for (;;) {
    // One that an earlier run began is probably over.
    const isOld = order.detection !== undefined && seenMs === 0;
    const dueMs = isOld ? 0 : lookSchedule.nextWhileWaiting(order.kind, seenMs);
    const pause = Math.min(dueMs - (clock.elapsed() - began), until - spent());
    if (pause > 0) await clock.sleep(pause, stop);
    const turn = await looks.turn([stop]);
    if (stop.aborted) return stopped;
    const byMs = clock.elapsed() - began;
    const read = await patiently('free', order.attempts, context, () =>
      api.faceDetection(detection),
    );
    if (!read.ok)
      return order.detection !== undefined && read.error.reason === 'not-found'
        ? { is: 'resupply', why: 'the face detection is gone' }
        : outcomeOf('supply', read.error);
    const record = read.value;
    if (record.status === 'complete') {
      turn?.giveBack();
      if (!isOld) lookSchedule.over(order.kind, { afterMs: seenMs, dueMs, byMs });
      const result = lastingFaces(record);
      if (order.detection === undefined)
        yield {
          durable: false,
          event: {
            event: 'supplied',
            job: order.fingerprint,
            task: order.task,
            kind: order.kind,
            result,
          },
        };
      return { is: 'done', live: liveFaces(record) };
    }
    if (record.status === 'error') return failed('the service could not look for faces in it');
    if (spent() >= until) return failed('the face detection was not over in time');
    // At least a millisecond, because 0 says that nobody has looked.
    seenMs = Math.max(1, byMs);
  }
}

/** Some jobs leave nothing to record. */
const nothing: readonly Recorded[] = [];

/** Waits until what is remembered of a request is known. */
export async function* settleRemembered(
  { fingerprint }: SettleOrder,
  { remembered, stop }: JobContext,
): Performance {
  await remembered?.settled(fingerprint, stop);
  if (stop.aborted) return stopped;
  yield* nothing;
  return { is: 'read', unreadable: [] };
}

/** Reads files. Unreadable files are reported, and the walk decides what that means. */
export async function* digest(order: DigestOrder, context: JobContext): Performance {
  const unreadable: Unreadable[] = [];
  for (const place of order.places) {
    const read = await context.disk.digest(place, context.stop);
    if (context.stop.aborted) return stopped;
    if (!read.ok) unreadable.push({ place, why: read.error });
  }
  yield* nothing;
  return { is: 'read', unreadable };
}
