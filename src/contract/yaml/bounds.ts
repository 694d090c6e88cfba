// Sentences for violations of a schema's limits: the number of entries, the length of a text, the
// range of a number.
import { isObject } from '../base/json.ts';
import type { ErrorObject } from '../base/schema.ts';
import type { Code } from '../codes/all.ts';

interface BoundSentence {
  readonly code: Code;
  readonly message: string;
}

/** A sentence for an error about a size or a range; undefined for other errors. */
export function boundSentence(subject: string, error: ErrorObject): BoundSentence | undefined {
  const params: Readonly<Record<string, unknown>> = error.params;
  const limit = Number(params['limit']);
  switch (error.keyword) {
    case 'minItems':
    case 'minProperties':
    case 'minLength':
      return length(
        limit === 1
          ? `${subject} must not be empty`
          : `${subject} must have at least ${sized(limit, error)}, not ${sizeOf(error.data)}`,
      );
    case 'maxItems':
    case 'maxProperties':
    case 'maxLength':
      return length(
        `${subject} must have at most ${sized(limit, error)}, not ${sizeOf(error.data)}`,
      );
    case 'minimum':
      return range(`${subject} must be ${limit} or more, not ${String(error.data)}`);
    case 'maximum':
      return range(`${subject} must be ${limit} or less, not ${String(error.data)}`);
    case 'exclusiveMinimum':
      return range(`${subject} must be more than ${limit}, not ${String(error.data)}`);
    case 'exclusiveMaximum':
      return range(`${subject} must be less than ${limit}, not ${String(error.data)}`);
    case 'multipleOf':
      return range(
        `${subject} must be a multiple of ${String(params['multipleOf'])}, not ${String(error.data)}`,
      );
    default:
      return undefined;
  }
}

const length = (message: string): BoundSentence => ({ code: 'SL106', message });
const range = (message: string): BoundSentence => ({ code: 'SL105', message });

/** `1 entry`, `5 entries`, `2000 characters`. */
function sized(count: number, { keyword }: ErrorObject): string {
  if (keyword.endsWith('Length')) return `${count} ${count === 1 ? 'character' : 'characters'}`;
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

/** A schema counts Unicode characters, not UTF-16 code units as JavaScript does. */
function sizeOf(data: unknown): number {
  if (typeof data === 'string') return Array.from(data).length;
  if (Array.isArray(data)) return data.length;
  return isObject(data) ? Object.keys(data).length : 0;
}
