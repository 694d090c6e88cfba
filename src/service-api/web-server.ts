// The web servers of a run, for events and for a live page: where they listen, which names they answer to, and how many
// connections they hold.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { err, ok, type Result } from '../base/result.ts';
import { systemCode } from '../base/system-error.ts';
import { isLoopback, type ListenAddress } from './address.ts';

// Limits the connections of a server, so that slow senders cannot keep others out: no peer may hold more than its
// share, and when the server is full, the connection that has been idle longest is closed.

export interface ConnectionLimits {
  readonly perPeer: number;
  readonly total: number;
}

export interface Connections {
  /** Call when this connection has sent a whole request. The connection is not closed until the answer is sent. */
  busyWhile(socket: Socket, answering: Promise<void>): Promise<void>;
}

export function limitConnections(server: Server, limits: ConnectionLimits): Connections {
  /** The peer of each connection, longest idle first. */
  const idle = new Map<Socket, string>();
  const busy = new Map<Socket, string>();
  const held = new Map<string, number>();

  function longestIdle(fits: (peer: string) => boolean): Socket | undefined {
    for (const [socket, peer] of idle) if (fits(peer)) return socket;
    return undefined;
  }

  function drop(socket: Socket): void {
    forget(socket);
    socket.destroy();
  }

  function forget(socket: Socket): void {
    const peer = idle.get(socket) ?? busy.get(socket);
    if (peer === undefined) return;
    idle.delete(socket);
    busy.delete(socket);
    const left = (held.get(peer) ?? 1) - 1;
    if (left === 0) held.delete(peer);
    else held.set(peer, left);
  }

  /** The connection to close for a new one of this peer. `none`: all connections wait for an answer. */
  function givesWay(peer: string): Socket | 'nobody needs to' | 'none' {
    if ((held.get(peer) ?? 0) >= limits.perPeer)
      return longestIdle((other) => other === peer) ?? 'none';
    if (idle.size + busy.size < limits.total) return 'nobody needs to';
    const most = Math.max(...held.values());
    return longestIdle((other) => held.get(other) === most) ?? longestIdle(() => true) ?? 'none';
  }

  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress;
    // The connection is already closed.
    if (peer === undefined) return void socket.destroy();
    const other = givesWay(peer);
    if (other === 'none') return void socket.destroy();
    if (other !== 'nobody needs to') drop(other);
    idle.set(socket, peer);
    held.set(peer, (held.get(peer) ?? 0) + 1);
    socket.once('close', () => forget(socket));
  });

  return {
    async busyWhile(socket, answering) {
      const peer = idle.get(socket);
      if (peer !== undefined) {
        idle.delete(socket);
        busy.set(socket, peer);
      }
      await answering;
      if (peer !== undefined && busy.delete(socket)) idle.set(socket, peer);
    },
  };
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

/**
 * True if the only Host header of a request is a name of this machine: a page in a browser can give a name of its own the address of
 * this machine (DNS rebinding).
 */
export function isLoopbackHost(hosts: readonly string[]): boolean {
  const [host = ''] = hosts;
  if (hosts.length !== 1) return false;
  const [, name = '', port = '80'] =
    /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::([1-9]\d{0,4}))?$/i.exec(host) ?? [];
  return Number(port) <= 65_535 && isLoopback(name.toLowerCase().replace(/^\[|\]$/g, ''));
}

/** An import from node:http takes 100 ms, because it loads everything that the module names, WebSocket too. */
export const { createServer } = process.getBuiltinModule('node:http');
