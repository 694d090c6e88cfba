// Describes an unexpected error, which is a bug in shotlist: a code that users can quote, and the
// stack for developers.
import { digestOfBytes } from './digest.ts';

/** Plain data. */
export interface Bug {
  /** Eight characters: the same for the same error at the same place, on every machine. */
  readonly code: string;
  /** One line. */
  readonly what: string;
  readonly stack: string;
}

const maxChars = 300;

export function bugOf(error: unknown): Bug {
  const whole = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const [line = ''] = whole.split('\n');
  const stack = (error instanceof Error ? error.stack : undefined) ?? whole;
  const code = digestOfBytes(`${line} ${placeOf(stack)}`).slice(0, 8);
  return { code, what: line.slice(0, maxChars).toWellFormed(), stack };
}

/** The function, file and line of the first stack frame, without the folders of this machine. */
function placeOf(stack: string): string {
  const frame = stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
  return frame.trim().replace(/(?:file:\/\/)?[^\s()]*\/(?=[^/\s()]+$)/, '');
}

/** The message for users, without the stack. */
export const bugText = ({ code, what }: Bug): string =>
  `a bug in shotlist, code ${code}: ${what}; please report it with the code (README.md, "Reporting a problem")`;
