// Opens what is remembered of a pipeline's requests, for a plan or a run.
import type { Cleanup } from '../base/cleanup.ts';
import type { Redactor } from '../base/redactor.ts';
import type { Env } from '../base/user-folder.ts';
import type { OrderClaims } from '../distributed/engine-performer.ts';
import type { RealDisk } from '../files/disk.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { storeNameOf } from '../language/store.ts';
import type { Ledger } from '../model/ledger.ts';
import { stateAfter } from '../model/state.ts';
import type { CreateOrder } from '../run/jobs/job.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { lazyClient } from '../service-api/lazy-client.ts';
import type { Target, Unasked } from '../service-api/target.ts';
import type { Loaded } from '../state/load-state.ts';
import { ReceiptBook } from '../state/receipts/receipt-book.ts';
import { RememberedPayments, type ServiceInquiry } from '../state/receipts/remembered-payments.ts';
import type { RunPaths } from '../state/run-paths.ts';
import type { RunInternals } from './internals.ts';

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
  readonly disk: RealDisk;
  readonly access: 'plan' | 'run';
  readonly env: Env;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly onWarning: (message: string) => void;
  /** The run in a database that this process coordinates. */
  readonly session: CoordinatedRun | undefined;
  readonly internals: RunInternals;
  /** Closes everything that was opened. */
  readonly cleanup: Cleanup;
}

export function openReceipts(opening: Opening): OpenedReceipts {
  const { bound, paths, target, state, disk, access, env, clock, onWarning, cleanup } = opening;
  const { session } = opening;
  const service = paths.serviceName;
  const book = new ReceiptBook({
    bound,
    paths,
    service,
    env,
    onWarning,
    now: () => clock.now(),
    readOnly: access === 'plan',
    engineRun: session?.run.terms.run,
  });
  cleanup.defer(() => book.close());
  if (session !== undefined) book.catchUp(state.ledger, session.changed);
  const remembered = new RememberedPayments({
    book,
    ledger: state.ledger,
    clock,
    store: storeNameOf(bound.pipeline),
    inquiry: target.kind === 'hosted' ? inquiryOf(target, opening) : undefined,
    lend: ({ path, sha256 }) => disk.lend(sha256, path),
  });
  return { book, remembered };
}

/** Connects when the first question is asked. */
function inquiryOf(
  { address, key }: Extract<Target, { readonly kind: 'hosted' }>,
  { clock, redactor, cleanup, internals }: Opening,
): ServiceInquiry {
  const client = lazyClient({ base: address, key, clock, redactor });
  cleanup.defer(() => client.close());
  return { key, api: internals.api?.(client) ?? client };
}

// Claims in the receipts what the coordinator of a distributed run orders of its workers.

interface Claiming extends OpenedReceipts {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
}

export function orderClaims({ book, remembered, ledger, clock }: Claiming): OrderClaims {
  return {
    claim(order) {
      const { fingerprint: job, task, kind, attempt, name, reserve, expectation, take } = order;
      const { measure } = expectation;
      const at = new Date(clock.now()).toISOString();
      const intent = { event: 'intent', job, task, kind, attempt, name, reserve, measure } as const;
      const known = ledger.job(job);
      const begun = stateAfter(known, { ...intent, at, ...(take && { take }) });
      // The database decides about an order that no longer fits.
      if (!begun.ok) return true;
      if (remembered.claim(begun.value, isOnPurpose(order), known) === 'busy') return false;
      book.ordered(begun.value);
      return true;
    },
    begun: (name) => book.begun(name),
    withdraw: (name) => book.withdraw(name),
  };
}

/** Another take is paid for whatever is remembered. */
const isOnPurpose = ({ saveTo }: CreateOrder): boolean => saveTo !== undefined;
