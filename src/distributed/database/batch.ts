// Writes facts, ends and claims in one call of the database, and reads the answers.
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { unknownKind } from '../../model/job-kind.ts';
import type { JobLine } from '../../model/line.ts';
import { jobSchema } from '../../model/line-schemas.ts';
import type { JobOutcome } from '../../run/jobs/job.ts';
import type { Ask, ClaimAnswer, Fact, FactAnswer, Lease } from '../ports.ts';
import { unexpected } from './columns.ts';
import { variantOf } from './moves.ts';
import type { Statements } from './sql.ts';
import { schema } from './tables.ts';

export interface EndRow {
  readonly lease: Lease;
  readonly key: string;
  readonly outcome: JobOutcome;
  /** The lease held. */
  readonly live: boolean;
}

export interface AskRow {
  readonly ask: Ask;
  /** The lease holds. */
  readonly live: boolean;
}

export interface Written {
  readonly facts: readonly FactAnswer[];
  readonly ends: readonly boolean[];
  readonly claims: readonly ClaimAnswer[];
}

export interface Rows {
  readonly facts?: readonly Fact[];
  readonly ends?: readonly EndRow[];
  readonly asks?: readonly AskRow[];
}

/** `gone`: the run is not in this database. `over`: the epoch is not the current one. */
export async function commitBatch(
  sql: Statements,
  run: string,
  by: string,
  epoch: number | undefined,
  { facts = [], ends = [], asks = [] }: Rows,
): Promise<Written | 'gone' | 'over'> {
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
  const { event, name: about } = fact;
  const body = JSON.stringify(event);
  if (!('job' in event)) return { id, key, is, body };
  if (event.event === 'adopted') {
    const { at: since, ...money } = moneyOf(event.line);
    const variant = variantOf(event);
    return {
      id,
      key,
      is,
      body,
      ...money,
      about,
      since,
      event: event.event,
      variant,
      job: event.job,
    };
  }
  return {
    id,
    key,
    is,
    body,
    about,
    job: event.job,
    event: event.event,
    variant: variantOf(event),
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

const endRow = ({ lease, key, outcome, live }: EndRow): object => ({
  id: `end ${ownerOf(lease)}`,
  key,
  live,
  body: JSON.stringify(outcome),
});

const askRow = ({ ask, live }: AskRow): object => ({
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
