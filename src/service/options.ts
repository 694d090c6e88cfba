// The options of the local service, and the handle of a running one. Part of the library's types.
import type { PathForm } from '../contract/api/routes.ts';
import type { Tier } from '../contract/api/tier.ts';
import type { StatedPrices } from './charge.ts';
import type { FaultsDocument } from './faults/schema.ts';

export interface ServiceOptions {
  /** Default 127.0.0.1. The hub is available only on this machine, whatever the host. */
  readonly host?: string;
  /** Default 0: a free port. */
  readonly port?: number;
  /** The data folder. Without one, files are in a temporary folder until `close`, and the database is in memory. */
  readonly data?: string;
  /** The opening balance of a new account, in credits; default 10000. An existing account keeps its balance. */
  readonly credits?: number;
  /** The tier of a new account; default `pro`. An existing account keeps its tier. */
  readonly tier?: Tier;
  /** Credits for creations without a published price, by tool; default: the highest published price of the tool. */
  readonly stated?: StatedPrices;
  /** Default `instant`. */
  readonly speed?: Speed;
  /** The seed of durations, faults and pictures; default 1. */
  readonly seed?: number;
  /**
   * An API key to accept. By default, the service creates one, which is the same at each start on the same data until it is revoked.
   * The keys of earlier starts work too.
   */
  readonly key?: string;
  /** The key works only until the next start, as in a rehearsal. Default: it works after a restart too. */
  readonly temporaryKey?: boolean;
  /** How many projects are rendered at the same time; default 8. Face detections have as many slots of their own. */
  readonly slots?: number;
  /** Milliseconds for which a presigned address works; default 24 hours (interface.md, Limits). */
  readonly addressLifetimeMs?: number;
  /** Milliseconds for which an upload is kept; default 7 days (facts.md, Uploads). */
  readonly assetLifetimeMs?: number;
  /** False: the service sends no events to any webhook. Default true. */
  readonly events?: boolean;
  /** Milliseconds before an event is sent again; the wait doubles each time. Default 1 second. */
  readonly eventBackoffMs?: number;
  /** Milliseconds after an event until its delivery is given up; default 24 hours. */
  readonly eventGiveUpMs?: number;
  /**
   * The form of the three paths that exist in two forms: `short`, as deployed services have it, `long`, as the interface
   * specifies, or `both` (the default). The other form is answered with 404.
   */
  readonly paths?: PathForm;
  /**
   * Milliseconds within which the head of a request must arrive, and its body. An upload can take longer while bytes keep
   * arriving. Default 30 seconds.
   */
  readonly senderMs?: number;
  /** The faults to inject: the content of a faults file (schemas/faults.schema.json). */
  readonly faults?: FaultsDocument;
  /** `real` (the default): previews of what went in. `plain`: stand-ins that cost almost no work, for tests of everything but pictures. */
  readonly pictures?: Pictures;
  /**
   * So many faces at fixed places in each picture, 0 included. Default: faces are looked for if `@vladmandic/face-api` is
   * installed.
   */
  readonly faces?: number;
  /** Milliseconds since 1970; default Date.now. */
  readonly now?: () => number;
  /** Calls `then` after `ms` milliseconds; default setTimeout. Tests with a clock of their own set both `now` and `after`. */
  readonly after?: (ms: number, then: () => void) => () => void;
}

/**
 * `instant`: a project is complete as soon as its output is rendered. `realtime`: it takes as long as the hosted service
 * takes. A number: so many times faster than that.
 */
export type Speed = 'instant' | 'realtime' | number;

export type Pictures = 'real' | 'plain';

export interface LocalService {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  /** An API key of the account that every service has. */
  readonly key: string;
  /** The page with projects, credits, keys and webhooks. */
  readonly hub: string;
  /** What the previews of these step kinds, or of all, should be judged by: a sentence each. */
  notes(kinds?: ReadonlySet<string>): readonly string[];
  /** Stops the service: ends running renderings and removes the temporary folder. A data folder stays. */
  close(): Promise<void>;
  /** The ledger of the account that every service has. */
  ledger(): readonly LedgerEntry[];
  /** The balance of that account, in credits. */
  balance(): number;
  /** How often each route was called since the start: `{'POST /v1/face-swap-photo': 2}`. */
  requests(): RequestCounts;
}

/** By route: `POST /v1/face-swap-photo`. Requests that match no route count as `unknown`. */
export type RequestCounts = Readonly<Record<string, number>>;

export type LedgerKind = 'charge' | 'refund' | 'adjustment';

/** One movement of credits, as the ledger of an account lists it. */
export interface LedgerEntry {
  readonly seq: number;
  /** ISO 8601 timestamp. */
  readonly at: string;
  readonly account: string;
  /** The project that it is about; null for an adjustment of the account itself, as the opening balance. */
  readonly project: string | null;
  readonly tool: string | null;
  /** The project's name. */
  readonly name: string | null;
  readonly kind: LedgerKind;
  /**
   * Credits. A charge and a refund are positive: the kind says the direction. An adjustment has a sign:
   * positive is credited to the account, negative is taken from it.
   */
  readonly credits: number;
}

/** An option has an invalid value. */
export class ServiceOptionError extends Error {
  readonly code = 'SERVICE_OPTION';
}
