// What the plan says of downloads and deletes of projects that this run makes first, and of inputs that it writes first.
import { describe, expect, test } from 'vitest';
import { a, b, hash, swapping, swapWorld, type World } from '../../tables/plan-world.ts';

const finding = swapping.replace(
  '  swap: { uses: face-swap-photo,',
  '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }\n  swap: { uses: face-swap-photo, if: size(steps.faces.faces) > 0,',
);
const tidy = '  tidy: { uses: delete, with: { of: swap } }\n';
const tidying = swapping + tidy;

/** Everything was done for `a`, and the outputs and the state are those of then; the pipeline is another one now. */
function later(text: string, before = swapping): World {
  const first = swapWorld(before);
  first.doAll(a);
  const next = swapWorld(text);
  for (const [path, content] of first.disk.outputs) next.disk.outputs.set(path, content);
  for (const line of first.ledger.record.jobs()) next.ledger.know(line);
  return next;
}

describe('a download of a project that comes later', () => {
  test('begins, with its place and its project as far as they are known', () => {
    const world = swapWorld();
    expect(world.planned('save:a', a)).toMatchObject({
      ...{ action: 'begin', why: 'after swap', to: 'a-out.png' },
      fingerprint: world.planned('swap:a', a).fingerprint,
    });
    expect(swapWorld(finding).planned('save:a', a).fingerprint).toBeUndefined();
  });

  test('may be needed where its project may be made', () => {
    expect(swapWorld(finding).planned('save:a', a)).toMatchObject({
      ...{ action: 'maybe', why: 'after swap', to: 'a-out.png' },
    });
  });

  test('is skipped where its if: is false, and may be needed where that is not known yet', () => {
    const when = (condition: string) =>
      swapWorld(swapping.replace('uses: download,', `uses: download, if: ${condition},`)).planned(
        ...(['save:a', a] as const),
      );
    expect(when("'false'")).toMatchObject({ action: 'skipped', why: 'its if: is false' });
    expect(when("'true'")).toMatchObject({ action: 'begin' });
    expect(when('steps.swap.credits_charged > 3')).toMatchObject({ action: 'maybe' });
  });

  test('to a place that is not known yet has none', () => {
    const text = swapping.replace('${{ item.key }}-out', '${{ steps.swap.credits_charged }}');
    const planned = swapWorld(text).planned('save:a', a);
    expect(planned).toMatchObject({ action: 'begin' });
    expect(planned.to).toBeUndefined();
  });
});

describe('a delete of a project that comes later', () => {
  test('begins once what is saved first is saved', () => {
    const world = swapWorld(tidying);
    expect(world.planned('tidy:a', a)).toMatchObject({
      ...{ action: 'begin', why: 'after swap' },
      fingerprint: world.planned('swap:a', a).fingerprint,
    });
  });

  test('may be needed where its project, or a download of it, may be', () => {
    expect(swapWorld(finding + tidy).planned('tidy:a', a)).toMatchObject({ action: 'maybe' });
    const text = tidying.replace(
      'uses: download,',
      'uses: download, if: steps.swap.credits_charged > 3,',
    );
    expect(swapWorld(text).planned('tidy:a', a)).toMatchObject({ action: 'maybe' });
  });

  test('is done without a word where the result is thrown away on purpose', () => {
    const text = `${swapping}  tidy: { uses: delete, with: { of: swap, discard: true } }\n`;
    expect(swapWorld(text).planned('tidy:a', a)).toMatchObject({ action: 'begin' });
  });

  test('is not done where a download beside it is skipped', () => {
    const text = tidying.replace('uses: download,', "uses: download, if: 'false',");
    expect(swapWorld(text).planned('tidy:a', a)).toMatchObject({
      ...{ action: 'keep', why: 'kept: save:a does not download it' },
    });
  });

  test('is not done where one of two downloads is skipped', () => {
    const text =
      swapping +
      "  more: { uses: download, if: 'false', with: { of: swap, to: more.png } }\n" +
      tidy;
    expect(swapWorld(text).planned('tidy:a', a)).toMatchObject({
      ...{ action: 'keep', why: 'kept: more:a does not download it' },
    });
  });

  test('was done before where its project is deleted', () => {
    const world = later(
      `${tidying}  late: { uses: upload, with: { file: a.png } }\n`.replace(
        'tidy: { uses: delete,',
        'tidy: { uses: delete, needs: [late],',
      ),
      tidying,
    );
    // Its upload is done again under another name, so it waits for something; the project is gone all the same.
    expect(world.planned('tidy:a', a)).toMatchObject({ action: 'reuse', why: 'deleted before' });
  });

  test('of a project that is there begins where its files are safe, whatever else comes later', () => {
    const more = `${swapping}  late: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }\n${tidy.replace('uses: delete,', 'uses: delete, needs: [late],')}`;
    const world = later(more);
    expect(world.planned('swap:a', a).action).toBe('reuse');
    expect(world.planned('tidy:a', a)).toMatchObject({ action: 'begin', why: 'after late' });
    world.disk.outputs.set('out/a-out.png', 'retouched');
    expect(world.planned('tidy:a', a)).toMatchObject({
      ...{ action: 'keep', why: 'kept: out/a-out.png is changed on disk' },
    });
    world.disk.keptFiles.set(`${hash('save:a')}.png`, 'save:a');
    expect(world.planned('tidy:a', a).action).toBe('begin');
  });
});

describe('the delete of a shared project', () => {
  const shared = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.actor.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
  tidy: { uses: delete, with: { of: swap } }
`;

  test('begins where the items will have saved it', () => {
    const world = swapWorld(shared);
    expect(world.planned('tidy', a, b)).toMatchObject({ action: 'begin' });
  });

  test('is not done where no item saves it', () => {
    const world = swapWorld(shared.replace('uses: download,', "uses: download, if: 'false',"));
    expect(world.planned('tidy', a, b)).toMatchObject({
      ...{ action: 'keep', why: 'kept: no step downloads it' },
    });
  });
});

/** What is wrong with an item's tasks, seen step by step, before the rest of the item is held back. */
function problems(world: World): readonly string[] {
  return world.dryItems(a).flatMap(({ badTasks }) => badTasks.map(({ why }) => why));
}

describe('an upload of what this run writes first', () => {
  const writing = (file: string, after = '') =>
    `${swapping}  again: { uses: upload, needs: [save${after}], with: { file: ${file} } }\n`;

  test('depends on the download that writes it', () => {
    expect(swapWorld(writing('out/a-out.png')).planned('again:a', a)).toMatchObject({
      ...{ action: 'maybe', why: 'depends on save' },
    });
  });

  test('of another folder is a file that is missing', () => {
    expect(swapWorld(writing('in/a-out.png')).planned('again:a', a)).toMatchObject({
      ...{ action: 'blocked', why: 'waits for save' },
    });
    expect(problems(swapWorld(writing('in/a-out.png')))).toEqual(['in/a-out.png does not exist']);
  });

  test('that no download comes before is a file that is missing', () => {
    const text = `${swapping}  again: { uses: upload, needs: [swap], with: { file: out/a-out.png } }\n`;
    expect(problems(swapWorld(text))).toEqual(['out/a-out.png does not exist']);
  });

  test('that was downloaded before and is gone is a file that is missing', () => {
    const world = later(writing('out/gone.png'));
    expect(world.planned('save:a', a).action).toBe('reuse');
    expect(world.planned('again:a', a)).toMatchObject({ action: 'problem' });
  });
});

describe('an expression', () => {
  test('that reads what comes later depends on that step', () => {
    const text = swapping.replace(
      'uses: download,',
      'uses: download, if: steps.swap.credits_charged > 3,',
    );
    const asked = `${text}  more: { uses: face-swap-photo, if: steps.swap.credits_charged > 3 && item.key != "", with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.photo.file_path }}" } } }\n`;
    expect(swapWorld(asked).planned('more:a', a)).toMatchObject({
      ...{ action: 'maybe', why: 'depends on swap' },
    });
  });

  test('that fails by itself is the task’s own problem', () => {
    const asked = `${swapping}  more: { uses: face-swap-photo, if: int(item.key) > 3, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.photo.file_path }}" } } }\n`;
    expect(swapWorld(asked).planned('more:a', a)).toMatchObject({
      ...{ action: 'problem', why: expect.stringContaining('int(item.key) > 3') },
    });
  });
});
