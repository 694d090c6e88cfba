// An order from the database touches nothing but the files of the pipeline.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { realPathOr } from '../../../src/base/real-path.ts';
import { readGuarded } from '../../../src/distributed/order-guard.ts';
import { Boundary } from '../../../src/files/boundary.ts';
import { parsePipeline } from '../../../src/language/load/parse.ts';
import type { JobOrder } from '../../../src/run/jobs/job.ts';
import { fingerprint, uploadOrder } from '../run/parts.ts';

function ground() {
  const root = realPathOr(mkdtempSync(join(tmpdir(), 'shotlist-guard-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'repository');
  mkdirSync(folder);
  writeFileSync(join(root, 'secret'), 'a key');
  writeFileSync(join(folder, 'a.png'), 'a photo');
  symlinkSync('../secret', join(folder, 'link.png'));
  writeFileSync(join(folder, '.env'), 'KEY=a');
  symlinkSync('.env', join(folder, 'env.png'));
  writeFileSync(
    join(folder, 'pipeline.yaml'),
    `pipeline: guarded
inputs: { actor: { type: file, default: actor.png } }
items: { glob: "{a,link,env}*.png" }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  actor: { uses: upload, with: { file: "\${{ inputs.actor }}" } }
  frame: { uses: upload, with: { file: "frames/\${{ item.stem }}-\${{ item.index }}.png" } }
  color: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: color, to: "sub/\${{ item.name }}" } }
`,
  );
  const { pipeline } = parsePipeline(join(folder, 'pipeline.yaml'));
  const boundary = new Boundary({ repository: folder, allowOutside: false, named: [] });
  return (order: JobOrder) =>
    readGuarded({ order, epoch: 1, seen: 0 }, { folder, boundary, pipeline });
}

const upload = (path: string, task = 'photo:a.png'): JobOrder => ({
  ...{ ...uploadOrder('j1'), task, from: { in: 'input', path }, name: path },
});

const download = (to: string): JobOrder => ({
  ...{ operation: 'download', key: 'j1', task: 'save:a.png', kind: 'download', attempts: 1 },
  ...{ fingerprint: fingerprint('a'), tool: 'photo-colorizer', project: 'p', to },
});

test('an order about a file of the pipeline is read', () => {
  const read = ground();
  expect(read(upload('a.png'))).toMatchObject({ ok: true });
  expect(read(upload('faces/other.png', 'actor'))).toMatchObject({ ok: true });
  expect(read(upload('frames/a-0.png', 'frame:a.png'))).toMatchObject({ ok: true });
  expect(read(download('sub/a.png'))).toMatchObject({ ok: true });
});

test('an order about anything else is refused', () => {
  const read = ground();
  const refused = (order: JobOrder) => expect(read(order)).toMatchObject({ ok: false });
  refused({ ...uploadOrder('j1'), task: 'photo:a.png', from: { in: 'input', path: '.env' } });
  refused(upload('a.png', 'other:a.png'));
  refused(upload('a.png', 'save:a.png'));
  refused(upload('b.png'));
  refused(upload('frames/a.jpg', 'frame:a.png'));
  refused(upload('pipeline.state.jsonl', 'actor'));
  refused(upload('.shotlist/kept/a.png', 'actor'));
  refused(upload('.git/a.png', 'actor'));
  refused(upload('id_rsa', 'actor'));
  refused(download('other/a.png'));
});

test('a private file is not read under another name, nor as a result', () => {
  const read = ground();
  const output = { task: 't', index: 0, path: '.env', bytes: 5, sha256: 'a'.repeat(64) };
  const reupload: JobOrder = {
    ...{ operation: 'reupload', key: 'j1', task: 'color:a.png', kind: 'photo-colorizer' },
    ...{ attempts: 1, result: {} },
    files: [{ fingerprint: fingerprint('a'), output, from: { in: 'output', path: '.env' } }],
  };
  expect(read(upload('env.png'))).toMatchObject({ ok: false });
  expect(read(reupload)).toMatchObject({ ok: false });
});

test.each(['../secret', '/etc/hostname', 'link.png'])('%s is not sent anywhere', (path) => {
  expect(ground()(upload(path))).toMatchObject({ ok: false });
});

test.each(['../a.png', '/tmp/a.png', '.git/hooks/post-commit', '.shotlist/kept/a'])(
  'nothing is written to %s',
  (to) => {
    expect(ground()(download(to))).toMatchObject({ ok: false });
  },
);

test('recorded paths of copies and stores are held to the same', () => {
  const output = { task: 't', index: 0, path: '../secret', bytes: 1, sha256: 'a'.repeat(64) };
  const copy: JobOrder = {
    ...{
      operation: 'copy',
      key: 'j1',
      task: 'save:a.png',
      kind: 'download',
      attempts: 1,
      to: 'b.png',
    },
    ...{ fingerprint: fingerprint('a'), sources: [{ output, from: { in: 'store' } }] },
  };
  expect(ground()(copy)).toMatchObject({ ok: false });
});
