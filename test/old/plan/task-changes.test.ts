// What has changed about a task since an earlier job of it.
import { expect, test } from 'vitest';
import { digestOf } from '../../../src/base/digest.ts';
import { fingerprintFrom, token } from '../../../src/model/fingerprint.ts';
import { changesBetween, type KeptManifest } from '../../../src/model/manifest.ts';
import { changesOf } from '../../../src/plan/plan-reasons.ts';

const print = (name: string) => fingerprintFrom(digestOf({ name }));
const at = '2026-11-22T00:00:00.000Z';
const upload = (name: string, file: string): KeptManifest => ({
  ...{ job: print(name), kind: 'upload', content: digestOf(name), file, at },
});
const swap = (body: KeptManifest['body'], kind = 'face-swap-photo'): KeptManifest => ({
  ...{ job: print('swap'), kind, at },
  ...(body === undefined ? {} : { body }),
});
const of = (name: string) => token(print(name), 'file_path');
const manifests = new Map([
  [print('old'), upload('old', 'a.png')],
  [print('actor'), upload('actor', 'me.png')],
  [print('paint'), { ...swap({}), job: print('paint'), kind: 'ai-image-editor' }],
]);
const now = (name: string, file = 'a.png') => ({ file, job: print(name), content: digestOf(name) });

test('fields that are new, gone or different are named by their path', () => {
  const before = { kind: 'x', body: { style: { prompt: 'a', size: 1 }, list: [1, { b: 2 }] } };
  const after = { kind: 'x', body: { style: { prompt: 'b', seed: 3 }, list: [1, { b: 4 }, 5] } };
  expect(changesBetween(before, after)).toEqual([
    { field: 'style.prompt', before: 'a', after: 'b' },
    { field: 'style.seed', after: 3 },
    { field: 'style.size', before: 1 },
    { field: 'list[1].b', before: 2, after: 4 },
    { field: 'list[2]', after: 5 },
  ]);
  expect(changesBetween(before, { ...before, take: 1 })).toEqual([]);
  expect(changesBetween(before, { ...before, kind: 'y', take: 2 })).toEqual([
    { field: 'uses', before: 'x', after: 'y' },
    { field: 'take', before: 1, after: 2 },
  ]);
});

test('a file with other content is named, with both digests', () => {
  const changes = changesOf(swap({ target: of('old') }), swap({ target: of('new') }), {
    ...{ uploads: [now('new')], manifests },
  });
  const digests = { before: digestOf('old'), after: digestOf('new') };
  expect(changes).toEqual([{ is: 'file', field: 'target', file: 'a.png', ...digests }]);
});

test('a file that has another name now is named by both', () => {
  const changes = changesOf(swap({ target: of('old') }), swap({ target: of('new') }), {
    ...{ uploads: [now('new', 'b.png')], manifests },
  });
  expect(changes).toMatchObject([{ is: 'file', file: 'b.png', was: 'a.png' }]);
});

test('a result of another tool is no file', () => {
  const changes = changesOf(swap({ target: of('paint') }), swap({ target: of('new') }), {
    ...{ uploads: [now('new')], manifests },
  });
  expect(changes).toEqual([{ is: 'result', field: 'target', kind: 'ai-image-editor' }]);
});

test('without a request, only files are compared', () => {
  const before = swap({ target: of('old'), source: of('actor'), prompt: 'a' });
  const uploads = [now('new'), now('actor', 'me.png')];
  expect(changesOf(before, undefined, { uploads, manifests })).toMatchObject([
    { is: 'file', field: 'target', file: 'a.png' },
  ]);
});

test('an upload is its own file', () => {
  const changes = changesOf(
    upload('old', 'a.png'),
    { kind: 'upload', content: digestOf('new') },
    { uploads: [], manifests },
  );
  expect(changes).toMatchObject([{ is: 'file', field: 'file', file: 'a.png' }]);
});
