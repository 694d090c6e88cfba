// How a project ended, as an event of the state file.
import type { Project } from '../contract/api/project.ts';
import type { NewEvent } from '../model/line.ts';
import { lastingOf } from '../model/outputs.ts';

/** How a project ended. */
export type Settlement = Extract<NewEvent, { readonly event: 'settled' }> & {
  readonly status: 'complete' | 'error' | 'canceled';
};

/** `charged`: the credits known so far, for a record without credits. Undefined if the project has not ended. */
export function settlementOf(
  job: string,
  record: Project,
  charged: number,
): Settlement | undefined {
  const { status } = record;
  const credits = record.credits_charged ?? (status === 'error' ? 0 : charged);
  if (status === 'complete') {
    const [expires] = record.downloads
      .map(({ expires_at: at }) => at)
      .filter((at) => at !== '')
      .sort();
    return {
      event: 'settled',
      job,
      status,
      credits,
      ...(expires === undefined ? {} : { expires }),
      result: lastingOf(record),
    };
  }
  if (status !== 'error' && status !== 'canceled') return undefined;
  const error = record.error ?? { code: status, message: reasonless[status] };
  return { event: 'settled', job, status, credits, error };
}

const reasonless = {
  error: 'the service gives no reason',
  canceled: 'stopped by hand in the hub',
} as const;
