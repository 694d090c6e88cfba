// Starts the local service, which implements the hosted service's interface for rehearsals and tests. With a data folder, the
// ledger, the files and the events survive a kill at any moment, and unfinished projects continue.

import { milliseconds } from '../base/duration.ts';
import { assetLifetimeMs } from '../contract/api/asset.ts';
import { openRenderer } from '../previews/open.ts';
import { wakeAfter } from './base/clock.ts';
import { reportInternalError } from './base/internal-error.ts';
import { openDeliveries } from './events/deliveries.ts';
import {
  type EventDispatcher,
  noEventDispatcher,
  openEventDispatcher,
} from './events/event-dispatcher.ts';
import { openWebhooks } from './events/webhooks.ts';
import { firedOf, openFaults } from './faults/faults.ts';
import { acceptFaults } from './faults/read.ts';
import { applyRequestFaults } from './faults/request-faults.ts';
import type { FaultRule } from './faults/schema.ts';
import { openApp } from './http/app.ts';
import type { Dependencies } from './http/dependencies.ts';
import { accountRoutes } from './http/routes/account.ts';
import { creationRoutes } from './http/routes/creations.ts';
import { detectionRoutes } from './http/routes/detections.ts';
import { downloadRoutes } from './http/routes/downloads.ts';
import { openApiRoute } from './http/routes/openapi.ts';
import { projectRoutes } from './http/routes/projects.ts';
import { uploadRoutes } from './http/routes/uploads.ts';
import { openHub } from './hub/hub.ts';
import { openDetectionJobs } from './jobs/detection-job.ts';
import { openRenderJobs } from './jobs/render-job.ts';
import { openScheduler } from './jobs/scheduler.ts';
import { type LocalService, ServiceOptionError, type ServiceOptions } from './options.ts';
import { localAccount, mostCredits, openAccounts } from './store/accounts.ts';
import { openAssets } from './store/assets.ts';
import { openDataFolder } from './store/data-folder.ts';
import type { Database } from './store/database.ts';
import { openDetections } from './store/detections.ts';
import { openFileStore } from './store/file-store.ts';
import { keysOf, newKey, openKeys } from './store/keys.ts';
import { openPresignedAddresses } from './store/presigned-addresses.ts';
import { openProjects } from './store/projects.ts';

export type { LocalService, ServiceOptions };

/** Throws if an option is invalid, or if the data folder or the port is in use. */
export async function startService(options: ServiceOptions = {}): Promise<LocalService> {
  const { speed } = options;
  if (typeof speed === 'number' && !(speed > 0))
    throw new ServiceOptionError(`speed must be a number above 0, not ${speed}`);
  const { credits = 0 } = options;
  if (!(Number.isInteger(credits) && credits >= 0 && credits <= mostCredits))
    throw new ServiceOptionError(
      `credits must be a whole number up to ${mostCredits}, not ${credits}`,
    );
  const rules = acceptFaults(options.faults ?? { faults: [] });
  if (!rules.ok) throw new ServiceOptionError(rules.error.message);
  const { folder, secret, database, leave } = await openDataFolder(options.data);
  try {
    const service = await openWith(options, { folder, secret, database, rules: rules.value });
    const close = async (): Promise<void> => {
      await service.close();
      await leave();
    };
    return { ...service, close };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** What exists before the service starts and after it stops. */
interface StartContext {
  readonly folder: string;
  readonly secret: string | undefined;
  readonly database: Database;
  readonly rules: readonly FaultRule[];
}

function candidatesOf(
  { key, temporaryKey = false }: ServiceOptions,
  secret: string | undefined,
): Iterable<string> {
  if (key !== undefined) return [key];
  return secret === undefined || temporaryKey ? [newKey()] : keysOf(secret);
}

async function openWith(
  options: ServiceOptions,
  { folder, secret, database, rules }: StartContext,
): Promise<LocalService> {
  const { host = '127.0.0.1', port = 0, credits = 10_000, tier = 'pro' } = options;
  const { speed = 'instant', seed = 1, slots = 8, paths = 'both' } = options;
  const faults = openFaults(rules, seed);
  const clock = { now: options.now ?? Date.now, after: options.after ?? wakeAfter };
  const { now } = clock;
  const fileStore = await openFileStore(folder);
  const accounts = await openAccounts(database, { credits, tier }, now());
  const keys = await openKeys(
    database,
    { candidates: candidatesOf(options, secret), temporary: options.temporaryKey ?? false },
    now(),
  );
  let address = '';
  const addresses = await openPresignedAddresses(database, {
    base: () => address,
    now,
    lifetimeMs: options.addressLifetimeMs ?? 24 * 3_600_000,
    shortened: (purpose) => {
      const early = firedOf(faults.fire('address', purpose), 'early-expiry');
      return early === undefined ? undefined : milliseconds(early.rule.after);
    },
  });
  const lifetimeMs = options.assetLifetimeMs ?? assetLifetimeMs;
  const assets = openAssets(database, fileStore, { now, lifetimeMs });
  const webhooks = openWebhooks(database);
  const deliveries = openDeliveries(database, webhooks, faults, {
    backoffMs: options.eventBackoffMs ?? 1000,
    giveUpMs: options.eventGiveUpMs ?? 24 * 3_600_000,
  });
  const eventDispatcher: EventDispatcher =
    options.events === false
      ? noEventDispatcher
      : openEventDispatcher({
          ...{ webhooks, deliveries, addresses, faults, clock },
          durable: database.durable,
        });
  const projects = openProjects(database, accounts, {
    record: deliveries.recordEvent,
    flush: eventDispatcher.wake,
  });
  const detections = openDetections(database);

  const { pictures = 'real' } = options;
  const { decodeMegabytes } = options;
  const decodeBytes = decodeMegabytes === undefined ? undefined : decodeMegabytes * 2 ** 20;
  const renderer = openRenderer({ pictures, report: reportInternalError, decodeBytes });
  const timing = { clock, speed, seed };
  const renderJobs = openRenderJobs({
    projects,
    detections,
    fileStore,
    accounts,
    faults,
    renderer,
    ...timing,
  });
  const detectionJobs = openDetectionJobs({
    database,
    detections,
    assets,
    fileStore,
    renderJobs,
    renderer,
    ...timing,
  });
  const scheduler = openScheduler(clock, slots);
  // Separate, so that a free detection does not wait for long renderings.
  const detectionScheduler = openScheduler(clock, slots);

  const dependencies: Dependencies = {
    ...{ database, accounts, keys, projects, detections, assets, fileStore, addresses, clock },
    ...{ webhooks, deliveries, eventDispatcher, faults },
    stated: options.stated ?? new Map(),
    render: (project) => scheduler.submit(renderJobs.jobOf(project)),
    release: scheduler.release,
    search: (detection) => detectionScheduler.submit(detectionJobs.jobOf(detection)),
  };
  const app = openApp(keys, {
    senderMs: options.senderMs ?? 30_000,
    durable: database.durable,
  });
  applyRequestFaults(app.server, faults, clock);
  creationRoutes(app.server, dependencies);
  projectRoutes(app.server, dependencies);
  detectionRoutes(app.server, dependencies, paths);
  uploadRoutes(app.server, dependencies, paths);
  downloadRoutes(app.server, dependencies);
  accountRoutes(app.server, dependencies);
  openApiRoute(app.server, () => address, paths);
  openHub(app.server, dependencies);

  await assets.sweep();
  await assets.sweepStrays();
  for (const id of projects.unswept()) {
    await fileStore.removeOutputs(id);
    await projects.swept(id);
  }
  // Listed before clients can add to them, so that no job begins twice.
  const unfinished = { projects: projects.unfinished(), detections: detections.unfinished() };
  await app.server.listen({ host, port });
  const listening = app.server.server.address();
  address = addressOf(host, typeof listening === 'object' ? (listening?.port ?? port) : port);
  for (const project of unfinished.projects) dependencies.render(project);
  for (const detection of unfinished.detections) dependencies.search(detection);
  eventDispatcher.wake();

  return {
    address,
    key: keys.key,
    hub: `${address}/hub`,
    lacks: renderer.lacks,
    ledger: () => accounts.ledger(localAccount),
    balance: () => accounts.find(localAccount)?.credits ?? 0,
    requests: app.requests,
    close: async () => {
      await app.server.close();
      await renderer.close();
      await Promise.all([scheduler.close(), detectionScheduler.close()]);
      await eventDispatcher.close();
    },
  };
}

/** The address for clients. A service that listens on all interfaces has the address of this machine. */
function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
