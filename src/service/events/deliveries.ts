// Events and their deliveries. An event is written in the same transaction as the change that it reports, so no event is
// lost. The deliveries are a log of all attempts and their answers.
import { randomUUID } from 'node:crypto';
import { milliseconds } from '../../base/duration.ts';
import { type EventAction, type EventKind, isEventKind } from '../../contract/api/event.ts';
import { toolNamed } from '../../contract/tools/all.ts';
import type { Faults } from '../faults/faults.ts';
import {
  choiceOf,
  type Database,
  maybeNumberOf,
  maybeTextOf,
  numberOf,
  type Row,
  textOf,
} from '../store/database.ts';
import type { StoredProject } from '../store/projects.ts';
import type { Webhooks } from './webhooks.ts';

/** `lost`: a fault lost the event. */
type DeliveryState = 'waiting' | 'delivered' | 'given_up' | 'lost';

export interface Delivery {
  readonly id: string;
  readonly webhook: string;
  readonly project: string;
  readonly kind: EventKind;
  readonly state: DeliveryState;
  readonly createdAt: number;
  /** The earliest time of the next attempt, while the delivery waits. */
  readonly nextAt: number | undefined;
  readonly attempts: readonly DeliveryAttempt[];
}

export interface DeliveryAttempt {
  readonly at: number;
  /** The HTTP status of the answer; undefined: no answer. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}

/** A delivery to send, with the project as it was when the event happened. */
export interface Outgoing {
  readonly id: string;
  readonly kind: EventKind;
  readonly project: StoredProject;
  /** When the event happened, in milliseconds since 1970. */
  readonly at: number;
}

interface DeliveryOptions {
  /** Milliseconds between the first and the second attempt; the wait doubles each time. */
  readonly backoffMs: number;
  /** Milliseconds after the event until the delivery is given up. */
  readonly giveUpMs: number;
}

interface DeliveryFilter {
  readonly webhook?: string;
  readonly project?: string;
  readonly state?: DeliveryState;
  readonly limit: number;
}

/** How long the fault `event-out-of-order` holds an event back at most. */
const heldBackMs = 5000;
/** `image.started` may be skipped (interface.md, States). Tools that take this many seconds or less skip it. */
const tooFastToStart = 5;

export type Deliveries = ReturnType<typeof openDeliveries>;

export function openDeliveries(
  database: Database,
  webhooks: Webhooks,
  faults: Faults,
  { backoffMs, giveUpMs }: DeliveryOptions,
) {
  const insertEvent = database.prepare(
    'INSERT INTO events (project, kind, at, snapshot) VALUES (?, ?, ?, ?)',
  );
  const insert = database.prepare(
    `INSERT INTO deliveries (id, event, webhook, project, kind, state, created_at, next_at, copies, overtaken)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const byId = database.prepare('SELECT * FROM deliveries WHERE id = ?');
  const first = database.query(
    `SELECT deliveries.id, events.kind, events.at, events.snapshot FROM deliveries
       JOIN events ON events.seq = deliveries.event
     WHERE deliveries.state = 'waiting' AND deliveries.webhook = ?1 AND next_at <= ?2
       AND (overtaken = 1 OR NOT EXISTS (
         SELECT 1 FROM deliveries AS earlier
         WHERE earlier.state = 'waiting' AND earlier.webhook = deliveries.webhook
           AND earlier.project = deliveries.project AND earlier.seq < deliveries.seq AND earlier.overtaken = 0))
     ORDER BY next_at, deliveries.seq LIMIT ?3`,
    outgoingOf,
  );
  const soonest = database.query(
    `SELECT min(next_at) AS next_at FROM deliveries WHERE state = 'waiting' AND next_at > ?`,
    (row) => maybeNumberOf(row, 'next_at'),
  );
  const recordAttempt = database.prepare(
    'INSERT INTO attempts (delivery, at, status, error) VALUES (?, ?, ?, ?)',
  );
  const changeDelivery = database.prepare(
    'UPDATE deliveries SET state = ?, next_at = ?, tries = ?, copies = ? WHERE id = ?',
  );
  const releaseOvertaken = database.prepare(
    `UPDATE deliveries SET next_at = min(next_at, ?)
     WHERE state = 'waiting' AND overtaken = 1 AND webhook = ? AND project = ? AND seq < ?`,
  );
  const attempts = database.query(
    'SELECT * FROM attempts WHERE delivery = ? ORDER BY rowid',
    attemptOf,
  );

  const deliveryOf = (row: Row): Delivery => {
    const state = choiceOf(row, 'state', isDeliveryState);
    return {
      id: textOf(row, 'id'),
      webhook: textOf(row, 'webhook'),
      project: textOf(row, 'project'),
      kind: eventKindOf(row),
      state,
      createdAt: numberOf(row, 'created_at'),
      nextAt: state === 'waiting' ? numberOf(row, 'next_at') : undefined,
      attempts: attempts.all(textOf(row, 'id')),
    };
  };
  const deliveryById = database.query('SELECT * FROM deliveries WHERE id = ?', deliveryOf);
  const newest = database.query(
    `SELECT * FROM deliveries
     WHERE (?1 IS NULL OR webhook = ?1) AND (?2 IS NULL OR project = ?2) AND (?3 IS NULL OR state = ?3)
     ORDER BY seq DESC LIMIT ?4`,
    deliveryOf,
  );

  return {
    /** Adds a delivery for each webhook of this kind of event. Call inside the write that changes the project. */
    recordEvent(project: StoredProject, action: EventAction, at: number): void {
      const kind: EventKind = `${project.record}.${action}`;
      const median = toolNamed(project.tool)?.medianSeconds ?? 0;
      if (kind === 'image.started' && median <= tooFastToStart) return;
      const wanted = webhooks
        .active()
        .filter(({ account, kinds }) => account === project.account && kinds.includes(kind));
      if (wanted.length === 0) return;
      const { lastInsertRowid } = insertEvent.run(project.id, kind, at, JSON.stringify(project));
      for (const { id: webhook } of wanted) {
        const rule = faults.fire('event', kind)[0]?.rule;
        const overtaken = rule?.fault === 'event-out-of-order';
        const wait = overtaken
          ? heldBackMs
          : rule?.fault === 'event-late'
            ? milliseconds(rule.by)
            : 0;
        insert.run(
          ...[randomUUID(), lastInsertRowid, webhook, project.id, kind],
          ...[rule?.fault === 'event-lost' ? 'lost' : 'waiting', at, Math.ceil(at + wait)],
          ...[rule?.fault === 'event-doubled' ? 2 : 1, overtaken ? 1 : 0],
        );
      }
    },
    /** The deliveries of a webhook that are due now: of each project only the first one that waits. */
    due: (webhook: string, now: number, limit: number) => first.all(webhook, now, limit),
    /** When the next delivery becomes due. */
    nextDue: (now: number) => soonest.one(now),
    /** Records the result of an attempt at `now`, from which the wait for the next attempt counts. */
    settle: (id: string, { at, status, error }: DeliveryAttempt, now: number) =>
      database.write(() => {
        const row = byId.get(id);
        if (row === undefined) throw new Error(`bug: a delivery ${id} that is not kept`);
        recordAttempt.run(id, at, status ?? null, error ?? null);
        if (textOf(row, 'state') !== 'waiting') return;
        const tries = numberOf(row, 'tries') + 1;
        const copies = numberOf(row, 'copies');
        if (status !== undefined && status >= 200 && status < 300) {
          changeDelivery.run(copies > 1 ? 'waiting' : 'delivered', now, tries, copies - 1, id);
          releaseOvertaken.run(
            now,
            textOf(row, 'webhook'),
            textOf(row, 'project'),
            numberOf(row, 'seq'),
          );
          return;
        }
        const next = now + backoffMs * 2 ** (tries - 1);
        const late = next > numberOf(row, 'created_at') + giveUpMs;
        changeDelivery.run(late ? 'given_up' : 'waiting', Math.ceil(next), tries, copies, id);
      }),
    /** Delivers an event again. Undefined: no such delivery, or its webhook is removed. */
    replay: (id: string, at: number) =>
      database.write(() => {
        const row = byId.get(id);
        if (row === undefined) return undefined;
        const webhook = textOf(row, 'webhook');
        if (!webhooks.active().some((receiver) => receiver.id === webhook)) return undefined;
        const again = randomUUID();
        insert.run(
          ...[again, numberOf(row, 'event'), webhook, textOf(row, 'project'), eventKindOf(row)],
          ...['waiting', at, at, 1, 0],
        );
        return deliveryById.one(again);
      }),
    list: ({ webhook, project, state, limit }: DeliveryFilter) =>
      newest.all(webhook ?? null, project ?? null, state ?? null, limit),
  };
}

function outgoingOf(row: Row): Outgoing {
  // As `recordEvent` wrote it.
  const project: StoredProject = JSON.parse(textOf(row, 'snapshot'));
  return { id: textOf(row, 'id'), kind: eventKindOf(row), project, at: numberOf(row, 'at') };
}

function attemptOf(row: Row): DeliveryAttempt {
  return {
    at: numberOf(row, 'at'),
    status: maybeNumberOf(row, 'status'),
    error: maybeTextOf(row, 'error'),
  };
}

const eventKindOf = (row: Row): EventKind => choiceOf(row, 'kind', isEventKind);

export function isDeliveryState(text: string): text is DeliveryState {
  return text === 'waiting' || text === 'delivered' || text === 'given_up' || text === 'lost';
}
