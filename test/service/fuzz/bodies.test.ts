// Whatever stands in a body, a creation, an upload request or a face detection is taken or refused in words: it
// never breaks the service, and a refusal costs nothing.
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { Answer } from '../client.ts';
import { send } from '../client.ts';
import {
  besiege,
  expectAlive,
  expectDecent,
  frozen,
  type Order,
  tries,
  validOrders,
} from './siege.ts';
import { anyBody, mutated, varied } from './wild-json.ts';

const siege = await besiege({ ...frozen, credits: Number.MAX_SAFE_INTEGER });
const { local, client } = siege;
const orders = await validOrders(client);

const uploads = ['/v1/files/generate-upload-urls', '/v1/files/upload-urls'];
const detections = ['/v1/files/face-detection', '/v1/face-detection'];
const image = await client.upload(Buffer.from('no picture'), 'png');
/** What moves no credits. */
const free: readonly Order[] = [
  ...uploads.map((path) => ({
    path,
    body: {
      items: [
        { type: 'image', extension: 'png' },
        { type: 'video', extension: 'mp4' },
      ],
    },
  })),
  ...detections.map((path) => ({
    path,
    body: { assets: { target_file_path: image }, confidence_score: 0.5 },
  })),
];

const post = (path: string, body: string, type = 'application/json'): Promise<Answer> =>
  send(local.address, {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${local.key}`, 'content-type': type },
    body,
  });

const shown = (path: string, body: string): string => `POST ${path} ${body.slice(0, 300)}`;

/** How many entries the ledger must have. Counted here, since reading a long ledger after each request takes most of the time. */
let entries = local.ledger().length;
afterEach(() => expect(local.ledger()).toHaveLength(entries));

/** Sends it; a refusal changes nothing, and what is taken is charged once, as it was answered. */
async function fire(path: string, body: string, type?: string): Promise<Answer> {
  const before = local.balance();
  const answer = await post(path, body, type);
  const about = shown(path, body);
  expectDecent(answer, about);
  const charged = answer.body['credits_charged'];
  if (answer.status !== 200 || charged === undefined || detections.includes(path))
    expect(local.balance(), about).toBe(before);
  else {
    expect(local.balance(), about).toBe(before - Number(charged));
    entries += 1;
  }
  return answer;
}

const anyPath = fc.constantFrom(...new Set([...orders, ...free].map(({ path }) => path)));

test('any JSON, and what is none, is answered at every POST endpoint', async () => {
  const property = fc.asyncProperty(anyPath, anyBody, async (path, body) => {
    await fire(path, body);
  });
  await fc.assert(property, { seed: 1, numRuns: tries(300) });
  await expectAlive(siege);
});

test.each(orders.map(({ path, body }, index) => [path, index, body] as const))(
  '%s (example %i) answers every change of a valid body',
  async (path, index, body) => {
    const property = fc.asyncProperty(fc.oneof(mutated(body), varied(body)), async (text) => {
      const { status } = await fire(path, text);
      expect([200, 400, 402], shown(path, text)).toContain(status);
    });
    await fc.assert(property, { seed: 100 + index, numRuns: tries(30) });
    await expectAlive(siege);
  },
);

test.each(free.map(({ path, body }) => [path, body] as const))(
  '%s answers every change of a valid body',
  async (path, body) => {
    const property = fc.asyncProperty(fc.oneof(mutated(body), varied(body)), async (text) => {
      const { status } = await fire(path, text);
      expect([200, 400], shown(path, text)).toContain(status);
    });
    await fc.assert(property, { seed: 2, numRuns: tries(60) });
    await expectAlive(siege);
  },
);

test('upload addresses are given for known extensions only, however many are asked for', async () => {
  const item = fc.record({
    type: fc.constantFrom('image', 'video', 'audio'),
    extension: fc.oneof(
      fc.constantFrom('png', 'mp4', 'mp3', 'PNG', '.png', 'png/../../x', 'png\n', 'p\u0000ng', ''),
      fc.constantFrom('constructor', '__proto__', 'toString'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
  });
  const property = fc.asyncProperty(fc.array(item, { maxLength: 4 }), async (items) => {
    const answer = await fire(uploads[0] ?? '', JSON.stringify({ items }));
    if (answer.status !== 200) return;
    for (const { extension } of items) expect(['png', 'mp4', 'mp3', 'webm']).toContain(extension);
  });
  await fc.assert(property, { seed: 3, numRuns: tries(130) });
});

test('a content type that nobody knows breaks nothing', async () => {
  const type = fc.oneof(
    fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'),
    fc.constantFrom('application/json; charset=utf-16', 'application/json;;;', '/', ';', 'json'),
    fc.string({ minLength: 1, maxLength: 30 }).map((text) => text.trim()),
    fc.constant(`application/json; x=${'y'.repeat(4000)}`),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...orders, ...free),
    type,
    async ({ path, body }, contentType) => {
      await fire(path, JSON.stringify(body), contentType);
    },
  );
  await fc.assert(property, { seed: 4, numRuns: tries(150) });
  await expectAlive(siege);
});
