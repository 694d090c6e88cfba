// The faults of uploads and downloads, which change or stop their bytes.
import type { Socket } from 'node:net';
import { Transform } from 'node:stream';
import { type Fired, firedOf } from './faults.ts';

export interface Transfer {
  /** Bytes; undefined if the length is unknown. */
  readonly length: number | undefined;
  readonly socket: Socket;
}

/** A transform that applies the fault of a transfer; undefined: no fault. */
export function transferFaultOf(
  fired: readonly Fired[],
  { length, socket }: Transfer,
): Transform | undefined {
  const rule = (
    firedOf(fired, 'truncated') ??
    firedOf(fired, 'stalled') ??
    firedOf(fired, 'corrupt')
  )?.rule;
  if (rule === undefined) return undefined;
  const at = rule.at_bytes ?? Math.floor((length ?? 0) / 2);
  let passed = 0;
  const step = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const from = passed;
      passed += chunk.length;
      if (passed <= at) return done(null, chunk);
      const inside = Math.max(0, at - from);
      if (rule.fault === 'corrupt') {
        const changed = Buffer.from(chunk);
        if (from <= at) changed[inside] = (changed[inside] ?? 0) ^ 0xff;
        return done(null, changed);
      }
      if (inside > 0) step.push(chunk.subarray(0, inside));
      // Without a call of `done`, the stream stops. The bytes before the fault get a moment to leave.
      if (rule.fault === 'truncated') setImmediate(() => socket.destroy());
      return undefined;
    },
  });
  // A stopped stream would not notice that the other side closed the connection.
  const end = (): void => void step.destroy();
  socket.once('close', end);
  step.once('close', () => socket.off('close', end));
  return step;
}
