// Edits a state file outside of a run, as the user or the service says: with the same lock, through the same journal,
// and compacted at the end.

import { Cleanup } from '../base/cleanup.ts';
import { Redactor } from '../base/redactor.ts';
import { realClock } from '../core/clock.ts';
import { Journal } from '../core/journal.ts';
import type { Clock, MediaApi } from '../core/ports.ts';
import { type BoundPipeline, boundPipeline } from '../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../language/load/loaded-pipeline.ts';
import {
  lostProblem,
  Refusal,
  resultOf,
  unsorted,
  valueOrThrow,
} from '../language/load/refusal.ts';
import type { Header } from '../model/record/line.ts';
import { rehearsalDataProblem } from '../service-api/connect-service.ts';
import { httpClient } from '../service-api/http-client.ts';
import { type LedgerEntry, type LocalService, startService } from '../service-api/local-service.ts';
import { secretsIn } from '../service-api/secrets.ts';
import { chooseTarget } from '../service-api/target.ts';
import { type LocatedState, locateState } from '../state/locate-state.ts';
import { claimOwnFolder } from '../state/own-folder.ts';
import type { Receipts } from '../state/receipts.ts';
import { pathsOf } from '../state/run-paths.ts';
import { RecordLost } from '../state/state-file.ts';
import { internalsOf } from './internals.ts';
import { openRunFile } from './open-run-file.ts';
import { headerOf, openState, type ReadOptions } from './open-state.ts';
import { refuse, refuseIf, refuseSystemError } from './refuse.ts';

export interface EditOptions extends ReadOptions {
  /** Called with the address of the hosted service before anything is sent there. */
  readonly onConnect?: (address: string) => void;
}

export interface StateEdit {
  readonly located: LocatedState;
  readonly journal: Journal;
  readonly receipts: Receipts;
  readonly header: Header;
  readonly clock: Clock;
  /** Connects to the service that the state file belongs to. Most edits need no service. */
  connect(): Promise<ConnectedService>;
}

/** Runs `work` on the state. When this returns, everything that `work` appended is on disk. */
export async function editState<T>(
  loaded: LoadedPipeline,
  options: EditOptions,
  work: (edit: StateEdit) => Promise<T>,
): Promise<T> {
  const bound = boundPipeline(loaded);
  const located = locateState(bound, options);
  const { state } = located.paths;
  try {
    return await edit(bound, located, options, work);
  } catch (error) {
    if (error instanceof RecordLost) throw new Refusal(lostProblem(error));
    return refuseSystemError(error, state);
  }
}

async function edit<T>(
  bound: BoundPipeline,
  located: LocatedState,
  options: EditOptions,
  work: (edit: StateEdit) => Promise<T>,
): Promise<T> {
  const { clock = realClock, env = process.env, onWarning = () => undefined } = options;
  const { paths } = located;
  const internals = internalsOf(options);
  await using open = await openState(bound, paths, 'edit', { clock, onWarning, env, internals });
  const header = headerOf(open, bound);
  options.onState?.(header.service);
  await using cleanup = new Cleanup();
  const { state, receipts } = open;
  if (receipts === undefined) throw new Error('bug: an edit without receipts');
  const { ledger } = state;
  const redactor = new Redactor(secretsIn(env));
  const connect = () => connectOwner(header, { options, bound, redactor, clock, cleanup });
  const file = openRunFile({ paths, state, header, env, clock, internals, onProblem: onWarning });
  cleanup.defer(() => file.close());
  const lines = internals.lines?.(file) ?? file;
  const journal = new Journal({ ledger, file: lines, clock, redactor, receipts, isEdit: true });
  const worked = await resultOf(() =>
    work({
      located: { ...located, paths: open.paths },
      journal,
      receipts,
      header,
      clock,
      connect,
    }),
  );
  if (journal.wrote) {
    const written = await file.writeWhole();
    if (!written.ok) onWarning(unsorted(written.error));
  }
  return valueOrThrow(worked);
}

// Connects to the service that a state file belongs to. The file's header names the service, and the user must have
// consented to it.

interface ConnectedService {
  readonly api: MediaApi;
  /** In a rehearsal only: the ledger of the local service. */
  readonly ledger?: () => readonly LedgerEntry[];
}

interface OwnerContext {
  readonly options: EditOptions;
  readonly bound: BoundPipeline;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Closes everything that was opened. */
  readonly cleanup: Cleanup;
}

async function connectOwner(header: Header, context: OwnerContext): Promise<ConnectedService> {
  const { options, redactor, clock, cleanup } = context;
  if (header.service !== 'rehearsal') {
    const { address, key } = ownerOf(header.service, context);
    options.onConnect?.(address);
    const client = httpClient({ base: address, key, redactor, clock });
    cleanup.defer(() => client.close());
    return { api: internalsOf(options).api?.(client) ?? client };
  }
  if (options.service !== undefined)
    refuse(
      `--service ${options.service}: the state file belongs to a rehearsal, which has its own service`,
      'omit --service, or name another --state',
    );
  const local = await startLocal(context);
  cleanup.defer(() => local.close());
  const api = httpClient({ base: local.address, key: local.key, clock });
  cleanup.defer(() => api.close());
  return { api, ledger: () => local.ledger() };
}

async function startLocal({ bound, options, clock }: OwnerContext): Promise<LocalService> {
  // Decided by the header, not by the path: with --state, a rehearsal's state file may be anywhere.
  const paths = pathsOf(bound, { kind: 'rehearsal' }, options);
  refuseIf(await claimOwnFolder(paths));
  const data = paths.serviceData;
  try {
    const now = (): number => clock.now();
    return await startService({ data, temporaryKey: true, events: false, pictures: 'plain', now });
  } catch (error) {
    throw new Refusal(rehearsalDataProblem(error, paths));
  }
}

/** The state file comes with the repository, so its address is no consent. It only helps to say what else is missing. */
function ownerOf(address: string, { options, bound }: OwnerContext) {
  const { env = process.env } = options;
  const named = options.service ?? (env['SHOTLIST_BASE_URL'] || bound.pipeline.service);
  const service = named === undefined ? address : options.service;
  const target = chooseTarget({ service, hosted: true }, bound, env);
  if (named !== undefined && target.kind !== 'rehearsal' && target.address === address)
    return target;
  return refuse(
    `the projects of the state file are at ${address}`,
    'if that is your service, give its address with --service or SHOTLIST_BASE_URL',
  );
}
