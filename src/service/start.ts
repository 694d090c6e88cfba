// Starts the local service: it speaks the hosted service's interface, so that pipelines are rehearsed for free and
// tested for real. With a data folder, everything survives being killed at any moment: the ledger, the
// files, and the projects that were not finished, which go on.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerEntry, openAccount } from './account.ts';
import { openAddresses } from './addresses.ts';
import { openApp, type RequestCounts } from './app.ts';
import { openAssets } from './assets.ts';
import { wakeAfter } from './clock.ts';
import { type Database, openDatabase } from './database.ts';
import { openDetections } from './detections.ts';
import { openFaceSearch } from './face-search.ts';
import { openKeys } from './keys.ts';
import type { Speed } from './pace.ts';
import type { Parts } from './parts.ts';
import { openProduction } from './production.ts';
import { openProjects } from './projects.ts';
import { accountRoutes } from './routes/account.ts';
import { creationRoutes } from './routes/creations.ts';
import { detectionRoutes } from './routes/detections.ts';
import { downloadRoutes } from './routes/downloads.ts';
import { projectRoutes } from './routes/projects.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { openStorage } from './storage.ts';
import { openStudio } from './studio.ts';

export interface ServiceOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The data folder. Without one, files are in a temporary folder until `close`, and the database in memory. */
  readonly data?: string;
  /** Opening balance of a new account, in credits; default 10000. An account that exists keeps its own. */
  readonly credits?: number;
  /** Default `instant`. A number: so many times faster than the hosted service. */
  readonly speed?: Speed;
  /** What the durations and the pictures of the rehearsal depend on, beside the requests; default 1. */
  readonly seed?: number;
  /** An API key to accept; by default a new one is made. Those of earlier starts work too. */
  readonly key?: string;
  /** How many projects are rendered at the same time; default 2. */
  readonly slots?: number;
  /** How long a presigned address works, in milliseconds; default 24 hours (interface.md, Limits). */
  readonly addressLifetimeMs?: number;
  /** Milliseconds since 1970; default Date.now. */
  readonly now?: () => number;
  /** Wakes the service later; default setTimeout. Goes with `now` in tests that hand in their clock. */
  readonly after?: (ms: number, then: () => void) => () => void;
}

export interface LocalService {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  /** An API key that works. */
  readonly key: string;
  /** Ends renderings under way, keeps what is durable, and removes the temporary folder. */
  close(): Promise<void>;
  ledger(): readonly LedgerEntry[];
  /** Credits of the account. */
  balance(): number;
  /** How often each route was asked for since the start: `{'POST /v1/face-swap-photo': 2}`. */
  requests(): RequestCounts;
}

/** Throws when the data folder is in use by another service, or the port is. */
export async function startService(options: ServiceOptions = {}): Promise<LocalService> {
  const { host = '127.0.0.1', port = 0, credits = 10_000, speed = 'instant', seed = 1 } = options;
  if (typeof speed === 'number' && !(speed > 0))
    throw new RangeError(`speed must be a number above 0, not ${speed}`);
  const clock = { now: options.now ?? Date.now, after: options.after ?? wakeAfter };
  const { now } = clock;

  const folder = options.data ?? (await mkdtemp(join(tmpdir(), 'shotlist-service-')));
  await mkdir(folder, { recursive: true });
  const database = openIn(options.data);
  const storage = await openStorage(folder);
  const account = await openAccount(database, credits, now());
  const keys = await openKeys(database, options.key, now());
  let address = '';
  const lifetimeMs = options.addressLifetimeMs ?? 24 * 3_600_000;
  const addresses = await openAddresses(database, { base: () => address, now, lifetimeMs });
  const assets = openAssets(database, storage, now);
  const projects = openProjects(database, account);
  const detections = openDetections(database);

  const pace = { clock, speed, seed };
  const production = openProduction({ projects, detections, storage, ...pace });
  const faces = openFaceSearch({ database, detections, assets, storage, production, ...pace });
  const studio = openStudio(clock, options.slots ?? 2);
  // Of its own, so that a free detection does not wait behind long renderings.
  const faceStudio = openStudio(clock, 1);

  const parts: Parts = {
    ...{ database, account, projects, detections, assets, storage, addresses, clock },
    render: (project) => studio.submit(production.jobOf(project)),
    search: (detection) => faceStudio.submit(faces.jobOf(detection)),
  };
  const app = openApp(keys);
  creationRoutes(app.server, parts);
  projectRoutes(app.server, parts);
  detectionRoutes(app.server, parts);
  uploadRoutes(app.server, parts);
  downloadRoutes(app.server, parts);
  accountRoutes(app.server, parts);

  await assets.sweep();
  for (const id of projects.unswept()) {
    await storage.removeOutputs(id);
    await projects.swept(id);
  }
  // Asked before anyone can add to them, so that none is begun twice.
  const unfinished = { projects: projects.unfinished(), detections: detections.unfinished() };
  await app.server.listen({ host, port });
  const listening = app.server.server.address();
  address = addressOf(host, typeof listening === 'object' ? (listening?.port ?? port) : port);
  for (const project of unfinished.projects) parts.render(project);
  for (const detection of unfinished.detections) parts.search(detection);

  return {
    address,
    key: keys.key,
    ledger: account.ledger,
    balance: account.balance,
    requests: app.requests,
    close: async () => {
      await app.server.close();
      await Promise.all([studio.close(), faceStudio.close()]);
      database.close();
      if (options.data === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

function openIn(data: string | undefined): Database {
  if (data === undefined) return openDatabase(undefined);
  try {
    return openDatabase(join(data, 'service.sqlite'));
  } catch (cause) {
    throw new DataFolderError(data, cause);
  }
}

/** The data folder cannot be opened: most often because another service uses it. */
export class DataFolderError extends Error {
  readonly code = 'DATA_FOLDER';

  constructor(folder: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : `${cause}`;
    const inUse = /locked|busy/i.test(why);
    super(
      inUse
        ? `The data folder ${folder} is used by another local service: stop that one, or name another folder.`
        : `The data folder ${folder} cannot be opened: ${why}`,
      { cause },
    );
  }
}

/** Where clients reach it: a service that listens everywhere is reached on this machine. */
function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
