// Which commands ask git about an older state file. What they say, and what is paid: test/transcripts/older.txt.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { envOf, service } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { commitAll, git, origin, state } from './clones.ts';

/** A git in front of the real one that notes what it is asked for. */
function notedGit(): { readonly path: string; readonly asked: () => readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-git-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const { PATH = '' } = process.env;
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\necho "$*" >> '${log}'\nPATH='${PATH}' exec git "$@"\n`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  return {
    path: `${folder}${delimiter}${PATH}`,
    asked: () => readFileSync(log, 'utf8').split('\n'),
  };
}

longTest('git is not asked about a state file that is what this machine wrote last', async () => {
  const local = await service();
  const rig = origin();
  for (const only of ['{one,two}', '*']) {
    await rig.run(local, { items: { only } });
    commitAll(rig, `Run ${only}`);
  }
  const { path, asked } = notedGit();
  const env = { ...envOf(local), PATH: path };
  for (const command of ['plan', 'run', 'report', 'audit', 'status', 'prune'])
    await rig.command([command, 'pipeline.yaml'], env);
  const about = (): number => asked().filter((line) => / HEAD:/.test(line)).length;
  // An audit compares all records.
  expect(about()).toBe(1);
  git(rig.folder, 'checkout', '--quiet', 'HEAD~1', '--', state);
  await rig.command(['plan', 'pipeline.yaml'], env);
  expect(about()).toBe(2);
});
