// Standard output and standard error, which may go away while a command runs: a pipe whose reader has seen enough, a
// terminal that was closed, a disk that is full. Then nothing more is written there, and whoever wants to know is told.

const streams = { out: process.stdout, err: process.stderr } as const;
type Channel = keyof typeof streams;

const lost = new Set<Channel>();
const listeners = new Set<() => void>();

/** From now on a stream that goes away is no crash: the command goes on in silence, to its own exit code. */
export function outliveOutput(): void {
  for (const channel of ['out', 'err'] as const) streams[channel].on('error', () => lose(channel));
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
