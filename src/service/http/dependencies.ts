// Everything that the routes reach: the rooms of the service, opened once by start.ts.

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
  /** Of creations whose price is not published. */
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
  /** Hands a new project to the scheduler. */
  readonly render: (project: StoredProject) => void;
  /** Tells the scheduler that a project is not wanted any more. */
  readonly release: (project: string) => void;
  /** Hands a new face detection to its studio. */
  readonly search: (detection: StoredDetection) => void;
}
