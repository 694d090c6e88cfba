// Removes what must not be stored from untrusted text: the query and the user of an address
// (signatures, passwords), bearer tokens, excess length. The redactor finds the literal API key
// (redactor.ts).
import { printable } from './printable.ts';

const maxMessageChars = 2_000;
const maxCodeChars = 100;
/** The part that is scanned: more than is kept, and short enough that no pattern takes long. */
const maxScannedChars = 5 * maxMessageChars;

/** A message that is safe in a state file, a log or on a screen. */
export const scrubbed = (text: string): string => cut(withoutSecrets(text), maxMessageChars);

/** The code of a failure, which decides the advice. */
export const scrubbedCode = (text: string): string =>
  cut(printable(withoutSecrets(text)), maxCodeChars);

function withoutSecrets(text: string): string {
  return text
    .slice(0, maxScannedChars)
    .replace(/(https?:\/\/)[^\s"'<>/@]*@/gi, '$1')
    .replace(/(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]*/gi, '$1')
    .replace(/\bBearer\s+\S+/gi, 'Bearer …');
}

/** Half characters, at the cut or elsewhere, become U+FFFD. */
const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed();
