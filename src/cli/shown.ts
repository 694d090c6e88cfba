// What text and facts look like when they leave: no secret of the environment, and nothing that a terminal would obey.
import { printable } from '../base/printable.ts';
import { Redactor } from '../base/redactor.ts';
import { secretsIn } from '../workspace/secrets.ts';

let redactor: Redactor | undefined;

/** Hides the secrets that this command was given. */
export function ownRedactor(): Redactor {
  redactor ??= new Redactor(secretsIn(process.env));
  return redactor;
}

/** Lines of text, ready to be printed. */
export const shown = (text: string): string => printable(ownRedactor().text(text), true);
