import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadAv } from '../../../src/previews/clips/library.ts';
import { samplesOf, soundRate } from '../../../src/previews/clips/sound.ts';
import { probe } from '../probe.ts';
import { shortWalk, tone, walkClip } from './samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-write-'));
afterAll(() => rmSync(folder, { recursive: true }));

const written = { ...shortWalk, sound: tone(0.5) };

test.each([
  ['mp4', 'h264', 'aac'],
  ['webm', 'vp8', 'opus'],
])(
  'a %s plays elsewhere, says nothing of when and by what it was made, and is the same to the byte the next time',
  async (ending, video, audio) => {
    const [file, again] = [join(folder, `a.${ending}`), join(folder, `b.${ending}`)];
    await walkClip(file, written);
    await walkClip(again, written);
    expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
    const { streams, format } = await probe(file);
    expect(streams.map(({ codec_name }) => codec_name)).toEqual([video, audio]);
    expect(streams[0]).toMatchObject({
      width: 64,
      height: 48,
      avg_frame_rate: '10/1',
      nb_read_frames: '8',
    });
    expect(Math.abs(Number(format.duration) - 0.8)).toBeLessThan(0.03);
    expect(JSON.stringify(format.tags ?? {})).not.toMatch(/creation_time|Lavf\d/);
  },
);

test('an mp4 begins with its index, so that it plays while it is fetched', async () => {
  const bytes = readFileSync(await walkClip(join(folder, 'fast.mp4'), written));
  expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
  expect((await probe(join(folder, 'fast.mp4'))).streams[0]?.pix_fmt).toBe('yuv420p');
});

test('sound keeps its pitch and its place, and ends with the pictures', async () => {
  const av = await loadAv();
  const source = await walkClip(join(folder, 'tone.mp4'), { ...shortWalk, sound: tone(0.8, 600) });
  const file = join(folder, 'part.mp4');
  // 0.2 to 0.6 of the source is heard for 0.4 of the 0.8 seconds; the rest is silence.
  await walkClip(file, { ...shortWalk, sound: { file: source, start: 0.2, end: 0.6 } });
  const left = [...samplesOf(av, { file, start: 0, end: 2 })].flatMap((some) =>
    [...some].filter((_, i) => i % 2 === 0),
  );
  expect(Math.abs(left.length / soundRate - 0.8)).toBeLessThan(0.03);
  const during = left.slice(0.1 * soundRate, 0.3 * soundRate);
  const crossings = during.filter((value, i) => value >= 0 && (during[i - 1] ?? 0) < 0).length;
  expect(Math.abs(crossings / 0.2 - 600)).toBeLessThan(15);
  expect(Math.max(...during)).toBeGreaterThan(0.2);
  expect(Math.max(...left.slice(0.45 * soundRate).map(Math.abs))).toBeLessThan(0.05);
});
