// How connections to the service and its storage come to be. What fails here was never sent; of an error that comes later
// nobody can say that, whatever its code is: a lost route can end a connection over which a creation has gone out.
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

/** No connection came to be: not resolved, refused, timed out, or a certificate that is not trusted. */
export class NeverConnected extends Error {}

/** HTTP/1.1 only: over HTTP/2 undici sends requests again by itself when a session ends, also those that pay. */
export const connectorOptions = { allowH2: false } as const;

/** For undici's `connect`. `met` hears the IP address of every connection. */
export function connector(
  timeoutMs: number,
  met?: (address: string) => void,
): buildConnector.connector {
  const connect = buildConnector({ ...connectorOptions, timeout: timeoutMs });
  return (target, done) =>
    connect(target, (...[error, socket]) => {
      if (error !== null) return done(neverConnected(error), null);
      if (socket.remoteAddress !== undefined) met?.(socket.remoteAddress);
      done(null, socket);
    });
}

/**
 * Connects only to what `addressesOf` answers for a host, and asks it once for each connection: a name that is resolved
 * a second time, to another address, is never dialled.
 */
export function checkedConnector(
  timeoutMs: number,
  addressesOf: (host: string) => Promise<readonly string[]>,
): buildConnector.connector {
  const lookup: LookupFunction = (host, { all }, done) => {
    addressesOf(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined) return done(new Error(`${host} has no address`), '', 0);
        if (all === true) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, '', 0),
    );
  };
  const connect = buildConnector({ ...connectorOptions, timeout: timeoutMs, lookup });
  return (target, done) => {
    const dial = (): unknown =>
      connect(target, (...[error, socket]) => {
        if (error !== null) done(neverConnected(error), null);
        else done(null, socket);
      });
    // An IP address is connected to without a lookup.
    if (isIP(target.hostname) === 0) dial();
    else
      addressesOf(target.hostname).then(dial, (error: Error) => done(neverConnected(error), null));
  };
}

const neverConnected = (error: Error): NeverConnected =>
  new NeverConnected(error.message, { cause: error });
