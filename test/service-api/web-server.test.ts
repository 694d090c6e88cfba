// Which connection gives way when there is no room: never one that is being answered.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ConnectionLimits,
  type Connections,
  limitConnections,
} from '../../src/service-api/web-server.ts';

interface Limited {
  readonly connections: Connections;
  /** Connects from an address of this machine. Answers the server's end. */
  dial(from: string): Promise<Socket>;
  /** Whether the server still holds each of the connections, in the order of dialling. */
  held(): readonly boolean[];
}

async function limited(limits: ConnectionLimits): Promise<Limited> {
  const server = createServer();
  const ends: Socket[] = [];
  const connections = limitConnections(server, limits);
  server.on('connection', (socket: Socket) => ends.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0;
  const clients: Socket[] = [];
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    server.close();
  });
  return {
    connections,
    async dial(from) {
      const came = once(server, 'connection');
      const client = connect({ port, host: '127.0.0.1', localAddress: from });
      client.on('error', () => undefined);
      clients.push(client);
      const [socket]: Socket[] = await came;
      if (socket === undefined) throw new Error('no connection');
      return socket;
    },
    held: () => ends.map(({ destroyed }) => !destroyed),
  };
}

const [a, b, c] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

describe.runIf(process.platform === 'linux')(
  'where there is no room (only Linux has all of 127.0.0.0/8)',
  () => {
    test('for one more of a peer, the one of it gives way that is idle longest', async () => {
      const { dial, held } = await limited({ perPeer: 2, total: 10 });
      await dial(b);
      for (let count = 0; count < 3; count++) await dial(a);
      expect(held()).toEqual([true, false, true, true]);
      await dial(a);
      expect(held()).toEqual([true, false, false, true, true]);
    });

    test('for one more in all, one of the peer gives way that holds most', async () => {
      const { dial, held } = await limited({ perPeer: 3, total: 4 });
      for (const from of [b, a, a, a]) await dial(from);
      expect(held()).toEqual([true, true, true, true]);
      await dial(c);
      expect(held()).toEqual([true, false, true, true, true]);
    });

    test('one that is being answered does not give way, and is idle last when that is over', async () => {
      const { connections, dial, held } = await limited({ perPeer: 2, total: 10 });
      const first = await dial(a);
      const answering = Promise.withResolvers<void>();
      const over = connections.busyWhile(first, answering.promise);
      await dial(a);
      await dial(a);
      expect(held()).toEqual([true, false, true]);
      answering.resolve();
      await over;
      await dial(a);
      expect(held()).toEqual([true, false, false, true]);
      await dial(a);
      expect(held()).toEqual([false, false, false, true, true]);
    });

    test('and all of a peer are being answered, its next one is refused', async () => {
      const { connections, dial, held } = await limited({ perPeer: 1, total: 10 });
      const answering = Promise.withResolvers<void>();
      const over = connections.busyWhile(await dial(a), answering.promise);
      await dial(a);
      expect(held()).toEqual([true, false]);
      await dial(b);
      expect(held()).toEqual([true, false, true]);
      answering.resolve();
      await over;
    });

    test('and those of the peer that holds most are being answered, another gives way', async () => {
      const { connections, dial, held } = await limited({ perPeer: 2, total: 3 });
      const answering = Promise.withResolvers<void>();
      const overs = [await dial(a), await dial(a)].map((socket) =>
        connections.busyWhile(socket, answering.promise),
      );
      await dial(b);
      await dial(c);
      expect(held()).toEqual([true, true, false, true]);
      answering.resolve();
      await Promise.all(overs);
    });

    test('and all are being answered, whoever comes is refused', async () => {
      const { connections, dial, held } = await limited({ perPeer: 2, total: 2 });
      const answering = Promise.withResolvers<void>();
      const overs = [await dial(a), await dial(b)].map((socket) =>
        connections.busyWhile(socket, answering.promise),
      );
      await dial(c);
      expect(held()).toEqual([true, true, false]);
      answering.resolve();
      await Promise.all(overs);
    });

    test('one that closes makes room, also while it is being answered', async () => {
      const { connections, dial, held } = await limited({ perPeer: 2, total: 2 });
      const [first, second] = [await dial(a), await dial(a)];
      const answering = Promise.withResolvers<void>();
      const over = connections.busyWhile(second, answering.promise);
      for (const socket of [first, second]) {
        socket.destroy();
        await once(socket, 'close');
      }
      answering.resolve();
      await over;
      await dial(a);
      await dial(a);
      expect(held()).toEqual([false, false, true, true]);
      await dial(a);
      expect(held()).toEqual([false, false, false, true, true]);
    });

    test('a connection that has given way already is not counted when its answer comes', async () => {
      const { connections, dial, held } = await limited({ perPeer: 1, total: 10 });
      const first = await dial(a);
      await dial(a);
      await connections.busyWhile(first, Promise.resolve());
      await dial(a);
      expect(held()).toEqual([false, false, true]);
    });
  },
);
