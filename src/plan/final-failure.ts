// Which failed creations `shotlist tick` does not repeat: nobody watches it, and the same request would fail again.
import { worthAnotherAttempt } from '../contract/api/failure.ts';
import type { JobLine } from '../model/line.ts';

/** The service will answer the same request in the same way. */
const lasting: readonly string[] = ['refused', 'not-found', 'expired', 'forbidden', 'canceled'];

/** Why a failed job is left to a person; undefined if it may begin again. `attempts`: `retry:` of its step. */
export function finalFailure(job: JobLine | undefined, attempts: number): string | undefined {
  if (job?.state !== 'failed' || job.error === undefined) return undefined;
  const { code, message } = job.error;
  const ended = job.project !== undefined;
  const final = ended
    ? !worthAnotherAttempt(code) || job.attempt >= attempts
    : lasting.includes(code);
  return final ? `${code}: ${message}` : undefined;
}
