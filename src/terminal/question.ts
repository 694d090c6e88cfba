// A question on the terminal.
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { systemCode } from '../base/system-error.ts';
import { onLost, whileAsking } from './output.ts';
import { print } from './terminal.ts';

/** True if a person sits at both ends. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

const ends = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Only a clear yes counts: neither an empty line, nor Ctrl-C, nor the end of the input. */
export const isYes = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test((await lineFor(`${question} [y/N] `)) ?? '');

/**
 * Asks before something is removed, and says so if nothing was. `aim` completes "To …", for whoever cannot be asked: the
 * command does it with `--yes`.
 */
export async function mayRemove(question: string, aim: string): Promise<boolean> {
  if (!canAsk()) print(`Nothing was removed. To ${aim}, run the same command with --yes.`);
  else if (await isYes(question)) return true;
  else print('Nothing was removed.');
  return false;
}

/**
 * The line that a person types after the question, without spaces around it; undefined after Ctrl-C or the end of the input.
 * What was typed before does not count, and nothing else reaches the terminal until the answer.
 */
export const lineFor = (question: string): Promise<string | undefined> =>
  whileAsking(async () => (await answerTo(question))?.trim());

async function answerTo(question: string): Promise<string | undefined> {
  discardTyped();
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const leave = (): void => {
    // The cursor would stay behind the question.
    process.stdout.write('\n');
    resolve(undefined);
  };
  reader.once('close', leave);
  // A terminal that is closed cannot be read; the reader passes the error on.
  reader.on('error', leave);
  for (const signal of ends) process.once(signal, leave);
  const stay = onLost(leave);
  reader.question(question, resolve);
  try {
    return await promise;
  } finally {
    stay();
    for (const signal of ends) process.off(signal, leave);
    reader.off('close', leave);
    reader.close();
  }
}

/** What a person typed before they saw the question is no answer to it. */
function discardTyped(): void {
  if (process.platform === 'win32') return;
  // In the usual mode, the terminal keeps a line to itself until Enter.
  process.stdin.setRawMode(true);
  const bytes = Buffer.alloc(4096);
  const keyboard = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    while (readSync(keyboard, bytes) > 0);
  } catch (error) {
    // Nothing more is there, or nobody.
    if (!['EAGAIN', 'EIO'].includes(systemCode(error) ?? '')) throw error;
  } finally {
    closeSync(keyboard);
    process.stdin.setRawMode(false);
  }
}
