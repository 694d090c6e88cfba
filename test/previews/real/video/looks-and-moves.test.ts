// What words come to: moves of a camera, looks of pictures, the words of subtitles.
import { describe, expect, test } from 'vitest';
import type { Picture } from '../../../../src/previews/pictures/picture.ts';
import { artStyleOf } from '../../../../src/previews/real/video/art-styles.ts';
import { seen } from '../../../../src/previews/real/video/camera.ts';
import { colourOf } from '../../../../src/previews/real/video/colours.ts';
import { editOf } from '../../../../src/previews/real/video/edits.ts';
import { followed, sightAt, sightsIn } from '../../../../src/previews/motion/speaker.ts';
import { heardAt, levelAt, levelsOf } from '../../../../src/previews/sound/levels.ts';
import { moveOf } from '../../../../src/previews/real/video/moves.ts';
import { restylingOf } from '../../../../src/previews/real/video/restyle.ts';
import { subtitleLookOf } from '../../../../src/previews/real/video/subtitle-look.ts';
import { cuesOf, spokenAt } from '../../../../src/previews/real/video/subtitles.ts';

describe('a camera', () => {
  const change = (words: string) => {
    const move = moveOf(words, 2, 'key');
    const [from, to] = [move(0, 0), move(2, 0)];
    return { zoom: to.zoom - from.zoom, x: to.x - from.x, y: to.y - from.y, turn: to.turn };
  };

  test('goes where the words say', () => {
    expect(change('Simple Zoom In').zoom).toBeGreaterThan(0.1);
    expect(change('the camera slowly pulls back').zoom).toBeLessThan(-0.1);
    expect(change('Pan Left').x).toBeLessThan(-0.1);
    expect(change('pan to the right').x).toBeGreaterThan(0.1);
    expect(change('move up').y).toBeLessThan(-0.1);
    expect(change('Spin').turn).toBeGreaterThan(0.3);
    expect(change('spin counter-clockwise').turn).toBeLessThan(-0.3);
    expect(change('static shot')).toEqual({ zoom: 0, x: 0, y: 0, turn: 0 });
  });

  test('moves a little by itself, and with the beat only when there is one', () => {
    const { zoom, x } = change('a girl sits in a chair');
    expect(Math.abs(zoom) + Math.abs(x)).toBeGreaterThan(0.05);
    const beat = moveOf('dance to the music', 2, 'key');
    expect(beat(1, 1).zoom).toBeGreaterThan(beat(1, 0).zoom + 0.05);
  });

  test('sees what is there: all of it, a part of it, and a mirror beyond its edges', () => {
    const still: Picture = { pixels: Buffer.alloc(40 * 40 * 4, 255), width: 40, height: 40 };
    for (let i = 0; i < 1600; i++) still.pixels[i * 4] = (i % 40) * 6;
    const rowOf = (view: Partial<Parameters<typeof seen>[1]>): readonly number[] => {
      const frame = seen(
        still,
        { zoom: 1, x: 0, y: 0, turn: 0, ...view },
        { width: 20, height: 20 },
      );
      return Array.from({ length: 20 }, (_, x) => frame.pixels[(10 * 20 + x) * 4] ?? -1);
    };
    const [all, part, moved, turned] = [{}, { zoom: 2 }, { x: 0.5 }, { turn: Math.PI }].map(rowOf);
    expect(all?.[0]).toBeLessThan(10);
    expect(all?.[19]).toBeGreaterThan(225);
    expect(part?.[0]).toBeGreaterThan(50);
    expect(part?.[19]).toBeLessThan(185);
    expect(moved?.[0]).toBeGreaterThan(110);
    expect(moved?.[19]).toBeLessThan(130);
    expect(turned?.[0]).toBeGreaterThan(225);
  });
});

describe('a look', () => {
  const picture: Picture = { pixels: Buffer.alloc(64 * 64 * 4, 255), width: 64, height: 64 };
  for (let y = 0; y < 64; y++)
    for (let x = 0; x < 64; x++)
      picture.pixels.set(x < 32 ? [235, 150, 120, 255] : [90, 90, 95, 255], (y * 64 + x) * 4);
  const at = ({ pixels }: Picture, x: number, y = 30): readonly number[] => [
    ...pixels.subarray((y * 64 + x) * 4, (y * 64 + x) * 4 + 3),
  ];

  test('of a style without colours is grey, of an outlined one has a dark line where two fields meet', () => {
    const grey = at(restylingOf(artStyleOf('Film Noir'), picture)(picture), 10);
    expect(Math.max(...grey) - Math.min(...grey)).toBeLessThan(3);
    const drawn = restylingOf(artStyleOf('Anime'), picture)(picture);
    const line = [28, 29, 30, 31, 32, 33, 34, 35].map((x) => Math.max(...at(drawn, x)));
    expect(Math.min(...line)).toBeLessThan(Math.max(...at(drawn, 50)) - 60);
  });

  test('of an edit is as warm, cold, dark or bright as its words, and never nothing', () => {
    const [red, , blue] = at(restylingOf(editOf('golden sunset', 'k'), picture)(picture), 50);
    const [oldRed, , oldBlue] = at(picture, 50);
    expect((red ?? 0) / (blue ?? 1)).toBeGreaterThan(((oldRed ?? 0) / (oldBlue ?? 1)) * 1.3);
    const sum = (words: string): number =>
      at(restylingOf(editOf(words, 'k'), picture)(picture), 32).reduce((a, b) => a + b);
    expect(sum('at midnight')).toBeLessThan(sum('bright daylight') * 0.6);
    expect(at(restylingOf(editOf('walk the dog', 'k'), picture)(picture), 10)).not.toEqual(
      at(picture, 10),
    );
  });
});

describe('subtitles', () => {
  test('say one word after the other, faster where more is heard', () => {
    const cues = cuesOf(4);
    expect(cues.map(({ words }) => words.join(' '))).toEqual([
      'Rehearsal subtitle 1 of 2',
      'Rehearsal subtitle 2 of 2',
    ]);
    // Nothing is heard in the first second, all in the second.
    const samples = Float32Array.from({ length: 2000 }, (_, i) => (i < 1000 ? 0 : 0.5));
    const levels = levelsOf([samples], 1000, 1);
    expect([levelAt(levels, 0.5), levelAt(levels, 1.5)]).toEqual([0, 1]);
    expect(heardAt(levels, 0, 2, 1)).toBeLessThan(0.2);
    expect(spokenAt(cues, levels, 0.9)?.word).toBe(0);
    expect(spokenAt(cues, levels, 1.95)?.word).toBe(4);
    expect(spokenAt(cues, levels, 9)?.cue).toBe(cues[1]);
  });

  test('look as their template says, but for what the request sets itself', () => {
    const size = { width: 640, height: 360 };
    const look = (style: Record<string, string | Record<string, string | number>>) =>
      subtitleLookOf({ style }, size);
    expect(look({ template: 'cinematic' }).letterbox).toBeGreaterThan(0);
    expect(look({ template: 'highlight' }).boxed).toBe(true);
    const own = look({
      template: 'minimalist',
      custom_config: {
        text_color: '#0F0',
        font_size: 42,
        font_style: 'Bold Italic',
        vertical_position: '25%',
      },
    });
    expect(own).toMatchObject({
      text: [0, 255, 0],
      dot: 6,
      slanted: true,
      down: 0.25,
      lowerCase: true,
    });
    expect(look({ custom_config: { text_color: 'no colour' } }).text).toEqual([255, 255, 255]);
    expect(['rgb(1, 2, 300)', 'Gold', '#10203040', 'url(#x)'].map(colourOf)).toEqual([
      [1, 2, 255],
      [255, 215, 0],
      [16, 32, 48],
      undefined,
    ]);
  });
});

describe('a face', () => {
  const faceAt = (x: number) => {
    const landmarks = Array.from({ length: 68 }, (_, i) => ({ x: x + i, y: 10 }));
    return { landmarks, region: { x: 0, y: 0, width: 1, height: 1 }, score: 1 };
  };
  const grey = (light: number): Picture => ({
    pixels: Buffer.alloc(400, light),
    width: 10,
    height: 10,
  });

  test('is followed where it goes, and left when the clip is cut', async () => {
    const [left, right] = [faceAt(0), faceAt(500)];
    expect(followed([right, left], faceAt(4).landmarks)).toBe(left.landmarks);
    expect(followed([right], faceAt(4).landmarks)).toBeUndefined();
    async function* pictures() {
      yield* [grey(100), grey(102), grey(220)];
    }
    let looks = 0;
    const sights = await sightsIn(pictures(), {
      find: async () => [[left], [right]][looks++] ?? [],
      follow: async () => faceAt(2).landmarks,
    });
    expect(sights.map((sight) => sight?.[0]?.x)).toEqual([0, 2, 500]);
    expect(sightAt(sights, 10, 0.05)?.[0]?.x).toBe(1);
    // Between two faces there is none.
    expect(sightAt(sights, 10, 0.18)?.[0]?.x).toBe(500);
  });
});
