// `run --engine`: opens what a run on several machines needs, or refuses.

import type { Env } from '../../base/user-folder.ts';
import type { Clock } from '../../core/ports.ts';
import type { Engine } from '../../distributed/coordinator.ts';
import type { Target } from '../../service-api/target.ts';
import { addressOf } from '../engine-address.ts';
import { refuse } from '../refuse.ts';

interface Place {
  readonly pipeline: string;
  readonly target: Target;
  readonly clock: Clock;
  readonly env: Env;
  readonly signal: AbortSignal | undefined;
  readonly onNote: (message: string) => void;
}

/** Undefined for a run on this machine alone. */
export async function engineFor(
  given: string | undefined,
  { pipeline, target, env, ...about }: Place,
): Promise<Engine | undefined> {
  if (given === undefined) return undefined;
  if (target.kind === 'rehearsal')
    refuse(
      '--engine: a rehearsal is of one machine',
      'shotlist serve is a service for several: set SHOTLIST_BASE_URL and SHOTLIST_API_KEY as it says',
    );
  // Most runs have no database.
  const { openEngine } = await import('../../distributed/coordinator.ts');
  const { workerSecret } = await import('../../distributed/errand.ts');
  const engine = await openEngine({
    ...about,
    address: await addressOf(given),
    secret: workerSecret(env),
    pipeline,
    service: target.address,
  });
  return engine ?? refuse('the coordinator that this one stood by for has ended the run');
}
