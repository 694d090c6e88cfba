// Limits the connections of a server, so that slow senders cannot keep others out: no peer may hold more than its
// share, and when the server is full, the connection that has been idle longest is closed.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

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
