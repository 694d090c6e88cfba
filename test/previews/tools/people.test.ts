// The tools that put a part of a picture in front of another.
import { beforeAll, describe, expect, test } from 'vitest';
import { markHeight } from '../../../src/previews/pictures/mark.ts';
import type { Picture } from '../../../src/previews/pictures/picture.ts';
import { renderBodySwap } from '../../../src/previews/tools/people.ts';
import { renderBackgroundRemover } from '../../../src/previews/tools/pictures.ts';
import { drawn, filesOf, pictureIn, rehearse, shareOf } from '../rehearse.ts';

const [width, height] = [320, 400];
const [blue, orange] = [
  [0x20, 0x40, 0xa0],
  [0xf0, 0xa0, 0x50],
];

const files: Record<string, string> = {};
beforeAll(async () => {
  const plain = (colour: string) => `<rect width="100%" height="100%" fill="${colour}"/>`;
  files['person'] = await drawn('person', width, height, plain('#2040a0'));
  const box = '<rect x="100" y="100" width="120" height="300" fill="#902020"/>';
  files['box'] = await drawn('box', width, height, plain('#e8e4e0') + box);
  files['scene'] = await drawn('scene', 400, 300, plain('#f0a050'));
});

const removed = async (name: string, background?: string) => {
  const named = {
    'assets.image_file_path': files[name],
    ...(background === undefined ? {} : { 'assets.background_image_file_path': files[background] }),
  };
  const rehearsed = rehearse(
    renderBackgroundRemover,
    'image-background-remover',
    {},
    { files: named },
  );
  return pictureIn(await rehearsed);
};

describe('the background remover', () => {
  test('keeps an oval on a transparent background, and leaves a mark that can be read', async () => {
    const result = await removed('box');
    expect(result).toMatchObject({ width, height });
    for (const [x, y, alpha] of [
      [160, 200, 255],
      [104, 104, 255],
      [10, 10, 0],
      [310, 10, 0],
    ] as const)
      expect(alphaAt(result, x, y)).toBe(alpha);
    const strip = result.pixels.subarray((height - markHeight(result)) * width * 4);
    expect(strip.every((byte, at) => at % 4 !== 3 || byte === 255)).toBe(true);
    expect((await removed('box')).pixels.equals(result.pixels)).toBe(true);
  });

  test('puts another picture behind the subject', async () => {
    const result = await removed('box', 'scene');
    expect(result).toMatchObject({ width, height });
    expect(shareOf(result, (at) => (result.pixels[at + 3] ?? 0) === 255)).toBe(1);
    expect(colourAt(result, 20, 20)).toEqual(orange);
    expect(colourAt(result, 160, 200)).toEqual([0x90, 0x20, 0x20]);
  });
});

test('a swapped body stands at the bottom of the scene, in the resolution asked for', async () => {
  const swap = (resolution: string, most = 2160) =>
    rehearse(
      renderBodySwap,
      'body-swap',
      { resolution },
      {
        files: {
          'assets.person_file_path': files['person'],
          'assets.scene_file_path': files['scene'],
        },
        most,
      },
    );
  const result = await pictureIn(await swap('640px'));
  expect(result).toMatchObject({ width: 640, height: 480 });
  expect(colourAt(result, 20, 20)).toEqual(orange);
  expect(colourAt(result, 320, 350)).toEqual(blue);
  expect(filesOf(await swap('4k', 300))).toEqual([{ name: '0.png', width: 400, height: 300 }]);
});

const alphaAt = ({ pixels }: Picture, x: number, y: number): number | undefined =>
  pixels[(y * width + x) * 4 + 3];

function colourAt({ pixels, width: wide }: Picture, x: number, y: number): number[] {
  return [...pixels.subarray((y * wide + x) * 4, (y * wide + x) * 4 + 3)];
}
