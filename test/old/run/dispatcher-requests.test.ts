// What the dispatcher asks of the service about a project that is there, and about requests with the outputs of others.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { NewEvent } from '../../../src/model/line.ts';
import type { DispatcherOptions } from '../../../src/run/dispatcher.ts';
import { redoSuppliers } from '../../../src/run/refresh-inputs.ts';
import { digestOfText } from '../../fakes/memory-disk.ts';
import { history, Scene, upload } from './dispatching.ts';
import { fingerprint } from './parts.ts';

/** A scene whose paid step is complete, and an item at its download. */
function paid(
  live: JsonObject | undefined,
  more: readonly NewEvent[] = [],
  change: Partial<DispatcherOptions> = {},
) {
  const job = new Scene().paidFor(new Scene().supplied());
  const scene = new Scene({ before: [...history(job, 'created', 'complete'), ...more] }, change);
  const item = scene.supplied();
  item.setOutputs(scene.step('swap'), job, scene.ledger.job(job), live);
  item.end('swap', 'done');
  return { scene, item, job };
}

describe('a download', () => {
  const start = Date.parse('2026-08-05T10:00:00Z');
  const address = (ms: number) => ({
    ...{ url: 'memory:1', expires_at: new Date(start + ms).toISOString() },
  });
  const order = (live: JsonObject | undefined) => {
    const { scene, item, job } = paid(live);
    const action = scene.next(item, 'save');
    expect(action).toMatchObject({
      ...{ action: 'start', fingerprint: undefined },
      order: {
        ...{ operation: 'download', task: 'save:a', fingerprint: job, project: 'p' },
        ...{ tool: 'photo-colorizer', to: 'a.png' },
      },
    });
    return action.action === 'start' ? action.order : undefined;
  };

  test('takes addresses that this run has just read', () => {
    expect(order({ downloads: [address(60_001)] })).toMatchObject({
      downloads: [address(60_001)],
    });
  });

  test.each<readonly [string, JsonObject | undefined]>([
    ['that nobody has read', undefined],
    ['that were not listed', {}],
    ['that are no list', { downloads: 'x' }],
    ['that end within a minute', { downloads: [address(60_000)] }],
    ['that are fewer than there are', { downloads: [] }],
    ['that are more than there are', { downloads: [address(90_000), address(90_000)] }],
    ['that lack where', { downloads: [{ expires_at: address(90_000).expires_at }] }],
    ['that lack until when', { downloads: [{ url: 'memory:1' }] }],
    ['that are nothing', { downloads: [null] }],
  ])('reads addresses %s', (_, live) => {
    expect(order(live)).not.toHaveProperty('downloads');
  });

  test('is begun for each task: it is not shared, although the project is', () => {
    const { scene, item, job } = paid(undefined);
    const other = { key: 'j1', task: 'x', kind: 'photo-colorizer', attempts: 1, timeoutMs: 1 };
    scene.fly({ itemRun: scene.item('b'), step: scene.step('swap') }, job, {
      ...{ ...other, operation: 'attach', fingerprint: job, project: 'p', settled: true },
      since: 0,
      credits: 10,
    });
    expect(scene.next(item, 'save')).toMatchObject({ action: 'start' });
    // And what is done is reused, although another task reads it again just now.
    expect(scene.next(scene.supplied('b'), 'swap')).toMatchObject({ action: 'reuse' });
  });

  test('is a copy where the file is on disk already', () => {
    const sha256 = digestOfText('result');
    const output = { task: 'save:x', index: 0, path: 'out/x.png', bytes: 6, sha256 };
    const job = new Scene().paidFor(new Scene().supplied());
    const { scene, item } = paid(undefined, [{ event: 'output', job, ...output }]);
    scene.disk.files.set('out/x.png', 'result');
    expect(scene.next(item, 'save')).toMatchObject({
      ...{ action: 'start', fingerprint: undefined },
      order: {
        ...{ operation: 'copy', to: 'a.png', fingerprint: job },
        sources: [{ from: { in: 'output', path: 'out/x.png' } }],
      },
    });
  });

  const deleted = (change: Partial<DispatcherOptions> = {}) => {
    const job = new Scene().paidFor(new Scene().supplied());
    return paid(undefined, [{ event: 'deleted', job, task: 'tidy:a' }], change);
  };

  test('of a deleted project fails, and says what would pay for it again', () => {
    const { scene, item } = deleted();
    expect(scene.next(item, 'save')).toMatchObject({
      ...{ action: 'end', ending: 'failed', why: expect.stringContaining('--pay-again') },
    });
  });

  test('of a deleted project has it made again where that is allowed', () => {
    const { scene, item } = deleted({ payAgain: true });
    const action = scene.next(item, 'save');
    expect(action).toEqual({
      ...{ action: 'refresh', list: [{ how: 'redo', owner: item, step: scene.step('swap') }] },
    });
    item.redo('swap');
    expect(scene.next(item, 'swap')).toMatchObject({
      ...{ action: 'start', order: { operation: 'create', attempt: 2 } },
    });
  });
});

describe('a request', () => {
  test('is not tried where its content failed in this run', () => {
    const item = new Scene().supplied();
    const failed = new Map([[new Scene().paidFor(item), 'no face']]);
    const scene = new Scene({}, { failed });
    expect(scene.next(scene.supplied(), 'swap')).toMatchObject({
      ending: 'failed',
      why: 'no face',
    });
  });

  const pipeline = (steps: string): string => `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
${steps}`;
  const ask = (steps: string, name: string, live: JsonObject = { file_path: 'f' }) => {
    const scene = new Scene({ pipeline: pipeline(steps) });
    const item = scene.supplied();
    item.setLive('photo', live);
    return { scene, item, action: scene.next(item, name) };
  };

  test('for a face detection is free', () => {
    const { action } = ask(
      '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }\n',
      'faces',
    );
    expect(action).toMatchObject({
      action: 'start',
      order: {
        ...{ operation: 'detect', task: 'faces:a', timeoutMs: 600_000, attempts: 5 },
        body: { target_file_path: 'f' },
      },
    });
  });

  test.each([
    ['its own name', ', name: "My photo"', /^My photo #[0-9a-z]{10}$/],
    ['the name of its task', '', /^p swap:a #[0-9a-z]{10}$/],
    ['the name of its task instead of an empty one', ', name: ""', /^p swap:a #[0-9a-z]{10}$/],
  ])('is sent under %s', (_, name, expected) => {
    const { action } = ask(
      `  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" }${name} } }\n`,
      'swap',
    );
    expect(action).toMatchObject({ order: { name: expect.stringMatching(expected) } });
  });

  test('has a name by chance: no two attempts share one', () => {
    const { scene, item } = ask(
      '  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }\n',
      'swap',
    );
    const chances = [0, 0.99];
    scene.clock.chance = () => chances.shift() ?? 0.5;
    expect(scene.next(item, 'swap')).toMatchObject({
      order: { name: expect.stringMatching(/ #0zgggggggg$/) },
    });
  });

  test('that is not valid with what the others gave fails before anything is paid', () => {
    const steps =
      '  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }\n';
    expect(ask(steps, 'swap', { file_path: 5 }).action).toMatchObject({
      ...{ action: 'end', ending: 'failed', why: expect.stringContaining('image_file_path') },
    });
    expect(ask(steps, 'swap', {}).action).toMatchObject({
      ...{ action: 'end', ending: 'failed', why: expect.stringContaining('steps.photo.file_path') },
    });
  });
});

describe('the inputs of a request', () => {
  const chain = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
  more: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.swap.url }}", source_file_path: "\${{ steps.faces.faces[0].path }}" } } }
  both: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.faces.faces[0].path }}" } } }
  again: { uses: upload, with: { file: "\${{ steps.save.path }}" } }
  last: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.again.file_path }}" } } }
`;
  const found = fingerprint('faces');
  const faces: NewEvent = {
    ...{ event: 'supplied', job: found, task: 'faces:a', kind: 'face-detect' },
    result: { id: 'f7', faces: [{ path: 'x' }] },
  };

  /** An item at its last step; what it uses was done by an earlier run. */
  function atLast(events: readonly NewEvent[], change: Partial<DispatcherOptions> = {}) {
    const first = new Scene({ pipeline: chain });
    const job = first.paidFor(first.supplied());
    const scene = new Scene(
      { pipeline: chain, before: [...history(job, 'created', 'complete'), faces, ...events] },
      change,
    );
    const item = scene.supplied();
    for (const [name, of] of [
      ['faces', found],
      ['swap', job],
    ] as const) {
      item.setOutputs(scene.step(name), of, scene.ledger.job(of), undefined);
      item.end(name, 'done');
    }
    return { scene, item, job };
  }
  const job = (() => {
    const first = new Scene({ pipeline: chain });
    return first.paidFor(first.supplied());
  })();
  const gone: NewEvent = { event: 'deleted', job, task: 'tidy:a' };

  test('that were made by an earlier run are read again for their addresses', () => {
    const { scene, item } = atLast([]);
    const owner = item;
    expect(scene.next(item, 'more')).toMatchObject({
      action: 'refresh',
      list: [
        {
          ...{ how: 'order', owner, step: { name: 'swap' }, fingerprint: job },
          order: { operation: 'attach', project: 'p', settled: true, task: 'swap:a' },
        },
        {
          ...{ how: 'order', owner, step: { name: 'faces' }, fingerprint: found },
          order: { operation: 'detect', detection: 'f7', task: 'faces:a' },
        },
      ],
    });
  });

  test('that are fresh are left alone', () => {
    const { scene, item } = atLast([]);
    item.setLive('swap', { url: 'memory:1' });
    item.setLive('faces', { id: 'f7', faces: [{ path: 'x' }] });
    expect(scene.next(item, 'more')).toMatchObject({
      action: 'start',
      order: { body: { assets: { target_file_path: 'memory:1', source_file_path: 'x' } } },
    });
  });

  test('of a deleted project are uploaded from its saved files', () => {
    const sha256 = digestOfText('result');
    const saved = { task: 'save:a', index: 0, path: 'out/a.png', bytes: 6, sha256 };
    const { scene, item } = atLast([{ event: 'output', job, ...saved }, gone]);
    item.setLive('faces', { id: 'f7', faces: [{ path: 'x' }] });
    scene.disk.files.set('out/a.png', 'result');
    expect(scene.next(item, 'more')).toMatchObject({
      action: 'refresh',
      list: [
        {
          ...{ how: 'order', step: { name: 'swap' }, fingerprint: job },
          order: { operation: 'reupload', files: [{ output: saved }] },
        },
      ],
    });
  });

  test('that are lost fail the request, with what would pay for them again', () => {
    const { scene, item } = atLast([gone]);
    expect(scene.next(item, 'more')).toMatchObject({
      ...{ action: 'end', ending: 'failed' },
      why: expect.stringMatching(/^swap:a is needed, .*; --pay-again would pay for it again$/),
    });
  });

  test('that are lost are made again where that is allowed', () => {
    const { scene, item } = atLast([gone], { payAgain: true });
    item.setLive('faces', { id: 'f7', faces: [{ path: 'x' }] });
    expect(scene.next(item, 'more')).toEqual({
      ...{ action: 'refresh', list: [{ how: 'redo', owner: item, step: scene.step('swap') }] },
    });
  });

  test('that storage has lost have their suppliers done again, and theirs, once', () => {
    const { scene, item } = atLast([]);
    item.setLive('swap', { url: 'memory:1' });
    redoSuppliers(item, scene.step('more'));
    expect(['photo', 'faces', 'swap'].map((step) => item.isRedone(step))).toEqual([
      ...[true, true, false],
    ]);
    // The paid one is only read again.
    expect(item.outputsOf('swap')?.live).toBeUndefined();
    expect(item.outputsOf('photo')?.live).toBeUndefined();
    // They are done again before the request is sent.
    expect(scene.next(item, 'more')).toMatchObject({
      ...{ action: 'refresh', list: [{ how: 'order' }, { how: 'redo', step: { name: 'faces' } }] },
    });
  });

  test('that two inputs were made of are done again once', () => {
    const { scene, item } = atLast([]);
    redoSuppliers(item, scene.step('both'));
    expect(item.isRedone('photo')).toBe(true);
    expect(scene.next(item, 'photo')).toMatchObject({ order: { operation: 'upload' } });
  });

  test('that are saved files are uploaded again, not fetched again', () => {
    const { scene, item } = atLast([]);
    for (const [name, of] of [
      ['save', job],
      ['again', upload],
    ] as const) {
      item.setOutputs(scene.step(name), of, scene.ledger.job(of), undefined);
      item.end(name, 'done');
    }
    redoSuppliers(item, scene.step('last'));
    expect([item.isRedone('again'), item.isRedone('save')]).toEqual([true, false]);
  });
});
