// How connections to the service come to be. What fails here was never sent; of an error that comes later nobody can
// say that, whatever its code is: a lost route can end a connection over which a creation has gone out.
import { buildConnector } from 'undici';

/** No connection came to be: not resolved, refused, timed out, or a certificate that is not trusted. */
export class NeverConnected extends Error {}

/** HTTP/1.1 only: over HTTP/2 undici sends requests again by itself when a session ends, also those that pay. */
export const connectorOptions = { allowH2: false } as const;

/** For undici's `connect`. */
export function connector(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ ...connectorOptions, timeout: timeoutMs });
  return (target, done) =>
    connect(target, (...[error, socket]) => {
      if (error === null) done(null, socket);
      else done(new NeverConnected(error.message, { cause: error }), null);
    });
}
