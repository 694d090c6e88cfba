// Prepares text and facts for output: hides the secrets of the environment, and escapes everything that a terminal
// would obey.
import { printable } from '../base/printable.ts';
import { Redactor } from '../base/redactor.ts';
import { secretsIn } from '../service-api/secrets.ts';
import type { Span } from '../views/live/spans.ts';

let redactor: Redactor | undefined;

/** Hides the secrets that this command was given. */
export function ownRedactor(): Redactor {
  redactor ??= new Redactor(secretsIn(process.env));
  return redactor;
}

/** A piece of a line, ready to be shown. */
export const shownSpan = ({ text, tone }: Span): Span => ({
  text: printable(ownRedactor().text(text)),
  tone,
});

/** Lines of text, ready to be printed. */
export const shown = (text: string): string => printable(ownRedactor().text(text), true);
