// What workers and coordinators write to a run, in one call of the database: facts, ends of orders, and claims. The rules
// behind the answers: engine.md, "Why nothing is paid twice".
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { unknownKind } from '../../model/job-kind.ts';
import type { EventLine, JobLine, NewEvent } from '../../model/line.ts';
import { jobSchema } from '../../model/line-schemas.ts';
import type { JobOrder, JobOutcome } from '../../run/jobs/job.ts';
import type { Intent } from '../../run/jobs/ports.ts';
import { variantOf } from './moves.ts';
import { type Statements, unexpected } from './sql.ts';
import { schema } from './tables.ts';

/** One delivery of an order to a worker. The next delivery of the same order is another lease. */
export interface Lease {
  /** The id of the order in the queue. */
  readonly id: string;
  /** How often the order was delivered before. */
  readonly retry: number;
}

/** An order with what its coordinator knew when it wrote it. */
export interface IssuedOrder {
  readonly order: JobOrder;
  /** The term of the coordinator: a later coordinator has a higher one, and orders of earlier terms buy nothing. */
  readonly epoch: number;
  /** The number of the last record that the price in the order takes into account. */
  readonly seen: number;
  /** The age of the project of the order when it was last looked at, in milliseconds, if the order was parked. */
  readonly seenMs?: number;
}

/** A worker asks whether it may send a creation. */
export interface Ask {
  readonly lease: Lease;
  readonly epoch: number;
  readonly seen: number;
  readonly key: string;
  readonly intent: Intent;
  /** The creation was certainly not accepted, and would be sent again under the same name. */
  readonly again: boolean;
}

/**
 * - `go`: the intent is durable, and only the asker may send the creation. Returned once for each name, or again to the
 *   same lease, which asks again because it lost the answer.
 * - `exists`: the attempt was begun under another lease (`same`), or the job is not in a state in which it may begin.
 * - `stale`: another coordinator has taken over, or the lease has lapsed. The worker drops the order.
 * - `repriced`: a charge was higher than its estimate after the order was priced.
 * - `wait`: the service asked everyone to slow down.
 */
export type ClaimAnswer =
  | { readonly is: 'go' }
  | ({ readonly is: 'exists' } & BegunJob)
  | { readonly is: 'stale' }
  | { readonly is: 'repriced' }
  | { readonly is: 'closed'; readonly why: string }
  | { readonly is: 'budget' }
  | { readonly is: 'wait'; readonly ms: number };

/** A job as the database knows it. */
export interface BegunJob {
  /** The attempt has the name that was asked about. */
  readonly same: boolean;
  readonly state: JobLine['state'];
  readonly project?: string;
  readonly credits: number;
  /** ISO 8601: when the job entered its state. */
  readonly at: string;
}

/** Something that happened, for the ledger and for the coordinator. */
export type Fact =
  /** `name`: the attempt that the event is about; an event about another attempt than the current one is refused. */
  | ({ readonly is: 'event'; readonly name?: string; readonly event: NewEvent } & FactHead)
  | ({ readonly is: 'begun' } & FactHead)
  /** A run event of a worker: an outage of the service, as this worker sees it. */
  | ({ readonly is: 'told'; readonly told: JsonObject } & FactHead);

interface FactHead {
  /** Unique in the run: a fact that is written twice counts once. */
  readonly id: string;
  /** The key of the order. */
  readonly key: string;
}

/** The database dates its records. */
export function withoutTime(line: EventLine): NewEvent {
  const { at: _, ...event } = line;
  return event;
}

/** The events that are about one attempt of a creation. */
export const isOfAttempt = ({ event }: NewEvent): boolean =>
  event === 'created' || event === 'doubt' || event === 'settled';

/** `attempt`: the name of the attempt that the event is about, if it is about one. */
export const eventFact = (head: FactHead, event: NewEvent, attempt: string | undefined): Fact => ({
  ...head,
  is: 'event',
  event,
  ...(attempt !== undefined && isOfAttempt(event) ? { name: attempt } : {}),
});

/**
 * - `done`: recorded now.
 * - `known`: it was recorded before, or the ledger already says so.
 * - `refused`: the state of the job does not allow it. It is kept as a record for the coordinator all the same.
 */
export type FactAnswer = 'done' | 'known' | 'refused';

/** The end of an order: its outcome, or the order that follows it later. */
export type OrderEnd = Ended | Parked;

export interface Ended {
  readonly is: 'ended';
  readonly lease: Lease;
  readonly key: string;
  readonly outcome: JobOutcome;
}

export interface Parked {
  readonly is: 'parked';
  readonly lease: Lease;
  readonly next: IssuedOrder;
  readonly afterMs: number;
}

/** What a worker writes in one transaction: facts first, then ends, then claims. */
export interface Batch {
  readonly facts: readonly Fact[];
  readonly ends: readonly OrderEnd[];
  readonly asks: readonly Ask[];
}

export interface BatchAnswer {
  /** In the order of the batch. */
  readonly facts: readonly FactAnswer[];
  /** False: the lease had lapsed, so the order was delivered again, and this end does not count. */
  readonly ends: readonly boolean[];
  readonly claims: readonly ClaimAnswer[];
}

/** A batch for the database, which decides by these leases. `live`: the lease holds. */
interface Rows {
  readonly facts?: readonly Fact[];
  readonly ends?: readonly (Ended & { readonly live: boolean })[];
  readonly asks?: readonly { readonly ask: Ask; readonly live: boolean }[];
}

/** `gone`: the run is not in this database. `over`: the epoch is not the current one. */
export async function commitBatch(
  sql: Statements,
  run: string,
  by: string,
  epoch: number | undefined,
  { facts = [], ends = [], asks = [] }: Rows,
): Promise<BatchAnswer | 'gone' | 'over'> {
  const [row] = await sql.query(
    `select ${schema}.commit_batch($1, $2, $3, $4::jsonb, $5::jsonb, $6::jsonb) as answer`,
    [
      run,
      by,
      epoch ?? null,
      JSON.stringify(facts.map(factRow)),
      JSON.stringify(ends.map(endRow)),
      JSON.stringify(asks.map(askRow)),
    ],
  );
  const answer = row?.['answer'];
  if (!isObject(answer)) throw unexpected('answer', answer);
  if (answer['is'] === 'gone' || answer['is'] === 'over') return answer['is'];
  return {
    facts: list(answer['facts']).map(factAnswer),
    ends: list(answer['ends']).map((end) => end === true),
    claims: list(answer['claims']).map(claimAnswer),
  };
}

/** A delivery as one word: what an attempt belongs to. */
export const ownerOf = ({ id, retry }: Lease): string => `${id}:${retry}`;

/** A file of a job as one word. */
export const fileOf = ({
  task,
  index,
}: {
  readonly task: string;
  readonly index: number;
}): string => `${task}\n${index}`;

/** What money needs of a job. */
export const moneyOf = (line: JobLine) => ({
  job: line.job,
  state: line.state,
  attempt: line.attempt,
  name: line.name,
  reserve: line.reserve ?? 0,
  credits: line.credits ?? 0,
  project: line.project,
  past: line.past?.map(({ project = null, credits, adopted }) => ({ project, credits, adopted })),
  files: line.outputs?.map(fileOf) ?? [],
  take: line.take !== undefined,
  unknown: line.kind === unknownKind,
  at: line.at,
  adopted: line.adopted !== undefined,
});

function factRow(fact: Fact): object {
  const { id, key, is } = fact;
  if (is === 'begun') return { id, key, is };
  if (is === 'told') return { id, key, is, body: JSON.stringify(fact.told) };
  const { event } = fact;
  const row = { id, key, is, body: JSON.stringify(event) };
  if (!('job' in event)) return row;
  const about = { about: fact.name, job: event.job, event: event.event, variant: variantOf(event) };
  if (event.event === 'adopted') {
    const { at: since, ...money } = moneyOf(event.line);
    return { ...row, ...money, ...about, since };
  }
  return {
    ...row,
    ...about,
    take: event.event === 'intent' && event.take !== undefined,
    unknown: 'kind' in event && event.kind === unknownKind,
    ...('name' in event ? { name: event.name } : {}),
    ...('attempt' in event ? { attempt: event.attempt } : {}),
    ...('reserve' in event ? { reserve: event.reserve } : {}),
    ...('credits' in event ? { credits: event.credits } : {}),
    ...('project' in event ? { project: event.project } : {}),
    ...('task' in event ? { task: event.task } : {}),
    ...('index' in event ? { file: fileOf(event) } : {}),
  };
}

const endRow = ({ lease, key, outcome, live }: Ended & { readonly live: boolean }): object => ({
  id: `end ${ownerOf(lease)}`,
  key,
  live,
  body: JSON.stringify(outcome),
});

const askRow = ({ ask, live }: { readonly ask: Ask; readonly live: boolean }): object => ({
  live,
  owner: ownerOf(ask.lease),
  again: ask.again,
  epoch: ask.epoch,
  seen: ask.seen,
  key: ask.key,
  job: ask.intent.job,
  name: ask.intent.name,
  attempt: ask.intent.attempt,
  reserve: ask.intent.reserve,
  take: ask.intent.take !== undefined,
  unknown: ask.intent.kind === unknownKind,
  body: JSON.stringify(ask.intent),
});

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw unexpected('answer', value);
  return value;
}

function factAnswer(value: unknown): FactAnswer {
  if (value === 'done' || value === 'known' || value === 'refused') return value;
  throw unexpected('answer', value);
}

function claimAnswer(value: unknown): ClaimAnswer {
  if (!isObject(value)) throw unexpected('answer', value);
  const { is } = value;
  switch (is) {
    case 'go':
    case 'stale':
    case 'repriced':
    case 'budget':
      return { is };
    case 'closed':
      return { is, why: text(value, 'why') };
    case 'wait':
      return { is, ms: number(value, 'ms') };
    case 'exists': {
      const { project } = value;
      return {
        is,
        same: value['same'] === true,
        state: stateOf(value['state']),
        credits: number(value, 'credits'),
        at: text(value, 'at'),
        ...(typeof project === 'string' ? { project } : {}),
      };
    }
    default:
      throw unexpected('answer', value);
  }
}

function stateOf(value: unknown): JobLine['state'] {
  const found = jobSchema.properties.state.enum.find((state) => state === value);
  if (found === undefined) throw unexpected('state', value);
  return found;
}

function text(answer: JsonObject, field: string): string {
  const value = answer[field];
  if (typeof value !== 'string') throw unexpected(field, value);
  return value;
}

function number(answer: JsonObject, field: string): number {
  const value = answer[field];
  if (typeof value !== 'number') throw unexpected(field, value);
  return value;
}
