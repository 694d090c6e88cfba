// Everything that the routes reach: the rooms of the service, opened once by start.ts.
import type { Account } from './account.ts';
import type { Addresses } from './addresses.ts';
import type { Assets } from './assets.ts';
import type { Clock } from './clock.ts';
import type { Database } from './database.ts';
import type { Detections, StoredDetection } from './detections.ts';
import type { Projects, StoredProject } from './projects.ts';
import type { Storage } from './storage.ts';

export interface Parts {
  readonly database: Database;
  readonly account: Account;
  readonly projects: Projects;
  readonly detections: Detections;
  readonly assets: Assets;
  readonly storage: Storage;
  readonly addresses: Addresses;
  readonly clock: Clock;
  /** Hands a new project to the studio. */
  readonly render: (project: StoredProject) => void;
  /** Hands a new face detection to its studio. */
  readonly search: (detection: StoredDetection) => void;
}
