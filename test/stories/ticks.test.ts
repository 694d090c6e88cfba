// A tick: a pipeline advances in short steps that nobody waits for, pays once, and asks the service only when an answer is
// useful. Exit codes: test/transcripts/triggers.txt; a week of ticks at random: npm run torture -- --of tick.
import { describe, expect, test } from 'vitest';
import { type Cut, type Told, World } from '../kit/world.ts';

const minute = 60_000;

const clips = (count: number, more = ''): string => `pipeline: clips
${more}items: { values: [${Array.from({ length: count }, (_, n) => `clip${n}`).join(', ')}] }
output: out
steps:
  clip: { uses: text-to-video, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: "\${{ item.value }}" } } }
  save: { uses: download, with: { of: clip, to: "\${{ item.key }}.mp4" } }
  tidy: { uses: delete, with: { of: clip } }
`;

/** A picture, and a clip that is made of it. */
const chain = `pipeline: chain
output: out
steps:
  head: { uses: ai-image-generator, with: { image_count: 1, model: z-image-turbo, resolution: 640px, style: { prompt: a head } } }
  clip:
    uses: image-to-video
    with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, assets: { image_file_path: "\${{ steps.head.url }}" } }
  save: { uses: download, with: { of: clip, to: clip.mp4 } }
`;

/** Three pictures an item, each enlarged, and a sheet of them. */
const sheets = `pipeline: sheets
items: { values: [a, b] }
output: out
steps:
  img: { uses: ai-image-generator, with: { image_count: 3, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.value }}" } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }
  saveup: { uses: download, with: { of: up, to: "\${{ item.key }}-\${{ each.index }}.png" } }
  sheet: { uses: ai-image-editor, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.up.all.map(u, u.url) }}" }, style: { prompt: a contact sheet } } }
  save: { uses: download, with: { of: sheet, to: "\${{ item.key }}.png" } }
`;

function ticking(pipeline: string): World {
  const world = new World(pipeline);
  // The published median of text-to-video is 51 s.
  world.service.renderMs = () => 51_000;
  return world;
}

/** Ticks until a tick is not waiting any more. The most projects that rendered at once after any tick, too. */
async function ticks(world: World, everyMs = minute): Promise<readonly [Told, number, number]> {
  let most = 0;
  for (let count = 1; count < 60; count++) {
    const told = await world.tick();
    const rendering = [...world.service.projects.values()].filter(({ isOver }) => !isOver);
    most = Math.max(most, rendering.length);
    if (told.outcome !== 'waiting') return [told, count, most];
    world.clock.pass(everyMs);
    // The service learns of the time.
    void world.bill;
  }
  throw new Error('it waits still');
}

describe('a tick', () => {
  test('buys and leaves; the next ones look when that is useful, save, and are done', async () => {
    const world = ticking(clips(2));
    const first = await world.tick();
    expect(first.summary).toMatchObject({ outcome: 'waiting', tasks: { rendering: 2, later: 4 } });
    expect(first.charged).toBeGreaterThan(0);
    const asked = world.requests.length;
    expect(world.requests.some((request) => request.startsWith('look'))).toBe(false);
    const wakeAt = Date.parse(first.summary?.wakeAt ?? '') - world.clock.now;
    expect(wakeAt).toBeGreaterThan(5000);
    expect(wakeAt).toBeLessThan(51_000);
    world.clock.pass(5000);
    expect((await world.tick()).outcome).toBe('waiting');
    expect(world.requests).toHaveLength(asked);

    world.clock.pass(minute);
    const [last] = await ticks(world);
    expect(last.summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
    expect(last.summary?.wakeAt).toBeUndefined();
    expect(world.outputs).toEqual(['1.mp4', '2.mp4']);
    expect(world.service.projects.size).toBe(2);
    // One open run from the first tick to the last.
    expect(world.state.match(/^{"run":/gm)).toHaveLength(1);
  });

  test('advances a chain: the second step begins in a later tick', async () => {
    const world = ticking(chain);
    const [last, count] = await ticks(world);
    expect(last.outcome).toBe('done');
    expect(count).toBeGreaterThan(2);
    expect(world.outputs).toHaveLength(1);
    expect(world.service.projects.size).toBe(2);
  });

  test.each([
    ['the plan of the account', clips(5), 'creator', 3],
    ['limits.steps', clips(5, 'limits: { steps: { text-to-video: 2 } }\n'), 'business', 2],
    ['limits.items', clips(5, 'limits: { items: 4 }\n'), 'business', 4],
  ])('keeps within %s, over many ticks', async (_what, pipeline, tier, most) => {
    const world = ticking(pipeline);
    world.service.account = { id: 'me', credits: 10_000, tier };
    const [last, , atOnce] = await ticks(world);
    expect([last.outcome, atOnce]).toEqual(['done', most]);
    expect(world.service.projects.size).toBe(5);
  });

  test('of two steps in a row, with more tasks than the account has places, buys what it may and leaves the rest', async () => {
    const world = ticking(sheets);
    world.service.account = { id: 'me', credits: 10_000, tier: 'creator' };
    world.service.renderMs = () => 20_000;
    const [last, , atOnce] = await ticks(world, 10_000);
    expect([last.outcome, atOnce]).toEqual(['done', 3]);
    expect(world.service.projects.size).toBe(10);
  });

  test('does not repeat what failed for good: a run does', async () => {
    const world = ticking(clips(1));
    world.service.fate = () => ({ error: 'invalid_parameters' });
    const [last] = await ticks(world);
    expect(last.summary).toMatchObject({ outcome: 'failed', tasks: { failed: 1 } });
    const [asked, state] = [world.requests.length, world.state];
    expect((await world.tick()).summary).toMatchObject({ outcome: 'failed', tasks: { failed: 1 } });
    expect([world.requests.length, world.state]).toEqual([asked, state]);
    expect(world.service.projects.size).toBe(1);
  });

  test('makes again what failed for a passing cause, as often as the step allows', async () => {
    const world = ticking(
      clips(1).replace('with: { model', 'retry: { attempts: 2 }, with: { model'),
    );
    world.service.fate = () => ({ error: 'processing_timeout' });
    for (let times = 0; times < 6; times++) {
      await world.tick();
      world.clock.pass(minute);
    }
    expect(world.service.projects.size).toBe(2);
  });

  test('that reached the budget stays there: no later tick begins a new budget', async () => {
    const world = ticking(clips(3, 'budget: { credits: 100 }\n'));
    await ticks(world);
    for (let times = 0; times < 3; times++) {
      world.clock.pass(minute);
      expect((await world.tick()).outcome).toBe('budget');
    }
    expect(world.service.projects.size).toBe(1);
  });

  test('of another checkout continues, with the state file and the pipeline alone', async () => {
    const world = ticking(clips(2));
    await world.tick();
    world.clock.pass(5 * minute);
    const other = world.checkout('other', clips(2));
    other.state = world.state;
    expect((await other.tick()).summary).toMatchObject({ outcome: 'done', tasks: { done: 6 } });
    expect(world.service.projects.size).toBe(2);
  });
});

/** Ticks until everything is done; the first tick with so many lines or more dies at that line. */
async function endured({
  line,
  when,
}: {
  readonly line: number;
  readonly when: 'before' | 'after';
}) {
  const world = ticking(clips(2));
  let [left, isKilled, outcome] = [line, false, ''];
  for (let count = 0; count < 20 && outcome !== 'done' && outcome !== 'doubt'; count++) {
    const before = world.written.length;
    const cut: Cut | undefined = isKilled ? undefined : { line: left, when };
    ({ outcome } = await world.tick({ cut }));
    isKilled ||= outcome === 'killed';
    left -= world.written.length - before;
    world.clock.pass(minute);
  }
  return { world, outcome, isKilled };
}

test.each([
  ['before', 1],
  ['after', 3],
] as const)(
  'the power is cut %s a line of a tick: nothing is paid twice or lost',
  async (when, from) => {
    for (let line = from; line <= 15; line += 3) {
      const where = `line ${line}`;
      const { world, outcome, isKilled } = await endured({ line, when });
      // After the last line of a tick, there was nothing more to cut.
      if (when === 'before') expect(isKilled, where).toBe(true);
      for (const made of world.service.paid.values()) expect(made, where).toHaveLength(1);
      if (outcome === 'done') expect(world.outputs, where).toHaveLength(2);
      else expect(outcome, where).toBe('doubt');
      world[Symbol.dispose]();
    }
  },
);
