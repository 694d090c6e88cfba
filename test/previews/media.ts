// Media for tests, small and made here: a photo with a face in it, a clip that pans over one, a voice, a product.
import openMediaInfo from 'mediainfo.js';
import sharp, { type Sharp } from 'sharp';
import { tone } from '../../src/previews/tone.ts';
import { webm } from '../../src/previews/webm.ts';
import { sample } from '../service/client.ts';

/** The woman on the left of the sixth sample, in pixels. */
const portrait = { left: 210, top: 370, width: 400, height: 460 };

export const portraitSize = { width: 300, height: 345 } as const;

export const portraitPhoto = async (): Promise<Buffer> =>
  await sharp(sample(6)).extract(portrait).resize(portraitSize.width).jpeg().toBuffer();

export const clipSize = { width: 320, height: 240, fps: 12, seconds: 1 } as const;

/** A WebM file: the portrait moves from the left to the right. */
export async function portraitClip(): Promise<Buffer> {
  const { width, height, fps, seconds } = clipSize;
  const face = await sharp(sample(6)).extract(portrait).resize({ height }).png().toBuffer();
  const pictures = Array.from({ length: fps * seconds }, async (_, index) => {
    const ground = sharp({ create: { width, height, channels: 3, background: '#567' } });
    return await ground
      .composite([{ input: face, left: 10 + index * 4, top: 0 }])
      .webp()
      .toBuffer();
  });
  return webm({ ...clipSize, pictures: await Promise.all(pictures) });
}

/** A WAV of one second. */
export const voiceSample = (): Buffer => tone(1, 180);

export const plainPhoto = (background: string, width = 120, height = 90): Sharp =>
  sharp({ create: { width, height, channels: 3, background } });

/** A red disc, 60 pixels wide, in the middle of a light wall. */
export const product = async (): Promise<Buffer> =>
  await plainPhoto('#e8e4da', 200, 150)
    .composite([
      {
        input: Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><circle cx="30" cy="30" r="30" fill="#c22"/></svg>',
        ),
      },
    ])
    .png()
    .toBuffer();

/** What a library says of a clip or a sound that did not make it. */
export async function mediaFacts(bytes: Buffer) {
  const info = await openMediaInfo({ format: 'object' });
  const { media } = await info.analyzeData(bytes.length, (length, at) =>
    bytes.subarray(at, at + length),
  );
  info.close();
  const tracks = media?.track ?? [];
  const general = tracks.find((track) => track['@type'] === 'General');
  const video = tracks.find((track) => track['@type'] === 'Video');
  if (general?.['@type'] !== 'General') throw new Error('no medium');
  const { Format: format, Duration: seconds } = general;
  if (video?.['@type'] !== 'Video') return { format, seconds };
  const { Format: codec, Width: width, Height: height, FrameRate: fps } = video;
  return { format, seconds, codec, width, height, fps };
}
