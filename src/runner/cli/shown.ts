// What text and facts look like when they leave: no secret of the environment, and nothing that a terminal would obey.
import { printable } from '../../contract/base/printable.ts';
import { Redactor } from '../../contract/base/redactor.ts';
import { secretsIn } from '../operations/service/secrets.ts';

let redactor: Redactor | undefined;

/** Hides the secrets that this command was given. */
export function ownRedactor(): Redactor {
  redactor ??= new Redactor(secretsIn(process.env));
  return redactor;
}

/** Lines of text, ready to be printed. */
export const shown = (text: string): string => printable(ownRedactor().text(text), true);
