// Opens connections to the service and its storage. An error here means that the request was never sent. A later error
// says nothing about that, whatever its code: a lost route can end a connection over which a creation was sent.
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

/**
 * The connection was never made: the name was not resolved, the connection was refused or timed out, or the certificate
 * is not trusted.
 */
export class NeverConnected extends Error {}

/**
 * HTTP/1.1 only: over HTTP/2, undici resends requests by itself when a session ends, including requests that cost
 * credits.
 */
export const connectorOptions = { allowH2: false } as const;

/** For undici's `connect`. `met` receives the IP address of every connection. */
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
 * Connects only to the addresses that `addressesOf` returns for a host, and asks for them once per connection. A second
 * lookup could return another address, which was not checked.
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
    // An IP address needs no lookup.
    if (isIP(target.hostname) === 0) dial();
    else
      addressesOf(target.hostname).then(dial, (error: Error) => done(neverConnected(error), null));
  };
}

const neverConnected = (error: Error): NeverConnected =>
  new NeverConnected(error.message, { cause: error });
