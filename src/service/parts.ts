// Everything that the routes reach: the rooms of the service, opened once by start.ts.
import type { Accounts } from './accounts.ts';
import type { Addresses } from './addresses.ts';
import type { Assets } from './assets.ts';
import type { StatedPrices } from './charge.ts';
import type { Clock } from './clock.ts';
import type { Database } from './database.ts';
import type { Detections, StoredDetection } from './detections.ts';
import type { Courier } from './events/courier.ts';
import type { Deliveries } from './events/deliveries.ts';
import type { Webhooks } from './events/webhooks.ts';
import type { Faults } from './faults/faults.ts';
import type { Keys } from './keys.ts';
import type { StoredProject } from './project-row.ts';
import type { Projects } from './projects.ts';
import type { Storage } from './storage.ts';

export interface Parts {
  /** Of creations whose price is not published. */
  readonly stated: StatedPrices;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly projects: Projects;
  readonly detections: Detections;
  readonly assets: Assets;
  readonly storage: Storage;
  readonly addresses: Addresses;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly courier: Courier;
  readonly faults: Faults;
  readonly clock: Clock;
  /** Hands a new project to the studio. */
  readonly render: (project: StoredProject) => void;
  /** Tells the studio that a project is not wanted any more. */
  readonly release: (project: string) => void;
  /** Hands a new face detection to its studio. */
  readonly search: (detection: StoredDetection) => void;
}
