// What the local service can be told when it starts, and what it answers with.
import type { PathForm } from '../contract/api/routes.ts';
import type { Tier } from '../contract/api/tier.ts';
import type { StatedPrices } from './base/charge.ts';
import type { FaultsDocument } from './endpoints/fault-schema.ts';
import type { Speed } from './jobs/pace.ts';
import type { LedgerEntry } from './store/accounts.ts';

export interface ServiceOptions {
  /** Default 127.0.0.1. The hub answers to this machine only, whatever the host. */
  readonly host?: string;
  /** Default 0: one that is free. */
  readonly port?: number;
  /** The data folder. Without one, files are in a temporary folder until `close`, and the database in memory. */
  readonly data?: string;
  /** Opening balance of a new account, in credits; default 10000. An account that exists keeps its own. */
  readonly credits?: number;
  /** Of a new account; default `pro`. An account that exists keeps its own. */
  readonly tier?: Tier;
  /** Credits for creations whose price is not published, by tool; default: the dearest that is published for the tool. */
  readonly stated?: StatedPrices;
  /** Default `instant`. A number: so many times faster than the hosted service. */
  readonly speed?: Speed;
  /** What durations, faults and pictures depend on, beside the requests; default 1. */
  readonly seed?: number;
  /** An API key to accept; by default a new one is made. Those of earlier starts work too. */
  readonly key?: string;
  /** The key ends with this start, as that of a rehearsal does. Default: it works after a restart too. */
  readonly passingKey?: boolean;
  /** How many projects are in the works at the same time; default 8. Face detections have as many of their own. */
  readonly slots?: number;
  /** How long a presigned address works, in milliseconds; default 24 hours (interface.md, Limits). */
  readonly addressLifetimeMs?: number;
  /** How long an upload is kept, in milliseconds; default 7 days (facts.md, Uploads). */
  readonly assetLifetimeMs?: number;
  /** False: no events are sent, whatever webhooks there are. Default true. */
  readonly events?: boolean;
  /** The wait before an event is sent again, in milliseconds; it doubles each time. Default 1 second. */
  readonly eventBackoffMs?: number;
  /** How long after it happened an event is given up, in milliseconds; default 24 hours. */
  readonly eventGiveUpMs?: number;
  /**
   * Which form of the three paths that exist in two forms is answered: `short`, as deployed services do, `long`, as
   * the interface specifies, or `both` (the default). The other form is not found.
   */
  readonly paths?: PathForm;
  /**
   * Milliseconds in which the head of a request must have come, and its body; an upload may take longer while it moves.
   * Default 30 seconds.
   */
  readonly senderMs?: number;
  /** What shall go wrong: the content of a faults file (schemas/faults.schema.json). */
  readonly faults?: FaultsDocument;
  /**
   * `real` (the default): previews made in processes of their own, as far as the libraries for it are installed. `plain`: stand-ins
   * that cost next to no work, for tests of everything but pictures.
   */
  readonly pictures?: Pictures;
  /**
   * The memory that all decoders of pictures and clips together may take, in MiB: others wait for their turn, and a file
   * that needs more is refused. Default 1024, or a fourth of a smaller machine's memory.
   */
  readonly decodeMegabytes?: number;
  /** Milliseconds since 1970; default Date.now. */
  readonly now?: () => number;
  /** Wakes the service later; default setTimeout. Goes with `now` in tests that hand in their clock. */
  readonly after?: (ms: number, then: () => void) => () => void;
}

export type Pictures = 'real' | 'plain';

export interface LocalService {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  /** An API key that works, of the account that every service has. */
  readonly key: string;
  /** The page with projects, credits, keys and webhooks. */
  readonly hub: string;
  /**
   * What is not rendered for real since libraries are missing: a sentence each, with the line that installs them; of all
   * step kinds, or of these.
   */
  lacks(kinds?: ReadonlySet<string>): readonly string[];
  /** Ends renderings under way, keeps what is durable, and removes the temporary folder. */
  close(): Promise<void>;
  /** Of the account that every service has. */
  ledger(): readonly LedgerEntry[];
  /** Its credits. */
  balance(): number;
  /** How often each route was asked for since the start: `{'POST /v1/face-swap-photo': 2}`. */
  requests(): Readonly<Record<string, number>>;
}

/** An option that cannot be used. */
export class ServiceOptionError extends Error {
  readonly code = 'SERVICE_OPTION';
}
