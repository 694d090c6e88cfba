// `status`: shows the state file. Sends and writes nothing, even while a run continues.
import { ok, type Result } from '../../contract/base/result.ts';
import { realClock } from '../adapters/clock.ts';
import { HashCache } from '../adapters/files/hash-cache.ts';
import { SavedFiles } from '../adapters/files/saved-files.ts';
import { storeNameOf } from '../language/store.ts';
import { conditionOf, isSomewhere, isStored } from '../plan/recorded-files.ts';
import { resultFates } from '../plan/result-fate.ts';
import { type Status, statusOf } from '../report/status.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { boundPipeline } from './pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import type { Problem } from './pipeline/problem.ts';
import { type LocateOptions, locateState } from './state/locate-state.ts';
import { headerOf, openState } from './state/open-state.ts';

export interface StatusOptions extends LocateOptions {
  /** Paid results whose addresses expire within this time are marked, in milliseconds; default 6 hours. */
  readonly expiringMs?: number | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

export interface StatusReport extends Status {
  /** The state file. */
  readonly state: string;
  /** The address of the service that the state file belongs to, or `rehearsal`. */
  readonly service: string;
}

/**
 * Says what the state file holds: credits, results that are not saved yet, doubts and failures. Sends nothing.
 *
 * @example
 * ```ts
 * import { loadPipeline, renderProblem, status } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const report = await status(loaded.value);
 * if (report.ok) console.log(report.value.credits.charged, report.value.doubts.length);
 * else console.log(renderProblem(report.error));
 * ```
 */
export async function status(
  loaded: LoadedPipeline,
  options: StatusOptions = {},
): Promise<Result<StatusReport, Problem>> {
  const { clock = realClock, expiringMs = 6 * 3_600_000, onWarning = () => undefined } = options;
  const bound = boundPipeline(loaded);
  const { paths } = locateState(bound, options);
  const opened = await openState(bound, paths, 'read', { clock, onWarning });
  if (!opened.ok) return opened;
  await using open = opened.value;
  const header = headerOf(open, bound);
  if (!header.ok) return header;
  const { running, state } = open;
  const fateOf = resultFates(bound.pipeline.steps);
  const { hashes, kept } = paths;
  using cache = new HashCache(hashes, 'read');
  const facts = new SavedFiles({
    ...{ folder: bound.folder, kept, hashes: cache },
    store: storeNameOf(bound.pipeline),
  });
  const found = statusOf(state.ledger, {
    ...{ now: clock.now(), expiringMs, fateOf, running },
    isStored: (output) => isStored(output, facts),
    conditionOf: (output) => (isSomewhere(output, facts) ? 'whole' : conditionOf(output, facts)),
  });
  return ok({ state: paths.state, service: header.value.service, ...found });
}
