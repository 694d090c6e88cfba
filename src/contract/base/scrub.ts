// Takes out of a text from outside what must not be kept: the query and the user of an address (signatures,
// passwords), bearer tokens, length. The literal API key is the redactor's to find (redactor.ts).
import { printable } from './printable.ts';

/** In characters. */
const longestMessage = 2_000;
const longestCode = 100;
/** What is looked at: more than is kept, and little enough that no pattern takes long. */
const looked = 5 * longestMessage;

/** A message as it may stand in a state file, a log or on a screen. */
export const scrubbed = (text: string): string => cut(withoutSecrets(text), longestMessage);

/** The code of a failure: a word of the service's, on which advice depends. */
export const scrubbedCode = (text: string): string =>
  cut(printable(withoutSecrets(text)), longestCode);

function withoutSecrets(text: string): string {
  return text
    .slice(0, looked)
    .replace(/(https?:\/\/)[^\s"'<>/@]*@/gi, '$1')
    .replace(/(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]*/gi, '$1')
    .replace(/\bBearer\s+\S+/gi, 'Bearer …');
}

/** Half a character at the cut, or anywhere else, becomes U+FFFD. */
const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed();
