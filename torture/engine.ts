// Torture of a distributed run: a real Postgres, worker and coordinator processes that are killed and frozen, a database that
// crashes, and a service with faults. In the end, everything is let run to completion, and both ledgers must agree.
import { chanceOf } from '../src/base/chance.ts';
import { type LocalService, startService } from '../src/service/start.ts';
import { type Postgres, startPostgres } from '../test/postgres.ts';
import { endFaults, engineFaults } from './engine-faults.ts';
import { checkEngineEnd, noNameTwice } from './engine-invariants.ts';
import { type Counts, drawPlan, type Pauses } from './engine-plan.ts';
import { attemptsIn, auditDoubts } from './engine-record.ts';
import { EngineRound, type EngineTotals } from './engine-round.ts';
import { auditLedgers } from './ledger-audit.ts';
import { undisturbed } from './runner.ts';
import { openWorkerPool } from './worker-pool.ts';
import { creditsOf, openWorkspace, type Terms, type Workspace } from './workspace.ts';

export interface EngineTorture extends Counts {
  readonly seed: number;
  readonly workers: number;
  /** How many photos there are, and how many come along each time when all are done too early. */
  readonly items: number;
  readonly pauses?: Pauses;
  /** How many orders a worker performs at once. */
  readonly places?: number;
  /** The file of the command that workers run; default: that of the sources, which takes longer to start. */
  readonly main?: string;
  readonly onEvent: (line: string) => void;
  /** Hears everything that happens. */
  readonly onNote?: ((line: string) => void) | undefined;
}

export interface EngineTortured extends EngineTotals {
  readonly projects: number;
  /** Doubts because a process was gone, and creations that were open at the blows. */
  readonly doubts: number;
  readonly open: number;
  /** Doubts because the service lost an answer, and its faults of all kinds. */
  readonly cut: number;
  readonly faults: number;
  readonly violations: readonly string[];
}

const key = 'torture-engine';
/** The opening balance in credits: more than any run spends. */
const opening = 10_000_000;
const second = 'picture';
/** More photos than any run has, for the budget. */
const most = 50_000;
/** How many items are in flight at once. */
const window = 64;

export async function tortureEngine(options: EngineTorture): Promise<EngineTortured> {
  const postgres = await startPostgres({ settings: { max_connections: '300' } });
  const terms: Terms = {
    second,
    items: options.items,
    budget: creditsOf({ second, items: most }),
    window,
  };
  const workspace = await openWorkspace(terms);
  const service = await startService({
    ...{ key, credits: opening, tier: 'business', pictures: 'plain' },
    ...{ seed: 1, faults: { faults: engineFaults } },
  });
  let clean = false;
  try {
    const tortured = await torture(options, { postgres, workspace, service, terms });
    clean = tortured.violations.length === 0;
    if (!clean) options.onEvent(`see ${workspace.folder}; again: --seed ${options.seed}`);
    return tortured;
  } finally {
    await service.close();
    await postgres.stop();
    if (clean) await workspace.remove();
  }
}

interface Parts {
  readonly postgres: Postgres;
  readonly workspace: Workspace;
  readonly service: LocalService;
  readonly terms: Terms;
}

async function torture(
  options: EngineTorture,
  { postgres, workspace, service, terms }: Parts,
): Promise<EngineTortured> {
  const { seed, items, onEvent, pauses = { between: 1500, frozen: [5000, 60_000] } } = options;
  const chance = chanceOf(seed, 1);
  const database = await postgres.newDatabase();
  const plan = drawPlan(chance, options, pauses);
  await using round = new EngineRound({
    ...{ chance, plan, postgres, database, workspace, service, items, onEvent },
    onNote: options.onNote,
    ...{ workers: options.workers, places: options.places ?? 8, main: options.main },
  });
  await round.play();
  const { totals, blows, story } = round;
  const faults = round.faults ?? (await endFaults(service));
  const doubts = auditDoubts(await attemptsIn(database), blows, faults.lossy);
  for (const violation of doubts.violations) story.find(violation);
  const audit = await auditLedgers(workspace, service);
  if (typeof audit === 'string') story.find(audit);
  else if (story.violations.length > 0)
    for (const violation of noNameTwice(service)) story.find(violation);
  else {
    const reference = await undisturbedRun(totals.items);
    const known = { ...terms, items: totals.items };
    const context = { workspace, terms: known, reference, opening };
    for (const violation of checkEngineEnd(audit, service, context)) story.find(violation);
    await round.runForFree();
  }
  if (story.violations.length > 0) await round.leaveEvidence();
  return {
    ...{ ...totals, projects: typeof audit === 'string' ? 0 : audit.paid.length },
    ...{ doubts: doubts.gone, open: doubts.open, cut: doubts.cut, faults: faults.all },
    violations: story.violations,
  };
}

async function undisturbedRun(items: number): Promise<ReadonlyMap<string, string>> {
  const pool = openWorkerPool(1, key);
  try {
    return await undisturbed(second, items, key, pool);
  } finally {
    pool.close();
  }
}
