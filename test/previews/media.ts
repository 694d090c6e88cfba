// Media for tests of the renderers, small and made here: a photo with a face in it, a clip that pans over one, a voice.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { toneOf, toneRate, wavOf } from '../../src/previews/clips/tone.ts';
import { writeClip } from '../../src/previews/clips/write.ts';
import { pictureOf } from '../../src/previews/pictures/picture.ts';
import { sample } from '../service/client.ts';

/** The woman on the left of the sixth sample, in pixels. */
const portrait = { left: 210, top: 370, width: 400, height: 460 };

/** 300 pixels wide, 345 high. */
export async function portraitPhoto(): Promise<Buffer> {
  return await sharp(sample(6)).extract(portrait).resize(300).jpeg().toBuffer();
}

export const clipSize = { width: 320, height: 240, fps: 12, seconds: 1 } as const;

/** The portrait moves from the left to the right, with a tone. */
export async function portraitClip(): Promise<Buffer> {
  const { width, height, fps, seconds } = clipSize;
  const face = await sharp(sample(6)).extract(portrait).resize({ height }).png().toBuffer();
  async function* frames() {
    for (let index = 0; index < fps * seconds; index++)
      yield await pictureOf(
        sharp({ create: { width, height, channels: 4, background: '#567' } }).composite([
          { input: face, left: 10 + index * 4, top: 0 },
        ]),
      );
  }
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-clip-'));
  try {
    const file = join(folder, 'clip.mp4');
    const sound = { seconds, pitch: 424 };
    await writeClip({ file, width, height, fps, frames: frames(), sound });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A WAV of one second. */
export const voiceSample = (): Buffer => wavOf(toneOf(1, 180), toneRate);
