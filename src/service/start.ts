// Starts the local service, which implements the hosted service's interface for rehearsals and tests. With a data folder, the
// ledger, the files and the events survive a kill at any moment, and unfinished projects continue.

import { assetLifetimeMs } from '../contract/api/asset.ts';
import { openRenderer } from '../previews/open.ts';
import { wakeAfter } from './clock.ts';
import { openDeliveries } from './events/deliveries.ts';
import { noEventDispatcher, openEventDispatcher } from './events/event-dispatcher.ts';
import { openWebhooks } from './events/webhooks.ts';
import { openFaults } from './faults/faults.ts';
import { acceptFaults } from './faults/read.ts';
import { applyRequestFaults } from './faults/request-faults.ts';
import type { FaultRule } from './faults/schema.ts';
import { openApp } from './http/app.ts';
import { creationRoutes } from './http/creations.ts';
import { fileRoutes } from './http/files.ts';
import { accountRoute, detectionRoutes, openApiRoute, projectRoutes } from './http/routes.ts';
import { openHub } from './hub/hub.ts';
import { openJobs } from './jobs/jobs.ts';
import { type LocalService, ServiceOptionError, type ServiceOptions } from './options.ts';
import { localAccount, maxCredits, openAccounts } from './store/accounts.ts';
import { openAssets } from './store/assets.ts';
import { type DataFolder, openDataFolder } from './store/data-folder.ts';
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
  if (!(Number.isInteger(credits) && credits >= 0 && credits <= maxCredits))
    throw new ServiceOptionError(
      `credits must be a whole number up to ${maxCredits}, not ${credits}`,
    );
  const rules = acceptFaults(options.faults ?? { faults: [] });
  if (!rules.ok) throw new ServiceOptionError(rules.error);
  const data = await openDataFolder(options.data);
  try {
    const service = await open(options, rules.value, data);
    const close = async (): Promise<void> => {
      await service.close();
      await data.leave();
    };
    return { ...service, close };
  } catch (error) {
    await data.leave();
    throw error;
  }
}

function candidatesOf(
  { key, temporaryKey = false }: ServiceOptions,
  secret: string | undefined,
): Iterable<string> {
  if (key !== undefined) return [key];
  return secret === undefined || temporaryKey ? [newKey()] : keysOf(secret);
}

async function open(
  options: ServiceOptions,
  rules: readonly FaultRule[],
  { folder, secret, database }: DataFolder,
): Promise<LocalService> {
  const { host = '127.0.0.1', port = 0, credits = 10_000, tier = 'pro' } = options;
  const { speed = 'instant', seed = 1, slots = 8, paths = 'both', pictures = 'real' } = options;
  const { stated = new Map() } = options;
  const clock = { now: options.now ?? Date.now, after: options.after ?? wakeAfter };
  const { now } = clock;
  const faults = openFaults(rules, seed);
  const fileStore = await openFileStore(folder);
  const accounts = await openAccounts(database, { credits, tier }, now());
  const candidates = candidatesOf(options, secret);
  const keys = await openKeys(database, candidates, options.temporaryKey ?? false, now());
  let address = '';
  const addresses = await openPresignedAddresses(database, faults, {
    base: () => address,
    now,
    lifetimeMs: options.addressLifetimeMs ?? 24 * 3_600_000,
  });
  const lifetimeMs = options.assetLifetimeMs ?? assetLifetimeMs;
  const assets = openAssets(database, fileStore, now, lifetimeMs);
  const webhooks = openWebhooks(database);
  const deliveries = openDeliveries(database, webhooks, faults, {
    backoffMs: options.eventBackoffMs ?? 1000,
    giveUpMs: options.eventGiveUpMs ?? 24 * 3_600_000,
  });
  const eventDispatcher =
    options.events === false
      ? noEventDispatcher
      : openEventDispatcher({ webhooks, deliveries, addresses, faults, clock, database });
  const projects = openProjects(database, accounts, {
    record: deliveries.recordEvent,
    flush: eventDispatcher.wake,
  });
  const detections = openDetections(database);
  const renderer = openRenderer({ pictures, faces: options.faces });
  const dependencies = {
    clock,
    speed,
    seed,
    stated,
    faults,
    database,
    fileStore,
    accounts,
    keys,
    addresses,
    assets,
    webhooks,
    deliveries,
    projects,
    detections,
    renderer,
  };
  const jobs = openJobs(dependencies, slots);

  const { server, requests } = openApp(keys, options.senderMs ?? 30_000, database.durable);
  applyRequestFaults(server, faults, clock);
  const forRoutes = { ...dependencies, jobs, eventDispatcher };
  creationRoutes(server, forRoutes);
  projectRoutes(server, forRoutes);
  detectionRoutes(server, forRoutes, paths);
  fileRoutes(server, forRoutes, paths);
  accountRoute(server, forRoutes);
  openApiRoute(server, () => address, paths);
  openHub(server, forRoutes);

  await assets.sweep();
  await assets.sweepStrays();
  for (const id of projects.unswept()) {
    await fileStore.removeOutputs(id);
    await projects.swept(id);
  }
  // Listed before clients can add to them, so that no job begins twice.
  const unfinished = { projects: projects.unfinished(), detections: detections.unfinished() };
  await server.listen({ host, port });
  const listening = server.server.address();
  address = addressOf(host, typeof listening === 'object' ? (listening?.port ?? port) : port);
  for (const project of unfinished.projects) jobs.render(project);
  for (const detection of unfinished.detections) jobs.search(detection);
  eventDispatcher.wake();

  return {
    address,
    key: keys.key,
    hub: `${address}/hub`,
    notes: renderer.notes,
    ledger: () => accounts.ledger(localAccount),
    balance: () => accounts.find(localAccount)?.credits ?? 0,
    requests,
    close: async () => {
      await server.close();
      await renderer.close();
      await jobs.close();
      await eventDispatcher.close();
    },
  };
}

/** The address for clients. A service that listens on all interfaces has the address of this machine. */
function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
