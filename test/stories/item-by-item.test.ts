// Under a cap, items are bought one by one: each begins only if all that it still needs fits. Killed runs and random caps are
// in plan-equals-run.test.ts.
import { describe, expect, test } from 'vitest';
import { type Told, World } from '../kit/world.ts';

/** 10 credits. */
const voice = (name: string, more = ''): string =>
  `{ uses: ai-voice-generator, ${more}with: { style: { prompt: "\${{ item.value }}", voice_name: ${name} } } }`;

/** 30 credits an item, in three steps; the second and the third need the one before. */
const threeSteps = `  one: ${voice('Elon')}
  save: { uses: download, with: { of: one, to: "\${{ item.key }}.mp3" } }
  two: ${voice('Joe Rogan', 'needs: [one], ')}
  save2: { uses: download, with: { of: two, to: "\${{ item.key }}-2.mp3" } }
  three: ${voice('Morgan Freeman', 'needs: [two], ')}
  save3: { uses: download, with: { of: three, to: "\${{ item.key }}-3.mp3" } }
`;

/** Values of a hundred letters: 10 credits a step. */
const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `w${index}`.padEnd(100, 'o')).join(', ');

const budgeted = (more: string, items = words(6), steps = threeSteps): World =>
  new World(`pipeline: spending
items: { values: [${items}] }
output: out
${more}
steps:
${steps}`);

const spentAndFinished = ({ summary }: Told): readonly (number | undefined)[] => [
  (summary?.credits.charged ?? 0) - (summary?.credits.refunded ?? 0),
  summary?.items.done,
];

describe('a budget that is enough for some items', () => {
  test('finishes those, and begins no other', async () => {
    const world = budgeted('budget: { credits: 37 }');
    const first = await world.run();
    expect([first.outcome, ...spentAndFinished(first)]).toEqual(['budget', 30, 1]);
    expect(spentAndFinished(await world.run())).toEqual([30, 2]);
  });

  test('of a day, of an account, or of an item holds in the same way', async () => {
    expect(spentAndFinished(await budgeted('budget: { per_day: 65 }').run())).toEqual([60, 2]);
    expect(spentAndFinished(await budgeted('budget: { per_item: 29 }').run())).toEqual([0, 0]);
    const poor = budgeted('');
    poor.service.account = { id: 'me', credits: 50, tier: 'business' };
    const told = await poor.run();
    expect(spentAndFinished(told)).toEqual([30, 1]);
    expect(told.summary).toMatchObject({ outcome: 'budget', stoppedBy: 'credits' });
  });

  test('of an item counts what earlier runs have spent on it', async () => {
    const steps = threeSteps.replace(/^ {2}save.*\n/gm, '');
    const world = budgeted('budget: { per_item: 25 }', words(1), steps);
    expect(spentAndFinished(await world.run({ only: ['one'] }))).toEqual([10, 1]);
    expect((await world.plan()).enough).toMatchObject({ items: 0, tooDearCount: 1 });
    expect(spentAndFinished(await world.run())).toEqual([0, 0]);
  });

  test('buys for all items where it is enough for all', async () => {
    const told = await budgeted('budget: { credits: 180 }').run();
    expect([told.outcome, ...spentAndFinished(told)]).toEqual(['done', 180, 6]);
  });

  test('gives what a failed item gives back to the next one', async () => {
    const world = budgeted('budget: { credits: 30 }');
    world.service.fate = ({ number }) => (number === 1 ? { error: 'no_source_face' } : undefined);
    const { summary } = await world.run();
    expect(summary).toMatchObject({ items: { done: 1 }, credits: { charged: 40, refunded: 10 } });
  });

  test('skips an item that alone needs more than any run may spend', async () => {
    const world = budgeted('budget: { credits: 65 }', `${'l'.repeat(300)}, ${words(3)}`);
    expect(spentAndFinished(await world.run())).toEqual([60, 2]);
  });

  test('sets aside what the shared steps need before the first item', async () => {
    const shared = `  voice: { uses: ai-voice-generator, with: { style: { prompt: "${'s'.repeat(100)}", voice_name: Elon } } }\n`;
    const steps = shared + threeSteps.replace('needs: [one]', 'needs: [one, voice]');
    expect(
      spentAndFinished(await budgeted('budget: { credits: 65 }', words(5), steps).run()),
    ).toEqual([40, 1]);
  });

  test('keeps what an item has set aside for a step that comes after a delete', async () => {
    const steps = `  one: ${voice('Elon')}
  save: { uses: download, with: { of: one, to: "\${{ item.key }}.mp3" } }
  tidy: { uses: delete, with: { of: one } }
  two: ${voice('Joe Rogan', 'needs: [tidy], ')}
`;
    const world = budgeted('budget: { credits: 30 }', words(2), steps);
    expect(spentAndFinished(await world.run())).toEqual([20, 1]);
  });

  test('counts the elements that a fan-out will have', async () => {
    // 60 credits an item: a picture in two variants, and each of them enlarged.
    const world = new World(`pipeline: variants
items: { values: [a, b, c] }
output: out
budget: { credits: 130 }
steps:
  img: { uses: ai-image-generator, with: { image_count: 2, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.value }}" } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }
  save: { uses: download, with: { of: up, to: "\${{ item.key }}-\${{ each.index }}.png" } }
`);
    expect(spentAndFinished(await world.run())).toEqual([120, 2]);
    expect(spentAndFinished(await world.run())).toEqual([60, 3]);
  });

  test('counts as many elements of a list that only the run knows as it may have', async () => {
    // 25 credits a face.
    const world = new World(
      `pipeline: heads
items: { values: [{ key: a }, { key: b }] }
output: out
budget: { credits: 100 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  find: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  head: { for_each: "\${{ steps.find.faces.take(3) }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.path }}" } } }
`,
      { 'a.png': 'a faces=3', 'b.png': 'b faces=3' },
    );
    expect(spentAndFinished(await world.run())).toEqual([75, 1]);
  });

  test('of an item counts the elements of a list that only the run knows', async () => {
    const world = new World(
      `pipeline: heads
items: { values: [{ key: a }] }
budget: { per_item: 60 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  find: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  head: { for_each: "\${{ steps.find.faces }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.path }}" } } }
`,
      { 'a.png': 'a faces=3' },
    );
    expect(await world.run()).toMatchObject({ outcome: 'budget', charged: 50 });
    expect(await world.run()).toMatchObject({ outcome: 'budget', charged: 0 });
  });
});

test('a step that gathers all items is blocked if a budget admits only some, and done once it admits the rest', async () => {
  const gather = `  sheet: { uses: ai-voice-generator, with: { style: { prompt: "\${{ size(steps.one.all) }} words", voice_name: Elon } } }\n`;
  const world = budgeted('limits: { items: 1 }', words(2), `${threeSteps}${gather}`);
  const first = await world.run({ budget: 30 });
  expect(spentAndFinished(first)).toEqual([30, 1]);
  expect(first.summary).toMatchObject({ outcome: 'budget', tasks: { blocked: 1 } });
  expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
});
