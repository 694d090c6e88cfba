// Standard output and standard error, which may go away while a command runs: a pipe whose reader has seen enough, a
// terminal that was closed, a disk that is full. Then nothing more is written there, and whoever wants to know is told.

import { systemCode, systemReason } from '../../contract/files/system-error.ts';

const streams = { out: process.stdout, err: process.stderr } as const;
type Channel = keyof typeof streams;

const lost = new Set<Channel>();
const listeners = new Set<() => void>();

/**
 * From now on a stream that goes away is no crash: the command goes on in silence. A reader that has seen enough changes
 * nothing of its exit code; facts that could not be written for another reason are a failure, and exit code 0 becomes 1.
 */
export function outliveOutput(): void {
  streams.err.on('error', () => lose('err'));
  streams.out.on('error', (error) => {
    if (!lost.has('out') && systemCode(error) !== 'EPIPE') {
      write(
        'err',
        `error: standard output ${systemReason(error)}; the printed output is incomplete`,
      );
      process.once('exit', (code) => {
        if (code === 0) process.exitCode = 1;
      });
    }
    lose('out');
  });
}

/** Standard output or standard error cannot be written any more. */
export function lose(channel: Channel): void {
  if (lost.has(channel)) return;
  lost.add(channel);
  for (const listener of listeners) listener();
}

/** Calls `listener` when either goes away; at once where one has. The function it returns takes that back. */
export function onLost(listener: () => void): () => void {
  listeners.add(listener);
  if (lost.size > 0) listener();
  return () => void listeners.delete(listener);
}

export function write(channel: Channel, text: string): void {
  if (!lost.has(channel)) streams[channel].write(`${text}\n`);
}
