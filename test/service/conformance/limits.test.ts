// interface.md, Limits: each row of the table, at the limit and one step beyond it. The rows about character replace and
// the price of a face swap are tested more widely in the files of those endpoints.
// Left out: "Free voice generator tool: 200 characters" is about a page of the vendor, not about an endpoint (and the
// row above it gives all users 1000); "Client upload retry" is about the client. Rate limits, file sizes of uploads and
// the longest clip of character replace are not shown.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json.ts';
import { tiers } from '../../../src/contract/api/tier.ts';
import { photo } from '../../rig.ts';
import { addressIn, download, listAt, textAt } from '../client.ts';
import { creditsOf, edited, kinds, messageOf, quickTools, requestFor } from './door.ts';
import { oneSlow, reach, type Stage, slow } from './stage.ts';

const day = 24 * 3_600_000;

/** What the service answers to the example of a tool with some fields changed. */
async function answerTo(
  tool: string,
  changes: Readonly<Record<string, Json>>,
  { client }: Stage,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  let body = await requestFor(client, tool);
  for (const [field, value] of Object.entries(changes)) body = edited(body, field, value);
  return await client.ask('POST', `/v1/${tool}`, body);
}

/** `taken` and `refused`: the changes that are just inside and just outside of the limit. */
interface Limit {
  readonly taken: readonly Readonly<Record<string, Json>>[];
  readonly refused: readonly Readonly<Record<string, Json>>[];
}

const fields: readonly (readonly [string, string, Limit])[] = [
  [
    'character replace start_seconds: minimum 0',
    'character-replace',
    { taken: [{ start_seconds: 0 }], refused: [{ start_seconds: -0.001 }] },
  ],
  [
    'character replace end_seconds: minimum 0.1',
    'character-replace',
    { taken: [{ end_seconds: 0.1 }], refused: [{ end_seconds: 0.099 }] },
  ],
  [
    'character replace end_seconds: above start_seconds',
    'character-replace',
    {
      taken: [{ start_seconds: 1, end_seconds: 1.5 }],
      refused: [
        { start_seconds: 1.5, end_seconds: 1.5 },
        { start_seconds: 2, end_seconds: 1.5 },
      ],
    },
  ],
  [
    'character replace resolutions: 480p, 720p',
    'character-replace',
    {
      taken: [{ resolution: '480p' }, { resolution: '720p' }],
      refused: [{ resolution: '360p' }, { resolution: '1080p' }, { resolution: '4k' }],
    },
  ],
  [
    'text-to-speech character limit: 1000',
    'ai-voice-generator',
    {
      taken: [{ 'style.prompt': 'x'.repeat(1000) }],
      refused: [{ 'style.prompt': 'x'.repeat(1001) }],
    },
  ],
  [
    'text-to-speech character limit: 1000',
    'ai-voice-cloner',
    {
      taken: [{ 'style.prompt': 'x'.repeat(1000) }],
      refused: [{ 'style.prompt': 'x'.repeat(1001) }],
    },
  ],
  [
    'image editor prompt length: 15,000 characters',
    'ai-image-editor',
    {
      taken: [{ 'style.prompt': 'x'.repeat(15_000) }],
      refused: [{ 'style.prompt': 'x'.repeat(15_001) }],
    },
  ],
  [
    // models.md, Other tools: newer than the 60 seconds of interface.md, which hold in every other mode.
    'talking photo duration: up to 180 seconds realistic, 45 prompted, else 60',
    'ai-talking-photo',
    {
      taken: [
        { end_seconds: 180 },
        { start_seconds: 5.5, end_seconds: 185.5 },
        { 'style.generation_mode': 'prompted', end_seconds: 45 },
        { 'style.generation_mode': 'pro', end_seconds: 60 },
      ],
      refused: [
        { end_seconds: 180.01 },
        { 'style.generation_mode': 'prompted', end_seconds: 45.5 },
        { 'style.generation_mode': 'pro', start_seconds: 5, end_seconds: 66 },
      ],
    },
  ],
  [
    'video-to-video height and width (when given): at least 64 px',
    'video-to-video',
    {
      taken: [{ height: 64, width: 64 }, { height: 64 }, { width: 64 }],
      refused: [{ height: 63, width: 64 }, { height: 64, width: 63 }, { width: 0 }],
    },
  ],
  [
    'face swap video maximum frames: 100,000',
    'face-swap',
    {
      // Whatever the frame rate is, between 24 and 30: 96,000 at most, and 120,000 at least.
      taken: [
        { start_seconds: 0, end_seconds: 3200 },
        { start_seconds: 9000, end_seconds: 9010 },
      ],
      refused: [
        { start_seconds: 0, end_seconds: 5000 },
        { start_seconds: 1000, end_seconds: 6000 },
      ],
    },
  ],
  [
    'lip sync maximum frames: 120,000',
    'lip-sync',
    {
      taken: [{ start_seconds: 0, end_seconds: 3900, max_fps_limit: 30 }],
      refused: [{ start_seconds: 0, end_seconds: 6000, max_fps_limit: 30 }],
    },
  ],
];

describe('interface.md, Limits', () => {
  const shared = oneSlow();

  test.each(fields)('%s is kept to (%s)', async (_, tool, { taken }) => {
    for (const changes of taken) {
      const { status, body } = await answerTo(tool, changes, shared());
      expect([changes, status, body['message']]).toEqual([changes, 200, undefined]);
    }
  });

  test.each(fields)('%s: what is beyond it is refused (%s)', async (_, tool, { refused }) => {
    for (const changes of refused) {
      const before = shared().local.balance();
      const { status, body } = await answerTo(tool, changes, shared());
      expect([changes, status, body]).toEqual([
        changes,
        expect.toSatisfy((given: number) => given === 400 || given === 422),
        { message: expect.any(String) },
      ]);
      expect(shared().local.balance()).toBe(before);
    }
  });

  test.each(tiers.map((tier): [(typeof tiers)[number]] => [tier]))(
    'text-to-speech character limit: 1000 for all users: %s',
    async (tier) => {
      const stage = await slow({ tier });
      const ask = (length: number) =>
        answerTo('ai-voice-generator', { 'style.prompt': 'x'.repeat(length) }, stage);
      expect((await ask(1000)).status).toBe(200);
      expect((await ask(1001)).status).toBe(400);
    },
  );

  test('image editor multi-image edit: up to 10 images', async () => {
    const { client } = shared();
    const file = await client.upload(await photo(1), 'png');
    const ask = (count: number) =>
      client.ask('POST', '/v1/ai-image-editor', {
        assets: { image_file_paths: Array.from({ length: count }, () => file) },
        style: { prompt: 'side by side' },
      });
    expect((await ask(10)).status).toBe(200);
    expect(messageOf(await ask(11), 400)).toMatch(/image_file_paths/);
  });

  test('face swap photo cost: 10 credits per photo', async () => {
    const { client } = await slow({ credits: 25 });
    const file = await client.upload(await photo(1), 'png');
    await client.swap(file, file);
    await client.swap(file, file);
    expect(await creditsOf(client)).toBe(5);
    await expect(client.swap(file, file)).rejects.toThrow(/402/);
  });

  test('character replace output on free plans: 576 px maximum', async () => {
    const stage = await slow({ tier: 'free' });
    expect((await answerTo('character-replace', { resolution: '720p' }, stage)).status).toBe(403);
    const { client } = stage;
    // Without a clip that could be copied, the output is really rendered: its size can be measured.
    const large = await sharp(await photo(1))
      .resize(1000, 1500, { fit: 'fill' })
      .png()
      .toBuffer();
    const { id } = await client.create('character-replace', {
      end_seconds: 1,
      assets: {
        video_file_path: 'https://example.com/a.mp4',
        image_file_path: await client.upload(large, 'png'),
      },
    });
    const record = await reach(stage, 'video', id, 'complete');
    const [output] = await client.outputs(record);
    const { width, height } = await sharp(output).metadata();
    expect(Math.min(width, height)).toBeLessThanOrEqual(576);
    expect(record).toMatchObject({ width, height });
  });

  test.each(kinds)('download URL lifetime: 24 hours (%s)', async (kind) => {
    const stage = await slow();
    const tool = quickTools.find(([of]) => of === kind)?.[1] ?? '';
    const { id } = await stage.client.create(tool, await requestFor(stage.client, tool));
    const record = await reach(stage, kind, id, 'complete');
    const [item = {}] = listAt(record, 'downloads');
    expect(Date.parse(textAt(item, 'expires_at')) - stage.clock.now()).toBe(day);
    stage.clock.pass(day - 1);
    expect((await download(addressIn(record))).status).toBe(200);
    stage.clock.pass(2);
    expect((await download(addressIn(record))).status).toBe(403);
  });
});
