// The memory of all decoders: never more than the budget is held, nobody waits for ever, and a file that alone needs more
// is refused from its header.
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  DecodeBudget,
  reserveFrom,
  usualDecodeBytes,
} from '../../../src/previews/base/decode-memory.ts';
import { pictureBytes, readPicture } from '../../../src/previews/pictures/read-picture.ts';
import { Rig, service } from '../../rig.ts';
import { Client } from '../../service/client.ts';
import { longTest } from '../../sweep.ts';
import { blank } from '../pictures/specimens/png.ts';

/** Lets everything happen that is due. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Whether a promise is settled by now, and its value. */
async function now<T>(promise: Promise<T>): Promise<T | 'waits'> {
  await settled();
  return Promise.race([promise, Promise.resolve('waits' as const)]);
}

async function taken(budget: DecodeBudget, bytes: number): Promise<() => void> {
  const reserved = await budget.reserve(bytes);
  if (!reserved.ok) throw new Error(`refused: ${reserved.error} is the most`);
  return reserved.value;
}

describe('the budget of decoders', () => {
  test('lets the next one wait until there is room, in the order of asking', async () => {
    const budget = new DecodeBudget(10);
    const first = await taken(budget, 6);
    const second = taken(budget, 5);
    // It would fit, and waits all the same: else one that needs much would never get it.
    const third = taken(budget, 1);
    expect([await now(second), await now(third)]).toEqual(['waits', 'waits']);
    first();
    (await second)();
    (await third)();
  });

  test('refuses at once what can never be had', async () => {
    const budget = new DecodeBudget(10);
    await taken(budget, 10);
    expect(await budget.reserve(11)).toEqual({ ok: false, error: 10 });
  });

  test('is never exceeded by jobs that hold one reservation at a time, and serves all of them', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 40 });
    const property = fc.asyncProperty(sizes, async (jobs) => {
      const budget = new DecodeBudget(100);
      let held = 0;
      let most = 0;
      await Promise.all(
        jobs.map(async (bytes) => {
          const release = await taken(budget, bytes);
          held += bytes;
          most = Math.max(most, held);
          await settled();
          held -= bytes;
          release();
        }),
      );
      expect(most).toBeLessThanOrEqual(100);
    });
    await fc.assert(property, { seed: 1, numRuns: 100 });
  });
});

describe('a picture', () => {
  const input = (file: string) => ({
    ...{ field: 'assets.image_file_path', media: 'image' as const, reference: 'a.png' },
    ...{ file, face: undefined, faces: [] },
  });

  test('waits for its turn, and is then read', async () => {
    const rig = new Rig('');
    const create = { width: 2000, height: 2000, channels: 3, background: '#b43' } as const;
    const bytes = await sharp({ create }).png({ progressive: true }).toBuffer();
    writeFileSync(rig.path('a.png'), bytes);
    const budget = new DecodeBudget(pictureBytes(await sharp(bytes).metadata()));
    const release = await taken(budget, budget.bytes);
    reserveFrom(budget);
    onTestFinished(() => reserveFrom(new DecodeBudget(usualDecodeBytes)));
    const reading = Promise.all([1, 2, 3].map(() => readPicture(input(rig.path('a.png')))));
    expect(await now(reading)).toBe('waits');
    release();
    for (const picture of await reading)
      expect(picture).toMatchObject({ ok: true, value: { width: 1600, height: 1600 } });
  });

  longTest(
    'of a few megabytes that needs more than the budget is the error of a project, refunded',
    async () => {
      const bytes = blank(10_000, 10_000, { depth: 16, colour: 6, interlace: 1 });
      expect(bytes.length).toBeLessThan(4_000_000);
      const local = await service({ decodeMegabytes: 512, pictures: 'real' });
      const client = new Client(local);
      const file = await client.upload(bytes, 'png');
      const before = process.memoryUsage.rss();
      const ids = await Promise.all(Array.from({ length: 8 }, () => client.swap(file, file)));
      for (const id of ids) {
        const record = await client.settled('image', id);
        expect(record).toMatchObject({
          ...{ status: 'error', credits_charged: 0, error: { code: 'file_too_large' } },
        });
        expect(JSON.stringify(record['error'])).toMatch(
          /takes up to \d{4} megabytes of memory, and the local service allows 512"/,
        );
      }
      expect(local.balance()).toBe(10_000);
      // Decoding one of them takes 800 MB.
      expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
    },
  );

  test.each([
    ['png', 3, 'ushort', true, 7.8],
    ['png', 4, 'ushort', true, 10.4],
    ['png', 3, 'uchar', false, 1.5],
    ['jpeg', 3, 'uchar', true, 7.2],
    ['jpeg', 4, 'uchar', true, 9.6],
    ['heif', 3, 'uchar', false, 20],
    ['gif', 4, 'uchar', false, 8],
    ['tiff', 4, 'float', false, 24],
  ] as const)('in %s with %i channels (%s, interlaced: %s) takes %d bytes a pixel', (...kind) => {
    const [format, channels, depth, isProgressive, expected] = kind;
    const header = { format, channels, depth, isProgressive, width: 5000, height: 4000 };
    expect((pictureBytes(header) - 2 ** 25) / 20_000_000).toBeCloseTo(expected, 3);
  });
});
