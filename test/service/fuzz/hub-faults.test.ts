// Whatever faults are asked for, they are taken or refused in words, and what was taken happens to requests, jobs and
// events, never to the service itself.
import { createServer } from 'node:http';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json.ts';
import { type Answer, addressIn, pathOf, send } from '../client.ts';
import { besiege, expectAlive, expectDecent, tries } from './siege.ts';

const siege = await besiege({ credits: 1_000_000_000 });
const { local, client } = siege;

const receiver = createServer((request, reply) => {
  request.resume();
  reply.writeHead(204).end();
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  receiver.close();
});
const listening = receiver.address();
const port = typeof listening === 'object' ? listening?.port : undefined;

async function hub(path: string, body: string, type = 'application/json'): Promise<Answer> {
  const headers = { 'content-type': type };
  const answer = await send(local.address, { method: 'POST', path: `/hub${path}`, headers, body });
  expectDecent(answer, `POST ${path} ${body.slice(0, 300)}`);
  return answer;
}

expect((await hub('/webhooks', JSON.stringify({ url: `http://127.0.0.1:${port}/` }))).status).toBe(
  201,
);
const clip = await client.upload(Buffer.from('frames'), 'mp4', 'video');
const style = { template: 'karaoke' };
const subtitles = { start_seconds: 0, end_seconds: 1, assets: { video_file_path: clip }, style };

const durations = {
  short: ['0ms', '0.5ms', '1ms', '0.0s', '5ms', `0.${'0'.repeat(400)}1s`],
  long: ['30d', '99999999d', '100000000d', '110000000000d', `${'9'.repeat(40)}d`],
  none: ['1e3s', '-1s', '5', '٣s', '1 s', '', '1S', 'Infinity', `${'9'.repeat(400)}d`],
};
const duration = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...durations.short) },
  { weight: 3, arbitrary: fc.constantFrom(...durations.long) },
  { weight: 1, arbitrary: fc.constantFrom(...durations.none) },
);
const whole = fc.constantFrom(0, 1, 2, -1, 1.5, 2 ** 31, 2 ** 53, 1e21, 1e308);
const text = fc.oneof(
  fc.constantFrom('', 'x', '\u0000', '__proto__', 'x'.repeat(50_000)),
  fc.string({ unit: 'binary' }),
);
const share = fc.constantFrom(0, 1, 0.5, -0.1, 1.1, 5e-324);
const pattern = fc.oneof(
  fc.constantFrom('*', '**', 'video.*', '*.completed', 'auto*', 'POST *', '* /v1/*', 'uploads', ''),
  fc.constantFrom('*'.repeat(5000), `${'*a'.repeat(2000)}*`, 'constructor', '__proto__'),
);

const draw = {
  on: fc.oneof(pattern, fc.array(pattern, { maxLength: 3 })),
  probability: share,
  count: whole,
  skip: whole,
};
/** A rule with these fields, and any of those that every rule may have. */
const some = (fields: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      fc.record(fields),
      // Most are to be taken, and to fire.
      fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.record(draw, { requiredKeys: [] }) },
      ),
    )
    .map(([own, shared]) => ({ ...own, ...shared }));
const fault = (name: string): fc.Arbitrary<string> => fc.constant(name);
const when = fc.constantFrom('before', 'after', 'during');

/** Of jobs, events and addresses. */
const later = fc.oneof(
  some({ fault: fault('job-error'), code: text, message: text }),
  some({ fault: fault('surcharge'), percent: fc.constantFrom(-50, 7, 100, 101, 0.5), when }),
  some({ fault: fc.constantFrom('event-lost', 'event-doubled', 'event-out-of-order') }),
  some({ fault: fault('event-wrong-signature') }),
  { weight: 3, arbitrary: some({ fault: fault('event-late'), by: duration }) },
  { weight: 2, arbitrary: some({ fault: fault('early-expiry'), after: duration }) },
);

test('faults of jobs, events and addresses leave the creation, the record and the hub as they are', async () => {
  let taken = 0;
  const property = fc.asyncProperty(
    fc.array(later, { minLength: 1, maxLength: 2 }),
    async (faults) => {
      const about = JSON.stringify(faults).slice(0, 300);
      if ((await hub('/faults', JSON.stringify({ faults }))).status === 200) taken += 1;
      const { id } = await client.create('auto-subtitle-generator', subtitles);
      const record = await client.settled('video', id);
      expect(record['error'], about).not.toMatchObject({
        message: 'The project could not be rendered.',
      });
      for (const accept of ['application/json', 'text/html'])
        for (const view of ['deliveries', 'faults', 'webhooks', `projects/${id}`]) {
          const asked = { method: 'GET', path: `/hub/${view}`, headers: { accept } } as const;
          expect((await send(local.address, asked)).status, `${view}: ${about}`).toBe(200);
        }
      expect((await hub('/faults/clear', '{}')).status).toBe(200);
    },
  );
  await fc.assert(property, { seed: 1, numRuns: tries(180), endOnFailure: true });
  expect(taken).toBeGreaterThan(10);
  await expectAlive(siege);
});

/** Those that answer or cut off, not those that wait. */
const atOnce = fc.oneof(
  some({ fault: fault('throttled'), retry_after: whole }),
  some({ fault: fault('unavailable'), status: fc.constantFrom(502, 503, 200, 99, 1000) }),
  some({ fault: fault('broken'), when, status: fc.constantFrom(500, 504, 0, 600) }),
  some({ fault: fault('reset'), when }),
  some({ fault: fc.constantFrom('truncated', 'corrupt'), at_bytes: whole }),
  some({ fault: fault('lost-upload') }),
  some({
    fault: fault('latency'),
    for: fc.constantFrom('0ms', '1ms', '0.1ms'),
    up_to: fc.constantFrom('0ms', '2ms'),
  }),
);

/** The status that came; undefined: the connection was cut. */
async function statusOf(asked: Promise<Answer>): Promise<number | undefined> {
  try {
    return (await asked).status;
  } catch (reason) {
    expect(reason).toHaveProperty('code', expect.stringMatching(/^(UND_ERR_|ECONN|HPE_)/));
    return undefined;
  }
}

test('faults of requests spoil the requests, and are gone when they are cleared', async () => {
  const { id } = await client.create('auto-subtitle-generator', subtitles);
  const url = addressIn(await client.settled('video', id));
  const [place] = await client.uploadAddresses('video', 'mp4');
  let taken = 0;
  const property = fc.asyncProperty(
    fc.array(atOnce, { minLength: 1, maxLength: 3 }),
    async (faults) => {
      if ((await hub('/faults', JSON.stringify({ faults }))).status === 200) taken += 1;
      const path = pathOf(place?.url ?? '');
      const asked = [
        client.ask('GET', '/v1/account'),
        client.ask('POST', '/v1/auto-subtitle-generator', subtitles),
        send(local.address, { method: 'PUT', path, body: 'frames' }),
        send(local.address, { method: 'GET', path: pathOf(url) }),
      ];
      const statuses = await Promise.all(asked.map(statusOf));
      for (const status of statuses)
        expect([undefined, 200, 429, 500, 502, 503, 504]).toContain(status);
      expect((await hub('/faults/clear', '{}')).status).toBe(200);
      await expectAlive(siege);
    },
  );
  await fc.assert(property, { seed: 2, numRuns: tries(180), endOnFailure: true });
  expect(taken).toBeGreaterThan(10);
});

test('a faults file in a form is read or refused, however it is written', async () => {
  const piece = fc.constantFrom(
    ...[
      'faults:',
      '\n',
      ' ',
      '  ',
      '- ',
      '- fault: throttled',
      'fault: ',
      'latency',
      '{',
      '}',
      '[',
      ']',
    ],
    ...[
      '&a ',
      '*a',
      '<<: *a',
      '!!js ',
      '!!binary x',
      '? ',
      '| ',
      '>-',
      '---\n',
      '...',
      '"',
      "'",
      '#',
    ],
    ...[
      'on: "*"',
      'by: 1s',
      '__proto__: ',
      '1e999',
      '.nan',
      '~',
      '\u0000',
      '\u0007',
      '\ufeff',
      '%YAML 9\n',
      ',',
    ],
  );
  const bomb = `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefgh'.replaceAll(/(.)/g, (letter) => `${letter}: &${letter} [${`*${String.fromCharCode(letter.charCodeAt(0) - 1)},`.repeat(8)}]\n`)}faults: *h`;
  const file = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.constantFrom(bomb, '[', '['.repeat(5000), `faults: ${'['.repeat(500)}${']'.repeat(500)}`),
    fc.string({ unit: 'binary', maxLength: 60 }).map((one) => one.toWellFormed()),
  );
  const property = fc.asyncProperty(file, async (sent) => {
    await hub('/faults', `faults=${encodeURIComponent(sent)}`, 'application/x-www-form-urlencoded');
    expect((await hub('/faults/clear', '{}')).status).toBe(200);
  });
  await fc.assert(property, { seed: 3, numRuns: tries(60) });
  await expectAlive(siege);
});
