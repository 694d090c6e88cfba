// The tools that cut people out, on a drawn person whose outline is known.
import { beforeAll, describe, expect, test } from 'vitest';
import { markHeight } from '../../../src/previews/pictures/mark.ts';
import type { Picture } from '../../../src/previews/pictures/picture.ts';
import { render as renderBodySwap } from '../../../src/previews/tools/body-swap.ts';
import { render as renderBackgroundRemover } from '../../../src/previews/tools/image-background-remover.ts';
import { drawn, filesOf, pictureIn, rehearse, shareOf } from '../rehearse.ts';

const [width, height] = [320, 400];
const body = '<path d="M70 400Q75 190 160 165Q245 190 250 400Z"/>';
const head = '<ellipse cx="160" cy="110" rx="42" ry="55"/>';
const figure = `<g fill="#7a2634">${body}</g><g fill="#d8a17e">${head}</g>`;
const plain = '<rect width="100%" height="100%" fill="#a8bcc8"/>';
/** A background of many colours. */
const busy = Array.from(
  { length: 200 },
  (_, i) =>
    `<rect x="${(i % 14) * 24}" y="${Math.floor(i / 14) * 28}" width="24" height="28" fill="hsl(${i * 67},70%,${30 + ((i * 13) % 50)}%)"/>`,
).join('');
const face = { x: 0.38, y: 0.17, width: 0.24, height: 0.24 };
const [skin, shirt, sky] = [
  [0xd8, 0xa1, 0x7e],
  [0x7a, 0x26, 0x34],
  [0xf0, 0xa0, 0x50],
];

const files: Record<string, string> = {};
beforeAll(async () => {
  files['plain'] = await drawn('plain', width, height, plain + figure);
  files['busy'] = await drawn('busy', width, height, busy + figure);
  files['scene'] = await drawn(
    'scene',
    400,
    300,
    '<rect width="100%" height="60%" fill="#f0a050"/><rect y="60%" width="100%" height="40%" fill="#407050"/>',
  );
});

const input = 'assets.image_file_path';
const removed = async (name: string, faces = [face], background?: string) => {
  const named = {
    [input]: files[name],
    ...(background === undefined ? {} : { 'assets.background_image_file_path': files[background] }),
  };
  const given = { files: named, faces };
  return pictureIn(await rehearse(renderBackgroundRemover, 'image-background-remover', {}, given));
};

/** How much of the figure and of what was cut out is both. */
function agreement(result: Picture): number {
  const isFigure = (x: number, y: number): boolean =>
    ((x - 160) / 42) ** 2 + ((y - 110) / 55) ** 2 < 1 ||
    (y > 165 && Math.abs(x - 160) < 90 * Math.min(1, ((y - 165) / 235) ** 0.3));
  let [both, either] = [0, 0];
  shareOf(result, (at, x, y) => {
    const [seen, real] = [(result.pixels[at + 3] ?? 0) > 127, isFigure(x, y)];
    if (seen && real) both += 1;
    if (seen || real) either += 1;
    return false;
  });
  return both / either;
}

describe('the background remover', () => {
  test('cuts a figure out of a plain background, and leaves a mark that can be read', async () => {
    const result = await removed('plain', []);
    expect(result).toMatchObject({ width, height });
    expect(agreement(result)).toBeGreaterThan(0.9);
    const strip = result.pixels.subarray((height - markHeight(result)) * width * 4);
    expect(strip.every((byte, at) => at % 4 !== 3 || byte === 255)).toBe(true);
    expect((await removed('plain', [])).pixels.equals(result.pixels)).toBe(true);
  });

  test('keeps about a person where a face is known and the background is not plain', async () => {
    const result = await removed('busy');
    expect(agreement(result)).toBeGreaterThan(0.55);
    expect(alphaAt(result, 160, 110)).toBe(255);
    expect(alphaAt(result, 10, 10)).toBe(0);
  });

  test('puts another picture behind the subject', async () => {
    const result = await removed('plain', [], 'scene');
    expect(result).toMatchObject({ width, height });
    expect(shareOf(result, (at) => (result.pixels[at + 3] ?? 0) === 255)).toBe(1);
    expect(colourAt(result, 20, 20)).toEqual(sky);
    expect(near(colourAt(result, 160, 250), shirt)).toBe(true);
  });
});

describe('a swapped body', () => {
  const swap = (scene: string, faces: readonly (typeof face)[], resolution: string, most = 2160) =>
    rehearse(
      renderBodySwap,
      'body-swap',
      { resolution },
      {
        files: {
          'assets.person_file_path': files['plain'],
          'assets.scene_file_path': files[scene],
        },
        ...{ faces, most },
      },
    );

  test('stands at the bottom of a scene without a face, in the resolution asked for', async () => {
    const rehearsed = await swap('scene', [], '640px');
    const result = await pictureIn(rehearsed);
    expect(result).toMatchObject({ width: 640, height: 480 });
    expect(near(colourAt(result, 20, 20), sky)).toBe(true);
    expect(near(colourAt(result, 320, 350), shirt)).toBe(true);
    expect(filesOf(await swap('scene', [], '4k', 300))).toEqual([
      { name: '0.png', width: 400, height: 300 },
    ]);
  });

  test('comes face on face where there is a face', async () => {
    const result = await pictureIn(await swap('busy', [face], '640px'));
    const middle = { x: (face.x + face.width / 2) * 512, y: (face.y + face.height / 2) * 640 };
    expect(near(colourAt(result, Math.round(middle.x), Math.round(middle.y)), skin)).toBe(true);
  });
});

const alphaAt = ({ pixels }: Picture, x: number, y: number): number | undefined =>
  pixels[(y * width + x) * 4 + 3];

function colourAt({ pixels, width: wide }: Picture, x: number, y: number): number[] {
  return [...pixels.subarray((y * wide + x) * 4, (y * wide + x) * 4 + 3)];
}

function near(one: readonly number[], two: readonly number[] | undefined): boolean {
  return one.every((value, i) => Math.abs(value - (two?.[i] ?? 0)) < 40);
}
