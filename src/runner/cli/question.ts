// A question on the terminal.
import { createInterface } from 'node:readline';

/** True if a person sits at both ends. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

/** Only a clear yes counts: neither an empty line, nor Ctrl-C, nor the end of the input. */
export function isYes(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  reader.on('close', () => resolve(false));
  reader.question(question, (text) => {
    resolve(/^y(es)?$/i.test(text.trim()));
    reader.close();
  });
  return promise;
}
