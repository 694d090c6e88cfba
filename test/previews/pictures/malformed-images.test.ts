// Whatever is sent as a picture: it is read, or it is said in words why not. Nothing breaks, nothing hangs, and the
// library that decodes sees only what begins as a picture.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPicture } from '../../../src/previews/pictures/read-picture.ts';
import { renderTool } from '../../../src/previews/registry.ts';
import { sampleOf } from '../../sweep.ts';
import { complaintOfReading, complaintOfRendering } from './specimen-reading.ts';
import type { Expectation, Specimen } from './specimens/specimen.ts';
import { specimens } from './specimens.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-specimens-'));
const pathOf = ({ name }: Specimen): string => join(folder, name);

let all: readonly Specimen[];
/** Resident memory before and after all specimens were read, in bytes. */
let before: number;
let after: number;
const complaints = new Map<Specimen, string>();

beforeAll(async () => {
  all = await specimens();
  for (const specimen of all) writeFileSync(pathOf(specimen), specimen.bytes);
  before = process.memoryUsage().rss;
  // Every fourth one; EVERY=1 reads all of them.
  for (const specimen of sampleOf(all, 4)) {
    const complaint = await complaintOfReading(specimen, pathOf(specimen));
    if (complaint !== undefined) complaints.set(specimen, complaint);
  }
  after = process.memoryUsage().rss;
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kinds: readonly (readonly [string, Expectation['kind'], number])[] = [
  ['a picture in order, of any format, depth and colour space, is read upright in sRGB', 'ok', 150],
  ['a picture that is taken but not decoded here has a placeholder', 'card', 8],
  ['a file that is no whole picture, or too large a one, is that error, in words', 'error', 350],
  ['a picture with odd or changed bytes is read, or is an error in words', 'undecided', 200],
];

describe('of all specimens', () => {
  test.each(kinds)('%s', (_, kind, atLeast) => {
    const those = all.filter(({ expected }) => expected.kind === kind);
    expect(those.length).toBeGreaterThan(atLeast);
    expect(those.flatMap((specimen) => complaints.get(specimen) ?? [])).toEqual([]);
  });

  test('none takes memory that is not given back', () => {
    // Measured: 150 MB, most of them the heap's own ways.
    expect(after - before).toBeLessThan(600_000_000);
  });
});

test('a whole renderer makes something of each, or says in words why not', async () => {
  // All renderers read pictures in one way, and bench/specimens.ts tries them all.
  const how = { tool: 'ai-image-upscaler', render: renderTool, clip: '' };
  const wrong: string[] = [];
  for (const specimen of all.filter((_, index) => index % 31 === 0)) {
    const complaint = await complaintOfRendering(
      specimen,
      pathOf(specimen),
      how,
      join(folder, 'out'),
    );
    if (complaint !== undefined) wrong.push(complaint);
  }
  expect(wrong).toEqual([]);
});

test.each(['png', 'webp', 'avif', 'tiff', 'gif'] as const)(
  'a %s that is put again under the same name shows its new picture',
  async (format) => {
    const file = join(mkdtempSync(join(folder, 'again-')), `photo.${format}`);
    const put = async (background: string): Promise<readonly number[]> => {
      const picture = sharp({ create: { width: 96, height: 96, channels: 3, background } });
      writeFileSync(file, await picture.toFormat(format).toBuffer());
      const input = { field: 'f', media: 'image', reference: 'r', face: undefined } as const;
      const read = await readPicture({ ...input, file, faces: [] });
      return read.ok ? [...read.value.pixels.subarray(0, 3)].map((value) => value >> 7) : [];
    };
    expect([await put('#f00'), await put('#0f0'), await put('#00f')]).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
  },
);

test('a file that is not there is a fault of ours, not of the picture', async () => {
  const file = join(folder, 'nowhere.png');
  const input = { field: 'f', media: 'image', reference: 'r', face: undefined } as const;
  await expect(readPicture({ ...input, file, faces: [] })).rejects.toThrow(/ENOENT/);
});
