// Everything that jobs, routes and the dispatcher of events use. start.ts opens each part once.

import type { Renderer } from '../previews/open.ts';
import type { StatedPrices } from './charge.ts';
import type { ServiceClock } from './clock.ts';
import type { Deliveries } from './events/deliveries.ts';
import type { Webhooks } from './events/webhooks.ts';
import type { Faults } from './faults/faults.ts';
import type { Speed } from './options.ts';
import type { Accounts } from './store/accounts.ts';
import type { Assets } from './store/assets.ts';
import type { Database } from './store/database.ts';
import type { Detections } from './store/detections.ts';
import type { FileStore } from './store/file-store.ts';
import type { Keys } from './store/keys.ts';
import type { PresignedAddresses } from './store/presigned-addresses.ts';
import type { Projects } from './store/projects.ts';

export interface Dependencies {
  readonly clock: ServiceClock;
  readonly speed: Speed;
  readonly seed: number;
  /** For creations without a published price. */
  readonly stated: StatedPrices;
  readonly faults: Faults;
  readonly database: Database;
  readonly fileStore: FileStore;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly addresses: PresignedAddresses;
  readonly assets: Assets;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly projects: Projects;
  readonly detections: Detections;
  readonly renderer: Renderer;
}
