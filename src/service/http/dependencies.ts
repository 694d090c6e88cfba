// Everything that the routes use. start.ts opens each part once.

import type { StatedPrices } from '../base/charge.ts';
import type { ServiceClock } from '../base/clock.ts';
import type { Deliveries } from '../events/deliveries.ts';
import type { EventDispatcher } from '../events/event-dispatcher.ts';
import type { Webhooks } from '../events/webhooks.ts';
import type { Faults } from '../faults/faults.ts';
import type { Accounts } from '../store/accounts.ts';
import type { Assets } from '../store/assets.ts';
import type { Database } from '../store/database.ts';
import type { Detections, StoredDetection } from '../store/detections.ts';
import type { FileStore } from '../store/file-store.ts';
import type { Keys } from '../store/keys.ts';
import type { PresignedAddresses } from '../store/presigned-addresses.ts';
import type { StoredProject } from '../store/project-row.ts';
import type { Projects } from '../store/projects.ts';

export interface Dependencies {
  /** For creations without a published price. */
  readonly stated: StatedPrices;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly projects: Projects;
  readonly detections: Detections;
  readonly assets: Assets;
  readonly fileStore: FileStore;
  readonly addresses: PresignedAddresses;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly eventDispatcher: EventDispatcher;
  readonly faults: Faults;
  readonly clock: ServiceClock;
  /** Submits a new project to the scheduler. */
  readonly render: (project: StoredProject) => void;
  /** Frees the slot of a project that is canceled or deleted. */
  readonly release: (project: string) => void;
  /** Submits a new face detection to its scheduler. */
  readonly search: (detection: StoredDetection) => void;
}
