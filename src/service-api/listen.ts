// Where a server listens, and why it cannot.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { err, ok, type Result } from '../base/result.ts';
import { systemCode } from '../base/system-error.ts';

/** The address to listen on; port 0 selects a free port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Returns the server's address, `http://127.0.0.1:4000`. The error is a cause that a person can fix. */
export async function listenOn(
  server: Server,
  listen: ListenAddress,
): Promise<Result<string, string>> {
  try {
    server.listen(listen.port, listen.host);
    await once(server, 'listening');
  } catch (error) {
    const why = reasonOf(error, listen);
    if (why === undefined) throw error;
    return err(why);
  }
  return ok(addressOf(server));
}

/** Anything else is a bug. */
function reasonOf(error: unknown, { host, port }: ListenAddress): string | undefined {
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return `port ${port} is in use`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine`;
    case 'EACCES':
      return `the system does not permit to listen on port ${port}`;
    default:
      return undefined;
  }
}

function addressOf(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('bug: listening nowhere');
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `http://${host}:${bound.port}`;
}
