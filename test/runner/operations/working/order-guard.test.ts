// An order from the database touches nothing but the files of the pipeline.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Boundary } from '../../../../src/runner/adapters/files/boundary.ts';
import { realPathOr } from '../../../../src/runner/adapters/files/real-path.ts';
import { readGuarded } from '../../../../src/runner/operations/working/order-guard.ts';
import type { JobOrder } from '../../../../src/runner/run/jobs/job.ts';
import { fingerprint, uploadOrder } from '../../run/parts.ts';

function ground() {
  const root = realPathOr(mkdtempSync(join(tmpdir(), 'shotlist-guard-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'repository');
  mkdirSync(folder);
  writeFileSync(join(root, 'secret'), 'a key');
  writeFileSync(join(folder, 'a.png'), 'a photo');
  symlinkSync('../secret', join(folder, 'link.png'));
  const boundary = new Boundary({ repository: folder, allowOutside: false, named: [] });
  return (order: JobOrder) => readGuarded({ order, epoch: 1, seen: 0 }, { folder, boundary });
}

const upload = (path: string): JobOrder => ({ ...uploadOrder('j1'), from: { in: 'input', path } });

const download = (to: string): JobOrder => ({
  ...{ operation: 'download', key: 'j1', task: 't', kind: 'download', attempts: 1 },
  ...{ fingerprint: fingerprint('a'), tool: 'photo-colorizer', project: 'p', to },
});

test('an order about a file of the pipeline is read', () => {
  const read = ground();
  expect(read(upload('a.png'))).toMatchObject({ ok: true });
  expect(read(download('sub/a.png'))).toMatchObject({ ok: true });
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
    ...{ operation: 'copy', key: 'j1', task: 't', kind: 'download', attempts: 1, to: 'b.png' },
    ...{ fingerprint: fingerprint('a'), sources: [{ output, from: { in: 'store' } }] },
  };
  expect(ground()(copy)).toMatchObject({ ok: false });
});
