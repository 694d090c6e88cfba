// Connects to the service that a state file belongs to. The file's header names the service, and the user must have
// consented to it.
import type { Redactor } from '../../../contract/base/redactor.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { Cleanup } from '../../adapters/cleanup.ts';
import { httpClient } from '../../adapters/http/http-client.ts';
import type { Header } from '../../journal/line.ts';
import type { Clock, MediaApi } from '../../run/jobs/ports.ts';
import { claimOwnFolder } from '../files/own-folder.ts';
import { type PathOptions, pathsOf } from '../files/run-paths.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';
import { type Problem, problem } from '../pipeline/problem.ts';
import { rehearsalDataProblem } from '../service/connect-service.ts';
import { type LedgerEntry, type LocalService, startService } from '../service/local-service.ts';
import { chooseTarget } from '../service/target.ts';

export interface ConnectedService {
  readonly api: MediaApi;
  /** In a rehearsal only: the ledger of the local service. */
  readonly ledger?: () => readonly LedgerEntry[];
}

interface OwnerContext {
  readonly options: PathOptions & {
    readonly service?: string | undefined;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly onConnect?: (address: string) => void;
  };
  readonly bound: BoundPipeline;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Closes everything that was opened. */
  readonly cleanup: Cleanup;
}

export async function connectOwner(
  { service }: Header,
  context: OwnerContext,
): Promise<Result<ConnectedService, Problem>> {
  const { options } = context;
  if (service !== 'rehearsal') return connectHosted(service, context);
  if (options.service === undefined) return await connectRehearsal(context);
  return err(
    problem(
      `--service ${options.service}: the state file belongs to a rehearsal, which has its own service`,
      'shotlist',
      'omit --service, or name another --state',
    ),
  );
}

async function connectRehearsal(context: OwnerContext): Promise<Result<ConnectedService, Problem>> {
  const { clock, cleanup } = context;
  const started = await startLocal(context);
  if (!started.ok) return started;
  const local = started.value;
  cleanup.defer(() => local.close());
  const api = httpClient({ base: local.address, key: local.key, clock });
  cleanup.defer(() => api.close());
  return ok({ api, ledger: () => local.ledger() });
}

async function startLocal({
  bound,
  options,
  clock,
}: OwnerContext): Promise<Result<LocalService, Problem>> {
  // Decided by the header, not by the path: with --state, a rehearsal's state file may be anywhere.
  const paths = pathsOf(bound, { kind: 'rehearsal' }, options);
  const refused = await claimOwnFolder(paths);
  if (refused !== undefined) return err(refused);
  const data = paths.serviceData;
  try {
    const now = (): number => clock.now();
    return ok(
      await startService({ data, temporaryKey: true, events: false, pictures: 'plain', now }),
    );
  } catch (error) {
    return err(rehearsalDataProblem(error, data));
  }
}

function connectHosted(
  service: string,
  { options, bound, redactor, clock, cleanup }: OwnerContext,
): Result<ConnectedService, Problem> {
  const env = options.env ?? process.env;
  const named = options.service ?? (env['SHOTLIST_BASE_URL'] || bound.pipeline.service);
  // The state file comes with the repository, so its address is no consent. It only helps to say what else is missing.
  const unnamed = named === undefined;
  const target = chooseTarget(
    { service: unnamed ? service : options.service, hosted: true },
    bound,
    env,
  );
  if (!target.ok) return target;
  if (unnamed || target.value.kind === 'rehearsal' || target.value.address !== service)
    return err(projectsAre(service));
  options.onConnect?.(service);
  const api = httpClient({ base: service, key: target.value.key, redactor, clock });
  cleanup.defer(() => api.close());
  return ok({ api });
}

const projectsAre = (service: string): Problem =>
  problem(
    `the projects of the state file are at ${service}`,
    'shotlist',
    'if that is your service, give its address with --service or SHOTLIST_BASE_URL',
  );
