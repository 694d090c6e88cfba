// Values that only the run will know: the plan names them, and prices them with the most that the
// tool accepts.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { World } from '../../tables/plan-world.ts';

/** A world in which no step is done yet. */
const worldOf = (...steps: readonly string[]): LateWorld =>
  new LateWorld(`pipeline: p\nsteps:\n${steps.map((step) => `  ${step}\n`).join('')}`);

class LateWorld extends World {
  /** Records that a paid step is done, with this result. */
  finish(task: string, result: JsonObject): void {
    const { fingerprint: job = '', step } = this.planned(task);
    const kind = step.kind.name;
    this.happen(
      { event: 'intent', job, task, kind, attempt: 1, name: task, reserve: 1 },
      { event: 'created', job, project: 'p-1', credits: 1 },
      { event: 'settled', job, status: 'complete', credits: 1, result },
    );
  }
}

const clip =
  'clip: { uses: text-to-video, with: { model: ltx-2.3, resolution: 480p, end_seconds: 4, style: { prompt: x } } }';
const talk = (fields: string, more = ''): string =>
  `talk: { uses: image-to-video, keep: remote${more}, with: { ${fields}, model: ltx-2.3, resolution: 480p, assets: { image_file_path: "https://x.example/a.png" } } }`;

describe('a value from a step that has yet to run', () => {
  const late = 'end_seconds: "${{ steps.clip.duration }}"';

  test('is named, and priced with the longest clip of the model', () => {
    const planned = worldOf(clip, talk(late)).planned('talk');
    expect(planned).toMatchObject({
      action: 'maybe',
      late: [{ field: 'end_seconds', from: 'clip', pricedAs: 30 }],
      estimate: { known: true, credits: 30 * 24 },
    });
  });

  test.each([
    ['math.least(steps.clip.duration, 8.5)', 8.5, 9],
    ['math.least(8, steps.clip.duration, 6.5)', 6.5, 7],
    // The tool allows less.
    ['math.least(steps.clip.duration, 1000)', 30, 30],
    // No limit for the whole value, and a value that the run refuses.
    ['math.least(steps.clip.duration, 8.0) + 4.0', 30, 30],
    ['math.least(steps.clip.duration, 0)', 30, 30],
    ['math.greatest(steps.clip.duration, 8)', 30, 30],
  ])('that is limited by %s is priced with %d', (expression, pricedAs, seconds) => {
    const world = worldOf(clip, talk(`end_seconds: "\${{ ${expression} }}"`));
    expect(world.planned('talk')).toMatchObject({
      late: [{ field: 'end_seconds', from: 'clip', pricedAs }],
      estimate: { known: true, credits: seconds * 24 },
    });
  });

  test('is priced with the earliest start, whatever limits the start', () => {
    const planned = worldOf(
      clip,
      'sound: { uses: ai-talking-photo, keep: remote, with: { start_seconds: "${{ math.least(steps.clip.duration, 2) }}", end_seconds: 5, style: { generation_mode: prompted }, assets: { image_file_path: "https://x.example/a.png", audio_file_path: "https://x.example/a.mp3" } } }',
    ).planned('sound');
    // A clip is longest if it starts at 0: the limit of its start does not make it shorter.
    expect(planned).toMatchObject({
      late: [{ field: 'start_seconds', pricedAs: 0 }],
      estimate: { known: true, credits: 100 },
    });
  });

  test('leaves the price to estimate:, where there is one', () => {
    const planned = worldOf(clip, talk(late, ', estimate: 200')).planned('talk');
    expect(planned).toMatchObject({
      late: [{ field: 'end_seconds', from: 'clip' }],
      estimate: { known: true, credits: 200 },
    });
    expect(planned.late?.[0]).not.toHaveProperty('pricedAs');
  });

  test('has no price where nothing limits it, and the reason names the value', () => {
    const text = talk(late).replace('model: ltx-2.3, ', 'model: minimax-h3, ');
    expect(worldOf(clip, text).planned('talk').estimate).toEqual({
      known: false,
      why: 'end_seconds is known only at run time (from clip), and no limit is published for it',
    });
  });

  test('that decides the price without a number leaves it unknown', () => {
    const text = talk('end_seconds: 5').replace(
      'resolution: 480p',
      "resolution: \"${{ steps.clip.width > 500 ? '720p' : '480p' }}\"",
    );
    expect(worldOf(clip, text).planned('talk')).toMatchObject({
      late: [{ field: 'resolution', from: 'clip' }],
      estimate: {
        known: false,
        why: 'resolution is known only at run time (from clip), and the price depends on it',
      },
    });
  });

  test('of another field does not change the price', () => {
    const planned = worldOf(
      clip,
      talk('end_seconds: 5, style: { prompt: "${{ steps.clip.width }}" }').replace(
        '${{ steps.clip.width }}',
        'w ${{ steps.clip.width }}',
      ),
    ).planned('talk');
    expect(planned).toMatchObject({
      late: [{ field: 'style.prompt', from: 'clip' }],
      estimate: { credits: 5 * 24 },
    });
  });

  test('in if: is named as well', () => {
    const planned = worldOf(clip, talk('end_seconds: 5', ', if: steps.clip.width > 500')).planned(
      'talk',
    );
    expect(planned.late).toEqual([{ field: 'if', from: 'clip' }]);
  });

  test.each(['has(steps.clip.duration)', 'default(steps.clip.duration, 3.0) > 2.0'])(
    'is unknown also where the expression asks whether it exists: %s',
    (condition) => {
      const planned = worldOf(clip, talk('end_seconds: 5', `, if: "${condition}"`)).planned('talk');
      expect(planned).toMatchObject({ action: 'maybe', late: [{ field: 'if', from: 'clip' }] });
    },
  );
});

describe('a value from a step that is done', () => {
  test('is known: the length of the clip', () => {
    const world = worldOf(clip, talk('end_seconds: "${{ steps.clip.duration }}"'));
    world.finish('clip', { start_seconds: 1, end_seconds: 4.5, downloads: 1 });
    const planned = world.planned('talk');
    expect(planned).toMatchObject({ action: 'begin', estimate: { credits: 4 * 24 } });
    expect(planned.late).toBeUndefined();
  });

  test('that its record lacks has a default', () => {
    const world = worldOf(clip, talk('end_seconds: "${{ default(steps.clip.duration, 2.0) }}"'));
    world.finish('clip', { downloads: 1 });
    expect(world.planned('talk')).toMatchObject({ action: 'begin', estimate: { credits: 2 * 24 } });
  });
});
