// The published prices (facts.md, Prices that are published), and what is not known by them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asJson, isObject, type JsonObject } from '../../src/base/json.ts';
import { type Tier, tiers } from '../../src/contract/api/tier.ts';
import { imageModels } from '../../src/contract/image-models.ts';
import { dearestOf, priceOf } from '../../src/contract/price.ts';
import type { PriceExample } from '../../src/contract/price-rule.ts';
import { existingTool, tools } from '../../src/contract/tools/all.ts';
import { videoAliases, videoModels } from '../../src/contract/video-models.ts';
import { expectGolden } from '../golden.ts';
import { aligned } from '../text-table.ts';

type Case = readonly [tool: string, body: JsonObject, credits: number];

const credits = (tool: string, body: JsonObject): number | undefined => {
  const price = priceOf(existingTool(tool), body);
  return price.known ? price.credits : undefined;
};

function why(tool: string, body: JsonObject): string {
  const price = priceOf(existingTool(tool), body);
  if (price.known) throw new Error(`${tool} is known: ${price.credits}`);
  return price.why;
}

describe('pictures and voices have exact prices', () => {
  const cases: readonly Case[] = [
    ['face-swap-photo', {}, 10],
    ['head-swap', { max_resolution: 2048 }, 10],
    ['ai-meme-generator', {}, 10],
    ['photo-colorizer', {}, 10],
    ['image-background-remover', {}, 5],
    ['ai-clothes-changer', {}, 25],
    ['ai-gif-generator', {}, 50],
    ['ai-headshot-generator', {}, 50],
    ['ai-face-editor', {}, 1],
    ['ai-qr-code-generator', {}, 0],
    ['body-swap', { resolution: '640px' }, 100],
    ['body-swap', { resolution: '4k' }, 100],
    ['body-swap', {}, 100],
    ['ai-image-upscaler', { scale_factor: 2 }, 50],
    ['ai-image-upscaler', { scale_factor: 4 }, 200],
    ['ai-image-upscaler', { scale_factor: 2, style: { mode: 'pro' } }, 25],
    ['ai-image-upscaler', { scale_factor: 4, style: { mode: 'pro' } }, 100],
    ['ai-image-upscaler', { scale_factor: 2, style: { mode: 'preserve' } }, 25],
    ['ai-image-upscaler', { scale_factor: 4, style: { mode: 'preserve' } }, 100],
    ['ai-image-upscaler', { scale_factor: 2, style: { mode: 'balanced' } }, 50],
    ['ai-image-upscaler', { scale_factor: 4, style: { mode: 'balanced' } }, 200],
    ['ai-image-upscaler', { scale_factor: 2, style: { mode: 'creative' } }, 50],
    ['ai-image-upscaler', { scale_factor: 4, style: { mode: 'creative' } }, 200],
    ['ai-voice-generator', { style: { prompt: 'x' } }, 1],
    ['ai-voice-generator', { style: { prompt: 'x'.repeat(10) } }, 1],
    ['ai-voice-generator', { style: { prompt: 'x'.repeat(11) } }, 2],
    ['ai-voice-generator', { style: { prompt: 'x'.repeat(140) } }, 14],
    ['ai-voice-cloner', { style: { prompt: 'x'.repeat(1000) } }, 100],
  ];
  test.each(cases)('%s with %j costs %i', (tool, body, expected) => {
    expect(priceOf(existingTool(tool), body)).toEqual({
      known: true,
      credits: expected,
      estimate: false,
    });
  });
});

describe('generated and edited pictures are priced by model, at the lowest resolution', () => {
  const models: readonly (readonly [string, number])[] = [
    ['flux-schnell', 5],
    ['flux-2-klein', 5],
    ['z-image-turbo', 5],
    ['qwen-edit', 10],
    ['seedream-v4', 40],
    ['nano-banana', 50],
    ['nano-banana-2-lite', 50],
    ['gpt-image-2', 50],
    ['seedream-v4.5', 50],
    ['seedream-v5-pro', 75],
    ['nano-banana-2', 100],
    ['nano-banana-pro', 150],
  ];
  const onlyEdit = ['qwen-edit', 'seedream-v4.5'];
  const onlyGenerate = ['flux-schnell', 'z-image-turbo'];
  test.each(models)('%s is %i an image, times image_count', (model, each) => {
    const resolution = model === 'nano-banana-pro' ? '1k' : '640px';
    const body = { model, resolution, image_count: 3 };
    const price = (tool: string, without: readonly string[]) =>
      expect(credits(tool, body)).toBe(without.includes(model) ? undefined : 3 * each);
    price('ai-image-generator', onlyEdit);
    price('ai-image-editor', onlyGenerate);
  });

  test('on a free plan a resolution that is left out is the lowest; on others, the published price bounds it', () => {
    const body = { model: 'flux-schnell', image_count: 1 };
    expect(priceOf(existingTool('ai-image-generator'), body, 'free')).not.toHaveProperty('unset');
    expect(priceOf(existingTool('ai-image-generator'), body, 'pro')).toMatchObject({
      ...{ credits: 5, unset: ['resolution'] },
    });
  });

  test('an edit without image_count makes one image; a generation must say how many', () => {
    const body = { model: 'flux-2-klein', resolution: '640px' };
    expect(credits('ai-image-editor', body)).toBe(5);
    expect(why('ai-image-generator', body)).toMatch(/image_count, which is not set/);
  });
});

describe('video is an estimate at 30 frames a second', () => {
  const clip = { start_seconds: 1, end_seconds: 5 };
  const cases: readonly Case[] = [
    // 24 a second at 24 fps is 1 a frame: 4 seconds are 120 frames, not 96.
    ['face-swap', clip, 120],
    ['animation', { end_seconds: 4, fps: 24 }, 120],
    ['animation', { end_seconds: 4, fps: 12 }, 120],
    ['animation', { end_seconds: 4, fps: 60 }, 240],
    ['video-to-video', clip, 240],
    ['video-to-video', { ...clip, fps_resolution: 'HALF' }, 240],
    ['auto-subtitle-generator', clip, 24],
    ['auto-subtitle-generator', { end_seconds: 0.1 }, 1],
    ['lip-sync', { ...clip, style: { generation_mode: 'lite' } }, 120],
    ['lip-sync', { ...clip, style: { generation_mode: 'standard' } }, 120],
    ['lip-sync', { ...clip, style: { generation_mode: 'pro' } }, 240],
    ['lip-sync', { ...clip, style: { generation_mode: 'lite' }, max_fps_limit: 12 }, 48],
    ['lip-sync', { ...clip, style: { generation_mode: 'lite' }, max_fps_limit: 60 }, 120],
    ['audio-to-video', { ...clip, resolution: '480p' }, 96],
    ['audio-to-video', { ...clip, resolution: '720p' }, 192],
    ['audio-to-video', { ...clip, resolution: '1080p' }, 288],
    ['ai-talking-photo', { ...clip, style: { generation_mode: 'prompted' } }, 80],
    ['ai-talking-photo', { ...clip, style: { generation_mode: 'realistic' } }, 192],
  ];
  test.each(cases)('%s with %j costs about %i', (tool, body, expected) => {
    expect(priceOf(existingTool(tool), body)).toEqual({
      known: true,
      credits: expected,
      estimate: true,
    });
  });

  test('a begun frame and a begun second count as whole', () => {
    expect(credits('face-swap', { end_seconds: 0.11 })).toBe(4);
    expect(credits('audio-to-video', { end_seconds: 2.1, resolution: '480p' })).toBe(72);
  });

  test('a length that binary fractions miss by a hair is not rounded up a whole step', () => {
    // (0.4 - 0.1) * 30 is 9.000000000000002, (4.4 - 0.1) * 30 is 129.00000000000003.
    expect(credits('face-swap', { start_seconds: 0.1, end_seconds: 0.4 })).toBe(9);
    expect(credits('face-swap', { start_seconds: 0.1, end_seconds: 4.4 })).toBe(129);
  });

  test('a clip of almost nothing is not for nothing', () => {
    expect(credits('face-swap', { start_seconds: 1, end_seconds: 1 + 1e-9 })).toBe(1);
  });
});

describe('generated video is priced by second, model and resolution', () => {
  const sizes = ['480p', '720p', '1080p', '4k'] as const;
  /** As in models.md: 480p/720p/1080p/4k, then the same with audio; – is a resolution that the model lacks. */
  const rows: readonly (readonly [string, string, string])[] = [
    ['ltx-2.3', '24/48/72/–', '24/48/72/–'],
    ['wan-2.2', '24/48/72/–', '–/–/–/–'],
    ['kling-2.6', '–/36/72/–', '–/–/–/–'],
    ['kling-2.5', '–/36/72/–', '–/–/–/–'],
    ['kling-2.5-audio', '–/–/–/–', '–/–/–/–'],
    ['kling-3.0', '–/48/72/240', '–/72/96/288'],
    ['veo3.1-lite', '–/48/72/–', '–/72/96/–'],
    ['veo3.1', '–/96/120/–', '–/120/144/–'],
    ['veo3.1-audio', '–/120/144/–', '–/120/144/–'],
    ['minimax-h3', '–/–/–/–', '–/–/–/–'],
    ['seedance-1.5', '30/60/90/–', '60/120/180/–'],
    ['seedance-2.0-mini', '96/192/–/–', '96/192/–/–'],
    ['seedance-2.0', '144/288/–/–', '144/288/–/–'],
    ['seedance-2.5', '288/576/–/–', '288/576/–/–'],
    ['sora-2', '–/120/–/–', '–/120/–/–'],
  ];
  const cells = rows.flatMap(([model, silent, sounding]) =>
    [silent, sounding].flatMap((row, index) =>
      row.split('/').map((cell, size) => ({
        model,
        resolution: sizes[size] ?? '',
        audio: index === 1,
        cell,
      })),
    ),
  );
  test.each(cells)('$model at $resolution, audio $audio: $cell a second', (row) => {
    const { cell, ...choice } = row;
    const expected = cell === '–' ? undefined : Number(cell) * 5;
    for (const tool of ['text-to-video', 'image-to-video'])
      expect(credits(tool, { ...choice, end_seconds: 5 })).toBe(expected);
  });

  test('without audio a video is silent', () => {
    const body = { model: 'veo3.1', resolution: '720p', end_seconds: 5 };
    expect(credits('text-to-video', body)).toBe(5 * 96);
  });

  test('without a resolution it is 720p on a paid plan, 480p on a free one', () => {
    const price = (model: string) => credits('image-to-video', { model, end_seconds: 5 });
    expect(price('ltx-2.3')).toBe(5 * 48);
    expect(price('kling-3.0')).toBe(5 * 48);
    expect(price('sora-2')).toBe(5 * 120);
    const body = { model: 'ltx-2.3', end_seconds: 5 };
    expect(priceOf(existingTool('image-to-video'), body, 'free')).toMatchObject({
      credits: 5 * 24,
    });
    expect(priceOf(existingTool('image-to-video'), body, 'creator')).toMatchObject({
      credits: 5 * 48,
    });
  });

  test('default, and no model at all, are kling-3.0, on a free plan ltx-2.3', () => {
    const choices: readonly JsonObject[] = [{}, { model: 'default' }];
    for (const choice of choices) {
      const body = { ...choice, end_seconds: 5 };
      expect(credits('text-to-video', { ...body, resolution: '720p' })).toBe(5 * 48);
      expect(credits('text-to-video', { ...body, resolution: '4k', audio: true })).toBe(5 * 288);
      expect(credits('text-to-video', body)).toBe(5 * 48);
      expect(priceOf(existingTool('text-to-video'), body, 'free')).toMatchObject({
        credits: 5 * 24,
      });
      // kling-3.0 has no 480p: nobody says what a paid account pays for it.
      expect(credits('text-to-video', { ...body, resolution: '480p' })).toBeUndefined();
    }
  });

  test('ltx-2.3 is nowhere dearer than the kling-3.0 that stands for the default', () => {
    for (const resolution of ['720p', '1080p'])
      for (const audio of [false, true]) {
        const body = { resolution, audio, end_seconds: 5 };
        const free = credits('text-to-video', { ...body, model: 'ltx-2.3' });
        expect(credits('text-to-video', body)).toBeGreaterThanOrEqual(free ?? Infinity);
      }
  });
});

describe('where a field that decides is left out', () => {
  const end = { end_seconds: 2 };
  const dearest: readonly (readonly [string, JsonObject, number, readonly string[]])[] = [
    ['audio-to-video', end, 144, ['resolution']],
    ['lip-sync', end, 120, ['style.generation_mode']],
    ['ai-talking-photo', end, 96, ['style.generation_mode']],
    ['ai-image-generator', { image_count: 2 }, 300, ['model', 'resolution']],
    ['ai-image-generator', { image_count: 1, model: 'default' }, 150, ['model', 'resolution']],
    ['ai-image-editor', { model: 'qwen-edit' }, 10, ['resolution']],
  ];
  test.each(dearest)('%s with %j counts its dearest published value', (tool, body, sum, unset) => {
    expect(priceOf(existingTool(tool), body)).toMatchObject({ credits: sum, unset });
  });

  const unknown: readonly (readonly [string, JsonObject, RegExp])[] = [
    ['ai-image-upscaler', { style: { mode: 'preserve' } }, /scale_factor, which is not set/],
    ['ai-image-generator', { image_count: 1, resolution: '4k' }, /resolution "4k"/],
    ['ai-voice-cloner', { style: {} }, /style.prompt, which is not set/],
    ['animation', end, /fps, which is not set/],
    ['face-swap', { start_seconds: 0 }, /end_seconds, which is not set/],
    ['text-to-video', { model: 'wan-2.2' }, /end_seconds, which is not set/],
  ];
  test.each(unknown)('%s with %j is not priced', (tool, body, sentence) => {
    expect(why(tool, body)).toMatch(sentence);
  });
});

describe('what the list does not say is not known, and the reason names it', () => {
  const clip = { start_seconds: 0, end_seconds: 2 };
  const image = { image_count: 1, resolution: '640px', model: 'seedream-v4' };
  const cases: readonly (readonly [string, JsonObject, RegExp])[] = [
    ['character-replace', clip, /rate is not published/],
    ['ai-video-editor', clip, /rate is not published/],
    ['text-to-video', { ...clip, model: 'a model of next year' }, /model "a model of next year"/],
    ['text-to-video', { ...clip, model: 'toString' }, /model "toString"/],
    ['text-to-video', { ...clip, model: 'sora-2', resolution: '4k' }, /resolution "4k"/],
    [
      'text-to-video',
      { ...clip, style: { quality_mode: 'studio' } },
      /style.quality_mode "studio"/,
    ],
    ['image-to-video', { ...clip, style: { high_quality: true } }, /style.high_quality true/],
    ['text-to-video', { ...clip, audio: 'yes' }, /audio "yes"/],
    ['ai-talking-photo', { ...clip, style: { generation_mode: 'pro' } }, /generation_mode "pro"/],
    ['lip-sync', { ...clip, style: { generation_mode: 'turbo' } }, /generation_mode "turbo"/],
    ['lip-sync', { ...clip, max_fps_limit: 0 }, /max_fps_limit 0/],
    ['audio-to-video', { ...clip, resolution: '4k' }, /resolution "4k"/],
    ['ai-image-upscaler', { scale_factor: 2, style: { mode: 'best' } }, /style.mode "best"/],
    ['ai-image-upscaler', { scale_factor: 3, style: { mode: 'preserve' } }, /scale_factor 3/],
    ['ai-image-generator', { ...image, model: 'nano-banana-pro' }, /has a price at 1k only/],
    ['text-to-video', { ...clip, model: 'wan-2.2', audio: true }, /audio true/],
    ['ai-image-generator', { ...image, model: 'seedream' }, /model "seedream"/],
    ['ai-image-generator', { ...image, resolution: '2k' }, /resolution "2k"/],
    ['ai-image-generator', { ...image, resolution: 'auto' }, /resolution "auto"/],
    ['ai-image-generator', { ...image, image_count: 0 }, /image_count 0/],
    ['ai-image-generator', { ...image, style: { quality_mode: 'pro' } }, /quality_mode "pro"/],
    ['ai-image-editor', { ...image, style: { model: 'Nano Banana' } }, /style.model "Nano Banana"/],
    ['face-swap', { start_seconds: 2, end_seconds: 2 }, /end_seconds 2/],
    ['face-swap', { start_seconds: -1, end_seconds: 2 }, /start_seconds -1/],
    ['face-swap', { start_seconds: 0, end_seconds: '2' }, /end_seconds "2"/],
    ['ai-voice-generator', { style: { prompt: '' } }, /style.prompt ""/],
  ];
  test.each(cases)('%s with %j', (tool, body, sentence) => {
    expect(why(tool, body)).toMatch(sentence);
  });
});

describe('the list as a whole', () => {
  test('whatever the body, a known price is whole, and zero only where the list says 0', () => {
    const names = tools.map(({ name }) => name);
    const bodies = tools.flatMap(({ examples }) => examples);
    const body = fc.oneof(
      fc.constantFrom(...bodies),
      fc.jsonValue().map((value): JsonObject => ({ end_seconds: 1, style: asJson(value) })),
      fc.jsonValue().map(asJson).filter(isObject),
      fc.record({
        start_seconds: fc.double({ min: 0, max: 9, noNaN: true }),
        end_seconds: fc.double({ min: 0, max: 99, noNaN: true }),
        resolution: fc.constantFrom('480p', '720p', '640px'),
        image_count: fc.integer({ min: -1, max: 4 }),
        fps: fc.double({ min: -1, max: 99, noNaN: true }),
        style: fc.record({ prompt: fc.string() }),
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...names), body, (name, request) => {
        const price = priceOf(existingTool(name), request);
        if (!price.known) {
          expect(price.why).toMatch(/\w/);
          return;
        }
        expect(Number.isSafeInteger(price.credits)).toBe(true);
        expect(price.credits > 0).toBe(name !== 'ai-qr-code-generator');
      }),
    );
  });

  test('a longer clip never costs less, and none less than its frames at 30 fps', () => {
    const length = fc.double({ min: 0.1, max: 600, noNaN: true });
    const perFrame: Readonly<Record<string, number>> = {
      'face-swap': 1,
      'video-to-video': 2,
      'auto-subtitle-generator': 0.2,
      'lip-sync': 2,
    };
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(perFrame)), length, length, (name, a, b) => {
        const price = (seconds: number) => credits(name, { end_seconds: seconds }) ?? Number.NaN;
        const [short, long] = a < b ? [a, b] : [b, a];
        expect(price(short)).toBeLessThanOrEqual(price(long));
        expect(price(long)).toBeGreaterThanOrEqual(long * 30 * (perFrame[name] ?? 0) - 1e-4);
      }),
    );
  });
});

describe('every published price', () => {
  const clip = { start_seconds: 0, end_seconds: 5 };
  const resolutions = ['480p', '720p', '1080p', '4k'];
  const models: readonly PriceExample[] = Object.keys({ ...videoModels, ...videoAliases }).flatMap(
    (model) =>
      resolutions.flatMap((resolution) =>
        [false, true].map((audio) => ({
          of: `5 s of ${model} at ${resolution}${audio ? ', with audio' : ''}`,
          body: { ...clip, model, resolution, audio },
        })),
      ),
  );
  const pictures: readonly PriceExample[] = Object.keys(imageModels).map((model) => {
    const [resolution] = imageModels[model]?.resolutions ?? [];
    return {
      of: `an image by ${model}`,
      body: { model, resolution: resolution ?? '', image_count: 1 },
    };
  });
  const more: Readonly<Record<string, readonly PriceExample[]>> = {
    'text-to-video': models,
    'ai-image-generator': pictures,
    'ai-image-editor': pictures,
  };

  /** The price on each plan, if it depends on the plan. */
  const shown = (tool: string, body: JsonObject): string => {
    const on = (tier?: Tier): string => {
      const price = priceOf(existingTool(tool), body, tier);
      if (!price.known) return `unknown, at most ${dearestOf(existingTool(tool), body)}`;
      const { credits: figure, estimate, unset = [] } = price;
      return `${estimate ? 'about ' : ''}${figure}${unset.length === 0 ? '' : `, unset: ${unset.join(' ')}`}`;
    };
    const differing = tiers.flatMap((tier) => (on(tier) === on() ? [] : `${tier} ${on(tier)}`));
    return [on(), ...differing].join('; ');
  };

  test('is as it was: test/golden/prices.txt', () => {
    const rows = tools.flatMap(({ name, examples, priceExamples }) => [
      ...examples.map((body, at) => [name, `example ${at + 1}`, shown(name, body)]),
      ...[...priceExamples, ...(more[name] ?? [])].flatMap(({ of, body }) => {
        const text = shown(name, body);
        return text.startsWith('unknown') && more[name] !== undefined ? [] : [[name, of, text]];
      }),
    ]);
    const lines = new Set(aligned(rows).split('\n'));
    expectGolden('prices.txt', [...lines].join('\n'));
  });
});
