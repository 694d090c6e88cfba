// The service with real previews, as a client meets it. Of each tool, the output is a valid file of its type with the
// promised size, length and rate, as libraries see it that did not make it, and the record says the same. By default one
// tool that makes pictures and one that makes clips; EVERY=1 tries all 27.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldOf, type JsonObject } from '../../src/base/json.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { tools } from '../../src/contract/tools/all.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { Client } from '../service/client.ts';
import { filledInObject } from '../service/examples.ts';
import {
  clipSize,
  mediaFacts,
  portraitClip,
  portraitPhoto,
  portraitSize,
  voiceSample,
} from './media.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

const square = (side: number): Size => ({ width: side, height: side });
/** The shape of the clip with a shorter side of 480. */
const clip480: Size = { width: 640, height: 480 };
const clip: Size = { width: clipSize.width, height: clipSize.height };
const photo: Size = portraitSize;
/** A photo as the first picture of a clip, whose sides are even. */
const still: Size = { width: 300, height: 346 };

/** What the output of each tool's first example must be. A rate: of the input, of the request, or the usual one. */
const wanted: Readonly<Record<string, readonly [format: string, size?: Size, fps?: number]>> = {
  'ai-clothes-changer': ['png', photo],
  'ai-face-editor': ['png', photo],
  'ai-gif-generator': ['gif', { width: 480, height: 270 }],
  'ai-headshot-generator': ['png', photo],
  'ai-image-editor': ['png', { width: 557, height: 640 }],
  'ai-image-generator': ['png', square(640)],
  'ai-image-upscaler': ['png', { width: 600, height: 690 }],
  'ai-meme-generator': ['png', square(1024)],
  'ai-qr-code-generator': ['png', square(1024)],
  'ai-talking-photo': ['WebM', still, 24],
  'ai-video-editor': ['WebM', clip480, 12],
  'ai-voice-cloner': ['Wave'],
  'ai-voice-generator': ['Wave'],
  animation: ['WebM', square(256), 12],
  'audio-to-video': ['WebM', { width: 854, height: 480 }, 24],
  'auto-subtitle-generator': ['WebM', clip, 12],
  'body-swap': ['png', { width: 557, height: 640 }],
  'character-replace': ['WebM', clip480, 12],
  'face-swap': ['WebM', clip, 12],
  'face-swap-photo': ['png', photo],
  'head-swap': ['png', photo],
  'image-background-remover': ['png', photo],
  'image-to-video': ['WebM', { width: 480, height: 552 }, 24],
  'lip-sync': ['WebM', clip, 12],
  'photo-colorizer': ['png', photo],
  'text-to-video': ['WebM', { width: 854, height: 480 }, 24],
  'video-to-video': ['WebM', clip, 12],
};

const usual = ['ai-clothes-changer', 'character-replace'];
const tried =
  process.env['EVERY'] === '1' ? tools : tools.filter(({ name }) => usual.includes(name));

let local: LocalService;
let client: Client;
let files: ReadonlyMap<string, string>;

beforeAll(async () => {
  local = await startService({ credits: 1_000_000, tier: 'business' });
  client = new Client(local);
  files = new Map([
    ['asset:image', await client.upload(await portraitPhoto(), 'jpg')],
    ['asset:video', await client.upload(await portraitClip(), 'webm', 'video')],
    ['asset:audio', await client.upload(voiceSample(), 'wav', 'audio')],
  ]);
});
afterAll(async () => await local.close());

/** Of a clip: half a second, or the shortest that the tool makes. */
const secondsOf = ({ name }: Tool): number =>
  ['text-to-video', 'image-to-video'].includes(name) ? 1 : 0.5;

function requestOf(tool: Tool): JsonObject {
  const body = filledInObject(tool.examples[0] ?? {}, files);
  return 'end_seconds' in body ? { ...body, start_seconds: 0, end_seconds: secondsOf(tool) } : body;
}

test('there is something to want of each tool', () => {
  expect(Object.keys(wanted).sort()).toEqual(tools.map(({ name }) => name).sort());
});

test.for(tried.map((tool) => [tool.name, tool] as const))(
  '%s makes a valid file of the promised size and length',
  async ([name, tool]) => {
    const [format, size, fps] = wanted[name] ?? ['none'];
    const body = requestOf(tool);
    const { id } = await client.create(name, body);
    const record = await client.settled(tool.record, id);
    expect(record).toMatchObject({ status: 'complete', error: null });
    if (size !== undefined) expect(record).toMatchObject(size);
    if (fps !== undefined) expect(record['fps']).toBe(fps);
    const outputs = await client.outputs(record);
    expect(outputs).toHaveLength(Number(fieldOf(body, 'image_count') ?? 1));
    for (const output of outputs)
      if (format === 'png' || format === 'gif') await checkPicture(output, format, size);
      else {
        const found = await mediaFacts(output);
        expect(found.format).toBe(format);
        if (format === 'Wave') expect(found.seconds).toBeGreaterThan(0.5);
        else
          expect(found).toMatchObject({
            ...{ codec: 'VP8', ...size, fps },
            seconds: expect.closeTo(secondsOf(tool), 1),
          });
      }
  },
);

async function checkPicture(output: Buffer, wantedFormat: string, size: Size | undefined) {
  const image = sharp(output, { animated: true, failOn: 'warning' });
  const { format, width, height, pageHeight = height, pages = 1 } = await image.metadata();
  expect([format, { width, height: pageHeight }]).toEqual([wantedFormat, size]);
  if (format === 'gif') expect(pages).toBeGreaterThan(5);
  // All of it can be decoded.
  await image.stats();
}
