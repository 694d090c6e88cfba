// Ends connections on which a request never comes to its end. Without this, a few hundred senders of one byte a minute
// hold all the connections that a process may have, with no key and for ever.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take as long as it likes, as long as it moves. */
    longBody?: boolean;
  }
}

/** How much longer the body of an upload may stand still than a whole other request may take. */
const stillTimes = 4;

interface Sender {
  readonly since: number;
  readonly moving: boolean;
  bytes: number;
  movedAt: number;
}

/** @param senderMs milliseconds in which the body of a request must have come */
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
  // One that was answered before it had sent everything is still watched.
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
