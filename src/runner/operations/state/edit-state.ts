// Mends a state file outside of a run, on a person's word or the service's: under the same lock, through the same
// journal, compacted at the end.
import { Redactor } from '../../../contract/base/redactor.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { isSystemTrouble, systemReason } from '../../../contract/files/system-error.ts';
import { realClock } from '../../adapters/clock.ts';
import { httpClient } from '../../adapters/http/http-client.ts';
import { takeLock } from '../../adapters/lock/lock.ts';
import { databaseStore } from '../../adapters/state/job-store.ts';
import { JournalFile } from '../../adapters/state/journal-file.ts';
import { loadState } from '../../adapters/state/load-state.ts';
import type { Header } from '../../journal/line.ts';
import type { Clock, MediaApi } from '../../run/jobs/ports.ts';
import { Recorder } from '../../run/recorder.ts';
import { claimOwnFolder, ownFolderForLock } from '../files/own-folder.ts';
import { pathsOf } from '../files/run-paths.ts';
import type { LoadedPipeline } from '../pipeline/load.ts';
import { type Problem, problem, stateTrouble, uncompacted } from '../pipeline/problem.ts';
import { rehearsalDataProblem } from '../service/connect-service.ts';
import { type LedgerEntry, type LocalService, startService } from '../service/local-service.ts';
import { secretsIn } from '../service/secrets.ts';
import { chooseTarget } from '../service/target.ts';
import { type LocateOptions, locateState } from './locate-state.ts';

export interface EditOptions extends LocateOptions {
  readonly service?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Hears the address of the hosted service, before anything is sent there. */
  readonly onConnect?: (address: string) => void;
  /** Hears what a person should know beside the result. */
  readonly onWarning?: (message: string) => void;
}

/** The service that the state file's projects belong to. */
export interface ConnectedService {
  readonly api: MediaApi;
  /** A rehearsal only: what the local service has charged. */
  readonly ledger?: () => readonly LedgerEntry[];
}

export interface StateEdit {
  readonly journal: Recorder;
  readonly header: Header;
  readonly file: string;
  readonly clock: Clock;
  /** Opened when asked for: most mending needs no service. */
  connect(): Promise<Result<ConnectedService, Problem>>;
}

/** Runs `work` on the state; what it appends is on disk when this returns. */
export async function editState<T>(
  loaded: LoadedPipeline,
  options: EditOptions,
  work: (edit: StateEdit) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const clock = options.clock ?? realClock;
  const { paths } = locateState(loaded, options);
  const refused = await ownFolderForLock(paths);
  if (refused !== undefined) return err(refused);
  const lock = await takeLock(paths.lock, clock.now());
  if (!lock.ok) return err({ ...problem(lock.error), reason: 'locked' });
  const onWarning = options.onWarning ?? (() => undefined);
  if (lock.value.warning !== undefined) onWarning(lock.value.warning);
  const store = databaseStore();
  const closers: (() => Promise<void>)[] = [];
  try {
    const read = await loadState(paths.state, store);
    if (!read.ok) return err(stateTrouble(read.error, paths.state, loaded.file));
    const { header, ledger, warnings } = read.value;
    for (const warning of warnings) onWarning(warning);
    if (header === undefined)
      return err(problem(`there is no state file yet: ${paths.state}`, loaded.file));
    if (header.pipeline !== loaded.pipeline.name)
      return err(
        problem(`${paths.state} belongs to the pipeline "${header.pipeline}"`, loaded.file),
      );
    const file = new JournalFile(paths.state, header, read.value);
    closers.push(() => file.close());
    const redactor = new Redactor(secretsIn(options.env ?? process.env));
    const journal = new Recorder(ledger, file, clock, { redactor });
    const connect = (): Promise<Result<ConnectedService, Problem>> =>
      reached(header, { options, loaded, redactor, clock, closers });
    const worked = await work({ journal, header, file: paths.state, clock, connect });
    const compacted = journal.wrote ? await file.compact(ledger) : ok(undefined);
    if (!compacted.ok) onWarning(uncompacted(compacted.error));
    return worked;
  } catch (error) {
    if (!isSystemTrouble(error)) throw error;
    return err({ ...problem(`${paths.state} ${systemReason(error)}`), reason: 'system' });
  } finally {
    for (const close of closers.reverse()) await close();
    store.close();
    await lock.value.release();
  }
}

interface ConnectOptions {
  readonly options: EditOptions;
  readonly loaded: LoadedPipeline;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly closers: (() => Promise<void>)[];
}

async function startLocal({
  loaded,
  options,
  clock,
}: ConnectOptions): Promise<Result<LocalService, Problem>> {
  // By the header, and not by the place: with --state, a rehearsal's state file may stand anywhere.
  const paths = pathsOf(loaded, { kind: 'rehearsal' }, options);
  const refused = await claimOwnFolder(paths);
  if (refused !== undefined) return err(refused);
  const data = paths.serviceData;
  try {
    const now = (): number => clock.now();
    return ok(
      await startService({ data, passingKey: true, events: false, pictures: 'plain', now }),
    );
  } catch (error) {
    return err(rehearsalDataProblem(error, data));
  }
}

async function reached(
  { service }: Header,
  onConnect: ConnectOptions,
): Promise<Result<ConnectedService, Problem>> {
  const { options, loaded, redactor, clock, closers } = onConnect;
  if (service === 'rehearsal' && options.service !== undefined)
    return err(
      problem(
        `--service ${options.service}: the state file belongs to a rehearsal, which has a service of its own`,
        'shotlist',
        'leave --service out, or name another --state',
      ),
    );
  if (service === 'rehearsal') {
    const started = await startLocal(onConnect);
    if (!started.ok) return started;
    const local = started.value;
    closers.push(() => local.close());
    const api = httpClient({ base: local.address, key: local.key, clock });
    closers.push(() => api.close());
    return ok({ api, ledger: () => local.ledger() });
  }
  const env = options.env ?? process.env;
  const named = options.service ?? (env['SHOTLIST_BASE_URL'] || loaded.pipeline.service);
  // The state file comes with the repository: its address is no consent, and only serves to say what else is missing.
  const unnamed = named === undefined;
  const target = chooseTarget(
    { service: unnamed ? service : options.service, hosted: true },
    loaded,
    env,
  );
  if (!target.ok) return target;
  if (unnamed || target.value.kind === 'rehearsal' || target.value.address !== service)
    return err(projectsAre(service));
  options.onConnect?.(service);
  const api = httpClient({ base: service, key: target.value.key, redactor, clock });
  closers.push(() => api.close());
  return ok({ api });
}

const projectsAre = (service: string): Problem =>
  problem(
    `the state file's projects are at ${service}`,
    'shotlist',
    'if that is your service, give its address with --service or SHOTLIST_BASE_URL',
  );
