// Reads the records of a run.
import { isObject, type JsonObject } from '../../base/json.ts';
import { type NewEvent, readValue } from '../../model/line.ts';
import type { EngineRecord } from '../ports.ts';
import { numberOf, textOf, unexpected } from './columns.ts';
import type { Row } from './sql.ts';

export function recordOf(row: Row): EngineRecord {
  const head = { seq: numberOf(row, 'seq'), by: textOf(row, 'by_'), key: textOf(row, 'key') };
  const is = textOf(row, 'is_');
  switch (is) {
    case 'event':
    case 'refused': {
      const at = textOf(row, 'at');
      return { ...head, is, at, event: eventOf(textOf(row, 'body'), at) };
    }
    case 'begun':
      return { ...head, is };
    case 'told':
      return { ...head, is, told: objectOf(textOf(row, 'body')) };
    case 'ended': {
      const outcome: unknown = JSON.parse(textOf(row, 'body'));
      return { ...head, is, outcome };
    }
    default:
      throw unexpected('is_', is);
  }
}

/** Checked like a line of a state file. */
function eventOf(body: string, time: string): NewEvent {
  const parsed = readValue({ ...objectOf(body), seq: 1, at: time });
  if (!parsed.ok) throw new Error(`a record in the database is damaged: ${parsed.error}`);
  if (parsed.value.type !== 'event') throw unexpected('body', body);
  const { seq: _, at: __, ...event } = parsed.value.line;
  return event;
}

export function objectOf(body: string): JsonObject {
  const value: unknown = JSON.parse(body);
  if (!isObject(value)) throw unexpected('body', body);
  return value;
}
