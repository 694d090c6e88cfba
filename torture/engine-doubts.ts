// Resolves doubts of a distributed run while it is under way, as a person does who looks into the hub.

import { type Resolution, resolve } from '../src/features/resolve/resolve.ts';
import { loadPipeline } from '../src/language/load/load.ts';
import { renderProblem, resultOf } from '../src/language/load/refusal.ts';
import type { LocalService } from '../src/service/start.ts';
import { attemptsIn } from './engine-record.ts';
import { ownReceipts } from './own-receipts.ts';
import type { Workspace } from './workspace.ts';

export interface Resolving {
  readonly workspace: Workspace;
  /** The address of the database. */
  readonly database: string;
  readonly service: LocalService;
}

export interface ResolvedDoubts {
  readonly resolved: number;
  /** Why others stay, for now. */
  readonly refused: readonly string[];
}

/** At most so many at once: a person is slow. */
const most = 8;

export async function resolveInDatabase({
  workspace,
  database,
  service,
}: Resolving): Promise<ResolvedDoubts> {
  const loaded = await loadPipeline(workspace.file);
  const env = {
    ...ownReceipts(),
    ...{ SHOTLIST_BASE_URL: service.address, SHOTLIST_API_KEY: service.key },
  };
  const newest = new Map((await attemptsIn(database)).map((one) => [one.job, one]));
  const doubts = [...newest.values()].filter(({ end }) => end === 'doubt');
  const refused: string[] = [];
  let resolved = 0;
  for (const { name } of doubts.slice(0, most)) {
    const charge = service.ledger().find((entry) => entry.kind === 'charge' && entry.name === name);
    const resolution: Resolution =
      typeof charge?.project === 'string'
        ? { how: 'project', project: charge.project }
        : { how: 'not-charged' };
    const done = await resultOf(() => resolve(loaded, name, resolution, { env, engine: database }));
    if (done.ok) resolved += 1;
    else {
      const why = renderProblem(done.error);
      if (!isPast(why)) refused.push(`${name} (${resolution.how}): ${why}`);
    }
  }
  return { resolved, refused };
}

/** It was healed meanwhile, or the run has ended and its record is in the state file. */
const isPast = (why: string): boolean => /is not in doubt|not in the database/.test(why);
