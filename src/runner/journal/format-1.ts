// Format 1 of a state file: the lines that differ from those of today, and how each is upgraded.
//
// Format 1 had separate events for the two ways in which a creation ends without a project (`refused`, `abandoned`) and
// for a project that was deleted elsewhere (`gone`), and it recorded every skipped task.
import type { FromSchema } from 'json-schema-to-ts';
import { event, eventSchemas } from './event-schemas.ts';
import type { EventLine, Header } from './line.ts';
import {
  credits,
  errorSchema,
  fingerprint,
  formatVersion,
  headerSchema,
  task,
} from './line-schemas.ts';
import { abandoned, notTaken } from './settled.ts';

const why = { type: 'string' } as const;
const { settled, deleted: _new, ...same } = eventSchemas;

export const headerSchema1 = {
  ...headerSchema,
  properties: { ...headerSchema.properties, shotlist: { type: 'integer', const: 1 } },
} as const;

const changedEvents = {
  refused: event('refused', ['job', 'error'], { job: fingerprint, error: errorSchema }),
  abandoned: event('abandoned', ['job', 'credits', 'why'], { job: fingerprint, credits, why }),
  gone: event('gone', ['job', 'why'], { job: fingerprint, why }),
} as const;

/** Every event of format 1, by name. */
export const eventSchemas1 = {
  ...same,
  ...changedEvents,
  settled: {
    ...settled,
    properties: {
      ...settled.properties,
      status: { type: 'string', enum: ['complete', 'error', 'canceled'] },
    },
  },
  deleted: event('deleted', ['job', 'task'], { job: fingerprint, task }),
} as const;

export type Header1 = FromSchema<typeof headerSchema1>;
export type EventLine1 = {
  readonly [Name in keyof typeof eventSchemas1]: FromSchema<(typeof eventSchemas1)[Name]>;
}[keyof typeof eventSchemas1];

export const upgradedHeader = (header: Header1): Header => ({
  ...header,
  shotlist: formatVersion,
});

/** The same fact as an event of today, with the same number and time. */
export function upgradedEvent(line: EventLine1): EventLine {
  const { seq, at } = line;
  switch (line.event) {
    case 'refused':
      return { seq, at, ...notTaken(line.job, line.error) };
    case 'abandoned':
      return { seq, at, ...abandoned(line.job, line.credits, line.why) };
    case 'gone':
      return { seq, at, event: 'deleted', job: line.job, why: line.why };
    default:
      return line;
  }
}
