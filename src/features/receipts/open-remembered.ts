// Opens what is remembered of a pipeline's requests, for a plan or a run.

import type { Cleanup } from '../../base/cleanup.ts';
import type { Redactor } from '../../base/redactor.ts';
import type { Env } from '../../base/user-folder.ts';
import type { RealDisk } from '../../files/disk.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { storeNameOf } from '../../language/store.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import { lazyClient } from '../../service-api/lazy-client.ts';
import type { Target, Unasked } from '../../service-api/target.ts';
import type { Loaded } from '../../state/load-state.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { ReceiptBook } from './receipt-book.ts';
import { RememberedPayments, type ServiceInquiry } from './remembered-payments.ts';

export interface OpenedReceipts {
  readonly book: ReceiptBook;
  readonly remembered: RememberedPayments;
}

interface CoordinatedRun {
  readonly run: { readonly terms: { readonly run: string } };
  /** The jobs to which something has happened while nobody coordinated it. */
  readonly changed: Iterable<string>;
}

interface Opening {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly target: Target | Unasked;
  readonly state: Loaded;
  /** The version of the state file in git's HEAD, if it has more. */
  readonly head: Ledger | undefined;
  readonly disk: RealDisk;
  readonly access: 'plan' | 'run';
  readonly env: Env;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly onWarning: (message: string) => void;
  /** The run in a database that this process coordinates. */
  readonly session: CoordinatedRun | undefined;
  /** Closes everything that was opened. */
  readonly cleanup: Cleanup;
}

export function openReceipts(opening: Opening): OpenedReceipts {
  const { bound, paths, target, state, disk, access, env, clock, onWarning, cleanup } = opening;
  const { session, head } = opening;
  const service = paths.serviceName;
  const book = new ReceiptBook({
    ...{ bound, paths, service, env, onWarning, now: () => clock.now() },
    ...{ readOnly: access === 'plan', engineRun: session?.run.terms.run },
  });
  cleanup.defer(() => book.close());
  if (session !== undefined) book.catchUp(state.ledger, session.changed);
  const remembered = new RememberedPayments({
    ...{ book, ledger: state.ledger, head, clock, store: storeNameOf(bound.pipeline) },
    inquiry: target.kind === 'hosted' ? inquiryOf(target, opening) : undefined,
    lend: ({ path, sha256 }) => disk.lend(sha256, path),
  });
  return { book, remembered };
}

/** Connects when the first question is asked. */
function inquiryOf(
  { address, key }: Extract<Target, { readonly kind: 'hosted' }>,
  { clock, redactor, cleanup }: Opening,
): ServiceInquiry {
  const api = lazyClient({ base: address, key, clock, redactor });
  cleanup.defer(() => api.close());
  return { key, api };
}
