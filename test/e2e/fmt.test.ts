// `shotlist fmt` on files, in CI, and in an editor's pipe.
import { chmodSync, lstatSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ended, Rig } from '../rig.ts';

const untidy = `steps:
    up:   { with: {file: a.png}, uses: upload } # once
pipeline: p
`;
const tidy = `pipeline: p
steps:
  up: { uses: upload, with: { file: a.png } } # once
`;

describe('shotlist fmt', () => {
  test('writes the layout, names the files that it changed, and keeps their permissions', async () => {
    const rig = new Rig(untidy);
    rig.write('other.yaml', tidy);
    chmodSync(rig.file, 0o640);
    const first = await rig.command(['fmt', 'pipeline.yaml', 'other.yaml']);
    expect(first).toMatchObject({ code: 0, stderr: '', stdout: 'pipeline.yaml: formatted\n' });
    expect(rig.read('pipeline.yaml')).toBe(tidy);
    expect(statSync(rig.file).mode & 0o777).toBe(0o640);
    expect(rig.files('.')).toEqual(['other.yaml', 'pipeline.yaml']);
    const second = await rig.command(['fmt', 'pipeline.yaml', '--json']);
    expect(JSON.parse(second.stdout)).toEqual({ file: 'pipeline.yaml', changed: false });
  });

  test('of standard input goes to standard output', async () => {
    const rig = new Rig(tidy);
    const pipe = rig.start(['fmt', '-'], {}, {}, 'pipe');
    pipe.stdin?.end(untidy);
    expect(await ended(pipe)).toEqual({ code: 0, stdout: tidy, stderr: '' });
    const both = await rig.command(['fmt', '-', 'pipeline.yaml']);
    expect(both).toMatchObject({ code: 2, stdout: '' });
  });

  test('follows a link within the repository, and no link out of it', async () => {
    const rig = new Rig(untidy);
    const outside = new Rig(untidy);
    symlinkSync('pipeline.yaml', rig.path('inner.yaml'));
    symlinkSync(outside.file, rig.path('outer.yaml'));
    expect((await rig.command(['fmt', 'inner.yaml'])).code).toBe(0);
    expect(lstatSync(rig.path('inner.yaml')).isSymbolicLink()).toBe(true);
    expect(rig.read('pipeline.yaml')).toBe(tidy);
    const refused = await rig.command(['fmt', 'outer.yaml']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('is a link to a file outside the repository');
    expect(outside.read('pipeline.yaml')).toBe(untidy);
  });
});
