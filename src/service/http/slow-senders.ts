// Closes connections whose requests do not complete in time. Otherwise a few hundred clients that send one byte a minute
// could hold every connection of the process for ever, without a key.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take any time while it keeps arriving. */
    longBody?: boolean;
  }
}

/** An upload may pause for this many times the limit of other requests. */
const stillTimes = 4;

interface Sender {
  readonly since: number;
  readonly moving: boolean;
  bytes: number;
  movedAt: number;
}

/** @param senderMs milliseconds within which the body of a request must arrive */
export function endSlowSenders(server: FastifyInstance, senderMs: number): void {
  const senders = new Map<IncomingMessage, Sender>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    if (encoding !== undefined || (length !== undefined && length !== '0')) {
      const now = performance.now();
      const moving = request.routeOptions.config.longBody === true;
      senders.set(raw, { since: now, moving, bytes: raw.socket.bytesRead, movedAt: now });
    }
    done();
  });
  // A client that has its answer, but still sends, is watched further.
  server.addHook('onResponse', ({ raw }, _reply, done) => {
    if (raw.complete) senders.delete(raw);
    done();
  });
  const look = (): void => {
    const now = performance.now();
    for (const [raw, sender] of senders) {
      const { bytesRead } = raw.socket;
      if (bytesRead !== sender.bytes) Object.assign(sender, { bytes: bytesRead, movedAt: now });
      const late = sender.moving
        ? now - sender.movedAt > senderMs * stillTimes
        : now - sender.since > senderMs;
      if (raw.complete || raw.destroyed) senders.delete(raw);
      else if (late) raw.socket.destroy();
    }
  };
  const timer = setInterval(look, Math.min(1000, senderMs)).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    done();
  });
}
