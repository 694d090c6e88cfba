// One price table: what the plan says a creation costs is what the local service charges for it, for a wide grid of
// bodies of every tool; where the plan knows no price, the service never charges less than any published one.
import { describe, expect, test } from 'vitest';
import { fieldOf, type Json, type JsonObject } from '../../src/base/json.ts';
import { kindNamed } from '../../src/contract/kinds.ts';
import { dearestOf, priceOf } from '../../src/contract/price.ts';
import { existingTool, tools } from '../../src/contract/tools/all.ts';
import { priceOfStep } from '../../src/core/price.ts';
import type { Step } from '../../src/language/pipeline.ts';
import { validate } from '../../src/language/validate.ts';
import { service } from '../rig.ts';
import { sampleOf } from '../sweep.ts';
import { Client } from './client.ts';
import { edited, exampleOf, filled } from './conformance/door.ts';
import { oneSlow } from './conformance/stage.ts';

type Axes = Readonly<Record<string, readonly (Json | undefined)[]>>;

const lengths = [1, 8, 60];
const clips: Axes = { start_seconds: [0, 1.5], end_seconds: [2, 2.1, 7.77, 30] };
const generated: Axes = {
  model: [
    ...[undefined, 'default', 'ltx-2.3', 'wan-2.2', 'kling-2.5', 'kling-3.0', 'veo3.1-audio'],
    ...['seedance-1.5', 'seedance-2.5', 'sora-2', 'minimax-h3', 'a-model-of-next-year'],
  ],
  resolution: [undefined, '480p', '720p', '1080p', '4k'],
  end_seconds: lengths,
  audio: [undefined, true],
};
const images: Axes = {
  model: [
    ...[undefined, 'default', 'flux-schnell', 'flux-2-klein', 'qwen-edit', 'seedream-v4.5'],
    ...['nano-banana-2', 'nano-banana-pro', 'gpt-image-2', 'a-model-of-next-year'],
  ],
  resolution: [undefined, 'auto', '640px', '1k', '2k', '4k'],
  image_count: [1, 4, 16],
};

/** Values for the fields that decide a price; every combination is asked for. */
const grid: Readonly<Record<string, Axes>> = {
  'text-to-video': generated,
  // The same table as text-to-video, so one length.
  'image-to-video': { ...generated, end_seconds: [5.5] },
  'ai-image-generator': images,
  'ai-image-editor': { ...images, image_count: [undefined, 4] },
  'ai-image-upscaler': {
    scale_factor: [2, 4],
    'style.mode': [undefined, 'balanced', 'creative', 'preserve', 'pro'],
    'style.enhancement': [undefined, 'Resemblance'],
  },
  'body-swap': { resolution: ['640px', '1k', '2k', '4k'] },
  'ai-talking-photo': {
    ...clips,
    'style.generation_mode': [undefined, 'prompted', 'realistic', 'pro'],
  },
  'ai-voice-generator': { 'style.prompt': ['x', 'x'.repeat(10), 'x'.repeat(11), 'x'.repeat(1000)] },
  'ai-voice-cloner': { 'style.prompt': ['x', 'x'.repeat(15), '🙂'.repeat(7), 'x'.repeat(1000)] },
  'audio-to-video': { ...clips, resolution: [undefined, '480p', '720p', '1080p'] },
  'ai-video-editor': { model: [undefined, 'ltx-2.3', 'gemini-omni'], end_seconds: [3, 5, 45] },
  'character-replace': { ...clips, resolution: [undefined, '480p', '720p'] },
  'lip-sync': {
    ...clips,
    'style.generation_mode': [undefined, 'lite', 'standard', 'pro'],
    max_fps_limit: [undefined, 1, 12, 24.5, 60],
  },
  animation: { fps: [1, 12, 24, 30, 60], end_seconds: [1, 2.5] },
  'video-to-video': { ...clips, fps_resolution: [undefined, 'HALF', 'FULL'] },
  'face-swap': clips,
  'auto-subtitle-generator': clips,
};

function combined(example: JsonObject, axes: Axes): readonly JsonObject[] {
  return Object.entries(axes).reduce<readonly JsonObject[]>(
    (bodies, [field, values]) =>
      bodies.flatMap((body) => values.map((value) => edited(body, field, value))),
    [example],
  );
}

/** As a pipeline has it: the step that the plan would be asked about. */
function stepOf(tool: string, body: JsonObject): Step | undefined {
  const literal = JSON.stringify(body).replace(/"asset:(\w+)"/g, (_, media: string) =>
    JSON.stringify(`https://x.example/a.${{ image: 'png', video: 'mp4', audio: 'mp3' }[media]}`),
  );
  const text = `pipeline: p\nsteps:\n  it: { uses: ${tool}, with: ${literal} }\n`;
  const checked = validate('p.yaml', text);
  return checked.ok ? checked.value.pipeline.steps[0] : undefined;
}

const nothingCharged = { dearest: () => undefined };

describe.each(['pro', 'free'] as const)('on the %s plan', (tier) => {
  const stage = oneSlow({ tier, credits: 100_000_000_000 });

  const names = tools.map(({ name }) => name);

  // Half of them on each plan; EVERY=1 asks for all of them on both.
  test.each(sampleOf(names, 2, tier === 'free' ? 1 : 0))(
    '%s costs what the plan says',
    async (tool) => {
      const { client } = stage();
      let compared = 0;
      for (const body of combined(exampleOf(tool), grid[tool] ?? {})) {
        const answer = await client.ask('POST', `/v1/${tool}`, await filled(client, body));
        if (answer.status !== 200) continue;
        const charged = answer.body['credits_charged'];
        const price = priceOf(existingTool(tool), body, tier);
        compared += 1;
        if (price.known) expect([body, charged]).toEqual([body, price.credits]);
        else expect([body, charged]).toEqual([body, dearestOf(existingTool(tool), body)]);
        if (tier === 'free') continue;
        const step = stepOf(tool, body);
        if (step === undefined) throw new Error(`the runner refuses ${JSON.stringify(body)}`);
        const { credits, why } = priceOfStep(step, body, nothingCharged) ?? {};
        expect([body, { credits, why }]).toEqual([
          body,
          price.known
            ? { credits: charged, why: '' }
            : { credits: undefined, why: expect.stringMatching(/\w/) },
        ]);
      }
      expect(compared).toBeGreaterThan(0);
    },
  );
});

test('a price that is not published is charged at the dearest that is', () => {
  const clip = { end_seconds: 5, model: 'minimax-h3' };
  expect(dearestOf(existingTool('text-to-video'), clip)).toBe(5 * 576);
  expect(dearestOf(existingTool('ai-image-generator'), { image_count: 4 })).toBe(4 * 150);
  expect(dearestOf(existingTool('ai-talking-photo'), { end_seconds: 5 })).toBe(5 * 48);
  expect(dearestOf(existingTool('character-replace'), { end_seconds: 5 })).toBe(5 * 30);
  for (const { name, examples } of tools)
    for (const body of examples) {
      const price = priceOf(existingTool(name), body);
      if (price.known)
        expect(dearestOf(existingTool(name), body), name).toBeGreaterThanOrEqual(price.credits);
    }
});

test('a price that is not published is charged as it was stated, and not changed at the end', async () => {
  const local = await service({ stated: new Map([['character-replace', 77]]) });
  const client = new Client(local);
  const { id, credits_charged: charged } = await client.create(
    'character-replace',
    await filled(client, exampleOf('character-replace')),
  );
  expect(charged).toBe(77);
  expect((await client.settled('video', id))['credits_charged']).toBe(77);
  expect(local.balance()).toBe(10_000 - 77);
});

test('an animation is charged for the frames that it asks for, at the creation and at the end', async () => {
  const local = await service();
  const client = new Client(local);
  const ask = async (fps: number): Promise<readonly unknown[]> => {
    const body = edited(exampleOf('animation'), 'fps', fps);
    const { id, credits_charged: charged } = await client.create('animation', body);
    return [charged, (await client.settled('video', id))['credits_charged']];
  };
  expect(await ask(60)).toEqual([120, 120]);
  expect(await ask(12)).toEqual([60, 24]);
});

test('the grid has every tool whose price depends on its body', () => {
  for (const { name, examples } of tools) {
    const kind = kindNamed(name);
    expect(kind?.tool?.name).toBe(name);
    const decides = ['end_seconds', 'model', 'resolution', 'scale_factor', 'image_count'];
    if (examples.some((body) => decides.some((field) => fieldOf(body, field) !== undefined)))
      expect(Object.keys(grid)).toContain(name);
  }
});
