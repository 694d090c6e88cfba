// Decides whether a finished task's values are still valid for a request: paths and addresses
// expire, results do not.
import { assetLifetimeMs } from '../contract/api/asset.ts';
import type { Operation } from '../contract/kinds.ts';
import type { Facts } from '../core/disk-facts.ts';
import { filesElsewhere, wholeCopies } from '../core/recorded-files.ts';
import type { JobLine } from '../model/line.ts';
import { elsewhereHint } from './reason.ts';
import { nothingRemembered, type Remembered } from './remembered.ts';

/**
 * - `recorded`: the journal's values are still valid.
 * - `redo`: do the free task again.
 * - `read`: read the record again for fresh addresses.
 * - `upload`: the project is deleted; its downloaded files, from this disk or the store, are
 *   uploaded in its place.
 * - `lost`: nothing is left; the result would have to be paid for again.
 */
export type Renewal = 'recorded' | 'redo' | 'read' | 'upload' | 'lost';

/**
 * An upload is not trusted in its last hour, because the service performs a request some time after
 * it is sent.
 */
const marginMs = 3_600_000;

export function renewalOf(
  operation: Operation,
  job: JobLine,
  now: number,
  facts: Facts,
  remembered: Pick<Remembered, 'copies' | 'deletedElsewhere'> = nothingRemembered,
): Renewal {
  switch (operation) {
    case 'upload':
      return now - Date.parse(job.at) < assetLifetimeMs - marginMs ? 'recorded' : 'redo';
    case 'detect':
      return now - Date.parse(job.at) < assetLifetimeMs - marginMs ? 'read' : 'redo';
    case 'create': {
      if (job.state === 'complete' && remembered.deletedElsewhere(job) === undefined) return 'read';
      const copies = wholeCopies(job, facts) ?? remembered.copies(job);
      return copies.length > 0 ? 'upload' : 'lost';
    }
    case 'download':
    case 'delete':
      return 'recorded';
  }
}

export const payAgainHint = '--pay-again would pay for it again';

/** Why a request cannot be sent: a result that it needs is neither here nor at the service. */
export function lostInput(task: string, job: JobLine, facts: Facts): string {
  const needed = `${task} is needed, but its project was deleted and`;
  const [away] = filesElsewhere(job, facts) ?? [];
  return away === undefined
    ? `${needed} its file is gone; it would have to be paid for again`
    : `${needed} ${elsewhereHint(away.path)}`;
}

/** Why a request cannot be sent: its upload must be repeated, and the uploaded file is in another checkout. */
export const awayUpload = (task: string, path: string): string =>
  `${task} must be uploaded again, but ${elsewhereHint(path)}, ` +
  'or use --require-outputs while its project is at the service';
