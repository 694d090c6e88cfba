// How much of a service's own words is taken in: enough for a person, too little to fill a disk or a screen.
import { isObject } from '../base/json.ts';

/** In characters (UTF-16 code units). */
export const longestCode = 100;
export const longestMessage = 2000;

export const cappedMessage = (text: string): string => capped(text, longestMessage);

function capped(text: string, longest: number): string {
  const whole = text.toWellFormed();
  return whole.length <= longest ? whole : `${whole.slice(0, longest - 1).toWellFormed()}…`;
}

/** A project's record with the code and the message of its error cut to size; anything else as it is. */
export function withCappedError(record: unknown): unknown {
  if (!isObject(record) || !isObject(record['error'])) return record;
  const { code, message, ...others } = record['error'];
  const error = {
    ...others,
    ...(code === undefined ? {} : { code: cut(code, longestCode) }),
    ...(message === undefined ? {} : { message: cut(message, longestMessage) }),
  };
  return { ...record, error };
}

const cut = (value: unknown, longest: number): unknown =>
  typeof value === 'string' ? capped(value, longest) : value;
