// Connects to the service of a run: the hosted one, or the local one in this process.

import type { Clock } from '../core/ports.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import { type LedgerEntry, type Pictures, type Speed, startService } from './local-service.ts';
import type { Target } from './target.ts';

interface Connection {
  readonly address: string;
  readonly key: string;
  /** In a rehearsal only: the ledger of the local service. */
  ledger?(): readonly LedgerEntry[];
  /** In a rehearsal only: what the previews of these kinds of steps should be judged by. */
  notes?(kinds: ReadonlySet<string>): readonly string[];
  close(): Promise<void>;
}

interface ConnectOptions {
  readonly target: Target;
  /** Of a rehearsal: its folder beside the pipeline, and the one with the data of its local service. */
  readonly folders: RehearsalFolders;
  readonly clock: Clock;
  readonly speed: Speed;
  readonly pictures: Pictures;
  /** Credits for creations without a published price, by tool. */
  readonly stated: ReadonlyMap<string, number>;
}

interface RehearsalFolders {
  readonly runFolder: string;
  readonly serviceData: string;
}

/** The plan of a rehearsal's account. */
export const rehearsalTier = 'pro';

/** More than any rehearsal spends. */
const rehearsalCredits = 1_000_000_000;

/** The hosted service, or the local one in this process, with its data outside of the pipeline's folder. Errors: that data is damaged or in use. */
export async function connectService({
  target,
  folders,
  clock,
  ...manner
}: ConnectOptions): Promise<Connection> {
  if (target.kind === 'hosted')
    return { address: target.address, key: target.key, close: async () => undefined };
  try {
    const service = await startService({
      data: folders.serviceData,
      credits: rehearsalCredits,
      tier: rehearsalTier,
      temporaryKey: true,
      events: false,
      ...manner,
      now: () => clock.now(),
    });
    return service;
  } catch (error) {
    throw new Refusal(rehearsalDataProblem(error, folders));
  }
}

/** Why the local service cannot use its data. Rethrows any other error. */
export function rehearsalDataProblem(error: unknown, { runFolder }: RehearsalFolders): Problem {
  if (!(error instanceof Error && 'code' in error && error.code === 'DATA_FOLDER')) throw error;
  const hint = `${runFolder} holds nothing but this pipeline's rehearsal: to start the rehearsal over, remove the folder`;
  return problem(error.message, 'the rehearsal', hint);
}

/** A rehearsal at speed `instant` takes only as long as its previews, of whatever tool. */
export function speedFactorOf(target: Target, speed: Speed): number {
  if (target.kind === 'hosted' || speed === 'realtime') return 1;
  return speed === 'instant' ? 1000 : speed;
}
