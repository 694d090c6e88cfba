// interface.md, What the service does, the table of medians: over many projects, half of them take no longer than the
// table says, give or take the 15 % that so small a sample may be off. "Observed values, not guarantees" is no promise.
import { describe, expect, test } from 'vitest';
import { timingOf } from '../../../src/service/jobs/timing.ts';
import { creations, requestFor } from './door.ts';
import { reach, slow } from './stage.ts';

/** POST /v1/…, median end-to-end time in seconds, and which example of the catalogue is quick to render here. */
const table: readonly (readonly [string, number, number])[] = [
  ['ai-talking-photo', 2 * 60 + 54, 0],
  ['ai-video-editor', 60 + 25, 0],
  ['animation', 9 * 60 + 56, 1],
  ['audio-to-video', 60 + 57, 1],
  ['auto-subtitle-generator', 45, 0],
  ['character-replace', 7 * 60 + 26, 0],
  ['face-swap', 60 + 36, 0],
  ['image-to-video', 60 + 14, 0],
  ['lip-sync', 3 * 60 + 49, 0],
  ['text-to-video', 51, 0],
  ['video-to-video', 12 * 60 + 52, 0],
  ['ai-clothes-changer', 13, 0],
  ['ai-face-editor', 3, 0],
  ['ai-gif-generator', 23, 1],
  ['ai-headshot-generator', 14, 0],
  ['ai-image-editor', 9, 0],
  ['ai-image-generator', 5, 1],
  ['ai-image-upscaler', 22, 0],
  ['ai-meme-generator', 9, 0],
  ['ai-qr-code-generator', 7, 0],
  ['body-swap', 38, 0],
  ['face-swap-photo', 4, 0],
  ['head-swap', 18, 0],
  ['image-background-remover', 4, 0],
  ['photo-colorizer', 9, 0],
  ['ai-voice-generator', 21, 0],
  ['ai-voice-cloner', 21, 0],
];

/** Odd, so that one project is the median; small, because each is really rendered. */
const sample = 3;
/** Makes three projects that are neither quick nor slow together; the second test is about any seed. */
const seed = 2;

function median(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[(times.length - 1) / 2] ?? 0;
}

describe('interface.md, What the service does: the median end-to-end times', () => {
  test('are given for every creation endpoint', () => {
    expect(table.map(([tool]) => tool).sort()).toEqual(creations.map(([tool]) => tool).sort());
  });

  test.each(table)('POST /v1/%s: %i seconds', async (tool, seconds, example) => {
    const stage = await slow({ seed });
    const { client, clock } = stage;
    const kind = creations.find(([name]) => name === tool)?.[1] ?? 'image';
    const body = await requestFor(client, tool, example);
    const times: number[] = [];
    for (let number = 0; number < sample; number++) {
      const begun = clock.now();
      const { id } = await client.create(tool, body);
      await reach(stage, kind, id, 'complete');
      times.push((clock.now() - begun) / 1000);
    }
    expect(median(times)).toBeGreaterThan(seconds * 0.85);
    expect(median(times)).toBeLessThan(seconds * 1.15);
    // They vary: no two projects are alike.
    expect(new Set(times).size).toBe(sample);
  });

  // Too many to render: asked of the part that says how long a project takes.
  test.each(table)(
    'POST /v1/%s: %i seconds, over a thousand projects of any seed',
    (_, seconds) => {
      for (const any of [1, 2, 3, 4, 5]) {
        const times = Array.from({ length: 1001 }, (_, sequence) => {
          const { waitMs, workMs } = timingOf('realtime', any, sequence + 1, seconds);
          return (waitMs + workMs) / 1000;
        });
        expect(median(times)).toBeGreaterThan(seconds * 0.95);
        expect(median(times)).toBeLessThan(seconds * 1.05);
      }
    },
  );
});
