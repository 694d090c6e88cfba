// Are a finished task's values still good for a request? Paths and addresses go stale, results do not.
import { assetLifetimeMs } from '../../contract/api/asset.ts';
import type { Operation } from '../../contract/kinds/kind.ts';
import type { JobLine } from '../journal/line.ts';
import { wholeCopies } from './decide.ts';
import type { Facts } from './facts.ts';

/**
 * - `recorded`: what the journal holds can be used as it is.
 * - `redo`: do the free task again.
 * - `read`: read the record again for fresh addresses.
 * - `upload`: the project is deleted; its downloaded files are uploaded in its place.
 * - `lost`: nothing is left; it would have to be paid again.
 */
export type Renewal = 'recorded' | 'redo' | 'read' | 'upload' | 'lost';

/** An upload is not trusted for its last hour: a request that is sent now is performed a little later. */
const marginMs = 3_600_000;

export function renewalOf(operation: Operation, job: JobLine, now: number, facts: Facts): Renewal {
  switch (operation) {
    case 'upload':
      return now - Date.parse(job.at) < assetLifetimeMs - marginMs ? 'recorded' : 'redo';
    case 'detect':
      return now - Date.parse(job.at) < assetLifetimeMs - marginMs ? 'read' : 'redo';
    case 'create': {
      if (job.state === 'complete') return 'read';
      const copies = wholeCopies(job, facts);
      return copies !== undefined && copies.length > 0 ? 'upload' : 'lost';
    }
    case 'download':
    case 'delete':
      return 'recorded';
  }
}

/** Why a request cannot be sent: a result that it needs is gone, here and at the service. */
export const lostInput = (task: string): string =>
  `${task} is needed, its project was deleted and its file is gone: it would have to be paid again`;
