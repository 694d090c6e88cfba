// Starts the local service: it speaks the hosted service's interface, so that pipelines are rehearsed for free and
// tested for real. With a data folder, everything survives being killed at any moment: the ledger, the
// files, the events, and the projects that were not finished, which go on.
import { assetLifetimeMs } from '../contract/api/asset.ts';
import { milliseconds } from '../contract/base/duration.ts';
import { openRenderer } from '../previews/open.ts';
import { wakeAfter } from './base/clock.ts';
import { reportTrouble } from './base/own-trouble.ts';
import type { FaultRule } from './endpoints/fault-schema.ts';
import { type Courier, noCourier, openCourier } from './events/courier.ts';
import { openDeliveries } from './events/deliveries.ts';
import { openWebhooks } from './events/webhooks.ts';
import { firedOf, openFaults } from './faults/faults.ts';
import { acceptFaults } from './faults/read.ts';
import { wireFaults } from './faults/wire.ts';
import { openApp } from './http/app.ts';
import type { Parts } from './http/parts.ts';
import { accountRoutes } from './http/routes/account.ts';
import { creationRoutes } from './http/routes/creations.ts';
import { detectionRoutes } from './http/routes/detections.ts';
import { downloadRoutes } from './http/routes/downloads.ts';
import { openApiRoute } from './http/routes/openapi.ts';
import { projectRoutes } from './http/routes/projects.ts';
import { uploadRoutes } from './http/routes/uploads.ts';
import { openHub } from './hub/hub.ts';
import { openFaceSearch } from './jobs/face-search.ts';
import { openProduction } from './jobs/production.ts';
import { openStudio } from './jobs/studio.ts';
import { type LocalService, ServiceOptionError, type ServiceOptions } from './options.ts';
import { localAccount, mostCredits, openAccounts } from './store/accounts.ts';
import { openAddresses } from './store/addresses.ts';
import { openAssets } from './store/assets.ts';
import { openDataFolder } from './store/data-folder.ts';
import type { Database } from './store/database.ts';
import { openDetections } from './store/detections.ts';
import { openKeys } from './store/keys.ts';
import { openProjects } from './store/projects.ts';
import { openStorage } from './store/storage.ts';

export type { LocalService, ServiceOptions };

/** Throws when an option cannot be used, the data folder is in use by another service, or the port is. */
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
  const { folder, database, leave } = await openDataFolder(options.data);
  try {
    const service = await openOn(options, { folder, database, rules: rules.value });
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

/** What is there before anything else, and is there after it. */
interface Ground {
  readonly folder: string;
  readonly database: Database;
  readonly rules: readonly FaultRule[];
}

async function openOn(
  options: ServiceOptions,
  { folder, database, rules }: Ground,
): Promise<LocalService> {
  const { host = '127.0.0.1', port = 0, credits = 10_000, tier = 'pro' } = options;
  const { speed = 'instant', seed = 1, slots = 8, paths = 'both' } = options;
  const faults = openFaults(rules, seed);
  const clock = { now: options.now ?? Date.now, after: options.after ?? wakeAfter };
  const { now } = clock;
  const storage = await openStorage(folder);
  const accounts = await openAccounts(database, { credits, tier }, now());
  const keys = await openKeys(
    database,
    { given: options.key, passing: options.passingKey ?? false },
    now(),
  );
  let address = '';
  const addresses = await openAddresses(database, {
    base: () => address,
    now,
    lifetimeMs: options.addressLifetimeMs ?? 24 * 3_600_000,
    shortened: (errand) => {
      const early = firedOf(faults.fire('address', errand), 'early-expiry');
      return early === undefined ? undefined : milliseconds(early.rule.after);
    },
  });
  const lifetimeMs = options.assetLifetimeMs ?? assetLifetimeMs;
  const assets = openAssets(database, storage, { now, lifetimeMs });
  const webhooks = openWebhooks(database);
  const deliveries = openDeliveries(database, webhooks, faults, {
    backoffMs: options.eventBackoffMs ?? 1000,
    giveUpMs: options.eventGiveUpMs ?? 24 * 3_600_000,
  });
  const courier: Courier =
    options.events === false
      ? noCourier
      : openCourier({ webhooks, deliveries, addresses, faults, clock });
  const projects = openProjects(database, accounts, { note: deliveries.note, tell: courier.wake });
  const detections = openDetections(database);

  const { pictures = 'real' } = options;
  const { decodeMegabytes } = options;
  const decodeBytes = decodeMegabytes === undefined ? undefined : decodeMegabytes * 2 ** 20;
  const renderer = openRenderer({ pictures, report: reportTrouble, decodeBytes });
  const pace = { clock, speed, seed };
  const production = openProduction({
    projects,
    detections,
    storage,
    accounts,
    faults,
    renderer,
    ...pace,
  });
  const faces = openFaceSearch({
    database,
    detections,
    assets,
    storage,
    production,
    renderer,
    ...pace,
  });
  const studio = openStudio(clock, slots);
  // Of its own, so that a free detection does not wait behind long renderings.
  const faceStudio = openStudio(clock, slots);

  const parts: Parts = {
    ...{ database, accounts, keys, projects, detections, assets, storage, addresses, clock },
    ...{ webhooks, deliveries, courier, faults },
    stated: options.stated ?? new Map(),
    render: (project) => studio.submit(production.jobOf(project)),
    release: studio.release,
    search: (detection) => faceStudio.submit(faces.jobOf(detection)),
  };
  const app = openApp(keys, { senderMs: options.senderMs ?? 30_000 });
  wireFaults(app.server, faults, clock);
  creationRoutes(app.server, parts);
  projectRoutes(app.server, parts);
  detectionRoutes(app.server, parts, paths);
  uploadRoutes(app.server, parts, paths);
  downloadRoutes(app.server, parts);
  accountRoutes(app.server, parts);
  openApiRoute(app.server, () => address, paths);
  openHub(app.server, parts);

  await assets.sweep();
  await assets.sweepStrays();
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
  courier.wake();

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
      await Promise.all([studio.close(), faceStudio.close()]);
      await courier.close();
    },
  };
}

/** Where clients reach it: a service that listens everywhere is reached on this machine. */
function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
