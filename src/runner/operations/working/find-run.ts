// Finds the run whose folder a worker sees: the canary there must be the one that the coordinator wrote.
import type { EngineDatabase, EngineRun } from '../../run/engine/database.ts';
import { hasCanary } from '../state/engine/canary.ts';

export interface FoundRuns {
  /** The open run of the folder. */
  readonly own: EngineRun | undefined;
  /** The number of open runs with other folders. */
  readonly others: number;
}

export async function findRun(database: EngineDatabase, root: string): Promise<FoundRuns> {
  const open = (await database.runs()).filter(({ stage }) => stage === 'open');
  const own = open.find((run) => hasCanary(root, run));
  return { own, others: open.length - (own === undefined ? 0 : 1) };
}
