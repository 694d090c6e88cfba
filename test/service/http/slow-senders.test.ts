// Senders that never come to an end: their connections are ended, and everybody else is served meanwhile.
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { photo, service } from '../../rig.ts';
import { Client, pathOf } from '../client.ts';

interface Slow {
  readonly socket: Socket;
  /** What came back until the service ended the connection. */
  readonly answer: Promise<string>;
}

/** A connection that sends this and then nothing more. */
function slowly(address: string, text: string): Slow {
  const { port, hostname } = new URL(address);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  const answer = new Promise<string>((resolve) => {
    let said = '';
    socket.on('data', (piece) => {
      said += piece.toString();
    });
    // The service may end it with a reset, which is as good.
    socket.on('error', () => resolve(said));
    socket.on('close', () => resolve(said));
  });
  return { socket, answer };
}

const json = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n';

test('a head that does not end is answered with 408', async () => {
  const { address } = await service({ senderMs: 500 });
  const { answer } = slowly(address, 'GET /openapi.json HTTP/1.1\r\nHost: x\r\nX-Long: ');
  expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
});

test('a body that does not come ends its connection, with a key and without', async () => {
  const { address, key } = await service({ senderMs: 500 });
  const head = 'POST /v1/face-swap-photo HTTP/1.1\r\n';
  await slowly(address, `${head}Authorization: Bearer ${key}\r\n${json}\r\n{`).answer;
  expect(await slowly(address, `${head}${json}\r\n{`).answer).toMatch(/^HTTP\/1\.1 401 /);
  await slowly(address, `POST /hub/keys HTTP/1.1\r\n${json.replace('x', 'localhost')}\r\n`).answer;
  await slowly(address, `POST /nothing HTTP/1.1\r\n${json}\r\n`).answer;
  const chunked = 'Host: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab';
  await slowly(address, `POST /nothing HTTP/1.1\r\n${chunked}`).answer;
});

test('an upload that stands still ends its connection, and is not in storage', async () => {
  const local = await service({ senderMs: 500 });
  const client = new Client(local);
  const [place] = await client.uploadAddresses('image', 'png');
  const head = `PUT ${pathOf(place?.url ?? '')} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n`;
  await slowly(local.address, `${head}abc`).answer;
  const assets = { target_file_path: place?.path ?? '', source_file_path: place?.path ?? '' };
  expect((await client.ask('POST', '/v1/face-swap-photo', { assets })).status).toBe(400);
});

test('everybody else is served while five hundred of them wait', async () => {
  const local = await service();
  const slow = Array.from({ length: 500 }, () =>
    slowly(local.address, `POST /v1/face-swap-photo HTTP/1.1\r\n${json}\r\n{`),
  );
  await Promise.all(
    slow.map(({ socket }) => new Promise<void>((resolve) => socket.once('data', () => resolve()))),
  );
  const client = new Client(local);
  const file = await client.upload(await photo(1), 'png');
  const record = await client.settled('image', await client.swap(file, file));
  expect(record['status']).toBe('complete');
});
