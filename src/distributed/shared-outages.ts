// Outages of the service as the workers of a run see them. What several of them report is one outage of the run: it begins
// with the first report, and is over when each worker that reported it is back. A worker that dies meanwhile never says so,
// and its reports lapse.
import type { FromSchema } from 'json-schema-to-ts';
import type { JsonObject } from '../base/json.ts';
import { validatorOf } from '../base/schema.ts';
import { time } from '../model/line-schemas.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { milliseconds, text } from '../run/jobs/wire-schemas.ts';
import type { Outage, OutageEvent } from '../run/run-event.ts';

const outage = { of: { enum: ['service', 'creations', 'storage'] }, at: text } as const;

const waitingSchema = {
  type: 'object',
  required: ['type', 'of', 'why', 'since', 'tries', 'nextTryMs', 'limitMs'],
  properties: {
    ...outage,
    type: { const: 'waiting' },
    why: text,
    since: time,
    tries: { type: 'integer', minimum: 0 },
    nextTryMs: milliseconds,
    limitMs: milliseconds,
  },
} as const;

const backSchema = {
  type: 'object',
  required: ['type', 'of'],
  properties: { ...outage, type: { const: 'back' } },
} as const;

type Waiting = FromSchema<typeof waitingSchema>;
type Back = FromSchema<typeof backSchema>;

/** How long an attempt to reach the service may take before its worker counts as gone, in milliseconds. */
const attemptMs = 120_000;

interface Seen {
  readonly outage: Outage;
  /** By the clock's `elapsed`. */
  readonly since: number;
  /** When the report of each worker lapses. The first one is told. */
  readonly reports: Map<string, number>;
}

export class SharedOutages {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #onEvent: (event: OutageEvent) => void;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Pick<Clock, 'elapsed'>, onEvent: (event: OutageEvent) => void) {
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** `told`: from a database that others write to. What is no event of an outage is ignored. */
  hear(by: string, told: JsonObject): void {
    if (validatorOf<Waiting>(waitingSchema)(told)) this.#wait(by, told);
    else if (validatorOf<Back>(backSchema)(told)) this.#end(outageOf(told), by);
  }

  /** Call from time to time: ends what only workers that are gone have reported. */
  lapse(): void {
    const now = this.#clock.elapsed();
    for (const { outage, reports } of this.#seen.values())
      for (const [by, until] of reports) if (until < now) this.#end(outage, by);
  }

  #wait(by: string, { why, since, tries, nextTryMs, limitMs, ...told }: Waiting): void {
    const outage = outageOf(told);
    const now = this.#clock.elapsed();
    const name = nameOf(outage);
    const seen = this.#seen.get(name) ?? { outage, since: now, reports: new Map() };
    this.#seen.set(name, seen);
    seen.reports.set(by, now + nextTryMs + attemptMs);
    const [reporter] = seen.reports.keys();
    if (reporter !== by) return;
    const shown = { why: `${why}, seen by ${by}`, since, tries, nextTryMs, limitMs };
    this.#onEvent({ type: 'waiting', ...outage, ...shown });
  }

  #end(outage: Outage, by: string): void {
    const seen = this.#seen.get(nameOf(outage));
    if (seen?.reports.delete(by) !== true || seen.reports.size > 0) return;
    this.#seen.delete(nameOf(outage));
    const waitedMs = this.#clock.elapsed() - seen.since;
    this.#onEvent({ type: 'back', ...outage, waitedMs });
  }
}

const outageOf = ({ of, at = '' }: Pick<Back, 'of' | 'at'>): Outage =>
  of === 'storage' ? { of, at } : { of };

const nameOf = (outage: Outage): string =>
  outage.of === 'storage' ? `storage ${outage.at}` : outage.of;
