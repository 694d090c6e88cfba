// The tools that cut people out, on drawn people whose outlines are known.
import { beforeAll, describe, expect, test } from 'vitest';
import { barOf } from '../../../../src/previews/pictures/mark.ts';
import type { Picture } from '../../../../src/previews/pictures/picture.ts';
import { renderBackgroundRemover } from '../../../../src/previews/tools/image-background-remover.ts';
import { renderBodySwap } from '../../../../src/previews/tools/body-swap.ts';
import { renderClothes } from '../../../../src/previews/tools/ai-clothes-changer.ts';
import { renderHeadshot } from '../../../../src/previews/real/photo/headshot.ts';
import { apart, drawn, filesOf, pictureIn, rehearse, shareOf } from '../rehearse.ts';

const [width, height] = [320, 400];
/** A head and a body, as an SVG and as a question: is this pixel of the person? */
const outline =
  '<ellipse cx="160" cy="110" rx="42" ry="55"/><path d="M70 400Q75 190 160 165Q245 190 250 400Z"/>';
const texture = Array.from(
  { length: 40 },
  (_, i) =>
    `<circle cx="${(i * 97) % 320}" cy="${(i * 61) % 400}" r="${6 + (i % 5) * 4}" fill="hsl(${190 + ((i * 7) % 40)},30%,${66 + (i % 6)}%)"/>`,
).join('');
const wall = `<rect width="100%" height="100%" fill="#a8bcc8"/>${texture}`;
const face = { x: 0.38, y: 0.17, width: 0.24, height: 0.24 };

let person = '';
let mask = '';
let scene = '';
let shirt = '';

beforeAll(async () => {
  person = await drawn(
    'person',
    width,
    height,
    `${wall}<g fill="#7a2634"><path d="M70 400Q75 190 160 165Q245 190 250 400Z"/></g>
     <ellipse cx="160" cy="110" rx="42" ry="55" fill="#d8a17e"/><path d="M118 100Q120 50 160 55Q200 50 202 100Q180 70 118 100Z" fill="#33221a"/>`,
  );
  mask = await drawn('mask', width, height, `<g fill="#fff">${outline}</g>`);
  scene = await drawn(
    'scene',
    400,
    300,
    '<rect width="100%" height="60%" fill="#f0a050"/><rect y="60%" width="100%" height="40%" fill="#407050"/>',
  );
  shirt = await drawn(
    'shirt',
    300,
    300,
    '<rect width="100%" height="100%" fill="#fff"/><path d="M60 40H240L290 130 240 150V280H60V150L10 130Z" fill="#1d8f3c"/>',
  );
});

describe('the background remover', () => {
  test('makes transparent what is not the subject, and leaves a mark that can be read', async () => {
    const files = { 'assets.image_file_path': person };
    const rehearsed = await rehearse(
      renderBackgroundRemover,
      'image-background-remover',
      {},
      { files },
    );
    const result = await pictureIn(rehearsed);
    expect(result).toMatchObject({ width, height });
    const truth = await pictureIn(
      await rehearse(
        renderBackgroundRemover,
        'image-background-remover',
        {},
        { files: { 'assets.image_file_path': mask } },
      ),
    );
    let both = 0;
    let either = 0;
    shareOf(result, (at) => {
      const [seen, real] = [(result.pixels[at + 3] ?? 0) > 127, (truth.pixels[at + 3] ?? 0) > 127];
      if (seen && real) both += 1;
      if (seen || real) either += 1;
      return false;
    });
    expect(both / either).toBeGreaterThan(0.9);
    const strip = result.pixels.subarray((height - barOf(result)) * width * 4);
    expect(strip.every((byte, at) => at % 4 !== 3 || byte === 255)).toBe(true);

    const again = await pictureIn(
      await rehearse(renderBackgroundRemover, 'image-background-remover', {}, { files }),
    );
    expect(again.pixels.equals(result.pixels)).toBe(true);
  });

  test('puts another picture behind the subject', async () => {
    const files = { 'assets.image_file_path': person, 'assets.background_image_file_path': scene };
    const result = await pictureIn(
      await rehearse(renderBackgroundRemover, 'image-background-remover', {}, { files }),
    );
    expect(result).toMatchObject({ width, height });
    expect(shareOf(result, (at) => (result.pixels[at + 3] ?? 0) === 255)).toBe(1);
    expect(colourAt(result, 20, 20)).toEqual([0xf0, 0xa0, 0x50]);
    expect(near(colourAt(result, 160, 250), [0x7a, 0x26, 0x34])).toBe(true);
  });
});

test('a garment of another colour covers the trunk and spares the face and the wall', async () => {
  const files = { 'assets.person_file_path': person, 'assets.garment_file_path': shirt };
  const dressed = await pictureIn(
    await rehearse(
      renderClothes,
      'ai-clothes-changer',
      { assets: { garment_type: 'upper_body' } },
      { files },
    ),
  );
  expect(dressed).toMatchObject({ width, height });
  const [red = 0, green = 0] = colourAt(dressed, 160, 260);
  expect(green).toBeGreaterThan(red + 40);
  expect(near(colourAt(dressed, 160, 110), [0xd8, 0xa1, 0x7e])).toBe(true);
  const bare = await pictureIn(
    await rehearse(
      renderClothes,
      'ai-clothes-changer',
      { assets: { garment_type: 'lower_body' } },
      { files },
    ),
  );
  expect(apart(dressed, bare)).toBeGreaterThan(2);
});

test('a headshot shows the head large before a backdrop of the colour that was asked for', async () => {
  const files = { 'assets.image_file_path': person };
  const at = (prompt: string) =>
    rehearse(
      (request) => renderHeadshot(request, face),
      'ai-headshot-generator',
      { style: { prompt } },
      { files },
    );
  const blue = await pictureIn(await at('blue background'));
  expect(blue.height / blue.width).toBeCloseTo(1.25, 1);
  const [red = 0, , deep = 0] = colourAt(blue, 8, 8);
  expect(deep).toBeGreaterThan(red + 20);
  const skin = shareOf(blue, (i) => near([...blue.pixels.subarray(i, i + 3)], [0xe2, 0xac, 0x87]));
  expect(skin).toBeGreaterThan(0.08);
  expect(apart(blue, await pictureIn(await at('red background')))).toBeGreaterThan(5);
});

test('a person stands in the scene, in the resolution that was asked for, coloured by it', async () => {
  const files = { 'assets.person_file_path': person, 'assets.scene_file_path': scene };
  const swap = (resolution: string, most = 2160) =>
    rehearse(renderBodySwap, 'body-swap', { resolution }, { files, most });
  const result = await pictureIn(await swap('640px'));
  expect(result).toMatchObject({ width: 640, height: 480 });
  expect(near(colourAt(result, 20, 20), [0xf0, 0xa0, 0x50])).toBe(true);
  const changed = shareOf(
    result,
    (at, _, y) =>
      !near(
        [...result.pixels.subarray(at, at + 3)],
        y < 288 ? [0xf0, 0xa0, 0x50] : [0x40, 0x70, 0x50],
      ),
  );
  expect(changed).toBeGreaterThan(0.1);
  expect(changed).toBeLessThan(0.5);
  expect(filesOf(await swap('4k', 300))).toEqual([{ name: '0.png', width: 400, height: 300 }]);
});

function colourAt({ pixels, width: wide }: Picture, x: number, y: number): number[] {
  return [...pixels.subarray((y * wide + x) * 4, (y * wide + x) * 4 + 3)];
}

function near(one: readonly number[], two: readonly number[]): boolean {
  return one.every((value, i) => Math.abs(value - (two[i] ?? 0)) < 40);
}
