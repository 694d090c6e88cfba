// Events over HTTPS, as interface.md has it: to a receiver whose certificate is trusted, and to no other.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import {
  isSignatureOf,
  signatureHeader,
  timestampHeader,
} from '../../../src/contract/api/event.ts';
import { Client, eventually, listAt, textAt } from '../client.ts';
import { child, dataFolder } from '../killable.ts';
import { hub } from '../receiver.ts';

interface Posted {
  readonly body: string;
  readonly signature: string;
  readonly timestamp: string;
}

/** A receiver at https://localhost with a certificate of its own. */
async function secureReceiver() {
  const altNames = [{ type: 2 as const, value: 'localhost' }];
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  const posted: Posted[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { [signatureHeader]: signature, [timestampHeader]: timestamp } = request.headers;
      posted.push({ body, signature: `${signature}`, timestamp: `${timestamp}` });
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const bound = server.address();
  const port = typeof bound === 'object' ? bound?.port : undefined;
  return { url: `https://localhost:${port}/events`, cert, posted };
}

test('an event goes over TLS to a receiver that is trusted, signed, and to no other', async () => {
  const trusted = await secureReceiver();
  const stranger = await secureReceiver();
  const authority = join(dataFolder(), 'authority.pem');
  writeFileSync(authority, trusted.cert);
  const { door } = await child(dataFolder(), 'instant', {
    env: { NODE_EXTRA_CA_CERTS: authority },
  });
  const events = ['audio.completed'];
  const webhook = await hub(door.address, '/hub/webhooks', { url: trusted.url, events });
  const other = await hub(door.address, '/hub/webhooks', { url: stranger.url, events });
  const client = new Client(door);
  const voice = { style: { prompt: 'Hello', voice_name: 'Elon' } };
  const { id } = await client.create('ai-voice-generator', voice);
  const event = await eventually('it comes', async () => trusted.posted[0]);
  expect(JSON.parse(event.body)).toMatchObject({ type: 'audio.completed', payload: { id } });
  const secret = textAt(webhook, 'secret');
  expect(isSignatureOf(event.signature, secret, event.timestamp, event.body)).toBe(true);
  const attempt = await eventually('the other was tried', async () => {
    const path = `/hub/deliveries?webhook=${textAt(other, 'id')}`;
    const [delivery] = listAt(await hub(door.address, path), 'deliveries');
    return listAt(delivery ?? {}, 'attempts')[0];
  });
  expect(attempt).toMatchObject({ status: null, error: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(stranger.posted).toEqual([]);
});
