// What a project's record says about a job that was paid for: it is over, or it is not yet.
import type { Project } from '../../../contract/api/project.ts';
import type { Happened } from '../../journal/line.ts';
import { lastingOf } from '../../task/outputs.ts';

/** How a project ended. */
export type Settlement = Extract<Happened, { readonly event: 'settled' }> & {
  readonly status: 'complete' | 'error' | 'canceled';
};

/** `charged`: credits known so far, for a record that does not say. Undefined: the project is still in the works. */
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
