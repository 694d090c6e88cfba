// A repository whose configuration and hooks name programs, as an archive from a stranger can hold it: run --commit
// runs none of them, and git never sees the key.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { headRecord, historyRecord } from '../../src/features/git/head.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { commitAll, identity, origin, state, takes } from '../e2e/clones.ts';
import { plainly, type Rig } from '../rig.ts';
import { sampleOf } from '../sweep.ts';

let local: LocalService;
beforeAll(async () => {
  local = await startService(plainly);
  return () => local.close();
});

const hooks = [
  ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-merge-commit'],
  ...['reference-transaction', 'post-index-change', 'post-checkout', 'pre-auto-gc', 'post-rewrite'],
  'fsmonitor-watchman',
];

/** Runs first, whatever git is asked: `canary` gets a line when a planted program runs. */
function planted(): { readonly rig: Rig; readonly canary: string; readonly program: string } {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-canary-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const canary = join(folder, 'canary');
  const rig = origin();
  rig.write('.gitignore', '.shotlist/\n');
  rig.write('.gitattributes', '*.txt filter=evil diff=evil merge=evil\n');
  rig.write('notes.txt', 'a\n');
  commitAll(rig, 'Add notes');
  const program = join(folder, 'program');
  rig.write('.git/evil', `#!/bin/sh\necho "$0 $*" >> '${canary}'\nenv >> '${canary}'\ncat\n`);
  chmodSync(rig.path('.git/evil'), 0o755);
  symlinkSync(rig.path('.git/evil'), program);
  for (const name of hooks) {
    for (const at of ['.git/hooks', '.git/more-hooks']) {
      rig.write(`${at}/${name}`, `#!/bin/sh\necho "${name}" >> '${canary}'\nenv >> '${canary}'\n`);
      chmodSync(rig.path(`${at}/${name}`), 0o755);
    }
  }
  return { rig, canary, program };
}

const configs: readonly (readonly [string, (program: string) => string])[] = [
  ['hooks in their usual place', () => ''],
  ['hooks in another folder', () => '[core]\n\thooksPath = .git/more-hooks\n'],
  ['a file system monitor', (program) => `[core]\n\tfsmonitor = ${program}\n`],
  [
    'filters, a process filter, textconv, an external diff and a merge driver',
    (program) =>
      `[filter "evil"]\n\tclean = ${program}\n\tsmudge = ${program}\n\tprocess = ${program}\n\trequired = true\n` +
      `[diff "evil"]\n\ttextconv = ${program}\n\tcommand = ${program}\n[diff]\n\texternal = ${program}\n` +
      `[merge "evil"]\n\tdriver = ${program}\n`,
  ],
  [
    'signatures',
    (program) =>
      `[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ${program}\n[user]\n\tsigningKey = x\n[tag]\n\tgpgSign = true\n`,
  ],
  [
    'an editor, a pager, a password prompt, a credential helper, aliases and housekeeping',
    (program) =>
      `[core]\n\teditor = ${program}\n\tpager = ${program}\n\taskPass = ${program}\n\talternateRefsCommand = ${program}\n` +
      `[credential]\n\thelper = ${program}\n[sequence]\n\teditor = ${program}\n[pager]\n\tconfig = ${program}\n` +
      `[alias]\n\thash-object = !${program}\n\twrite-tree = !${program}\n\tcommit-tree = !${program}\n` +
      `[gc]\n\tauto = 1\n[maintenance]\n\tauto = true\n[trace2]\n\teventTarget = ${program}\n`,
  ],
  [
    'a remote of a partial clone',
    (program) =>
      `[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\turl = ext::${program}\n\tpromisor = true\n` +
      `\tuploadpack = ${program}\n\tvcs = evil\n[core]\n\tsshCommand = ${program}\n\tgitProxy = ${program}\n` +
      '[core]\n\trepositoryFormatVersion = 1\n',
  ],
];

async function runsAndCommits(rig: Rig): Promise<readonly string[]> {
  const { PATH } = process.env;
  const told = await rig.run(local, {
    ...{ commit: true, items: { only: 'one' } },
    env: { PATH, ...identity },
  });
  return told.events.map((event) =>
    event.type === 'warning' ? event.message : event.type === 'committed' ? 'committed' : '',
  );
}

describe.each(sampleOf(configs, 3))('a repository with %s', (_, config) => {
  test('runs no program of its own', async () => {
    const { rig, canary, program } = planted();
    rig.write('.git/config', `${rig.read('.git/config')}${config(program)}`);
    const said = await runsAndCommits(rig);
    expect(said.filter((text) => text !== '')).toEqual(['committed']);
    expect(existsSync(canary) ? readFileSync(canary, 'utf8') : '').toBe('');
    const { PATH } = process.env;
    const git = { env: { PATH, ...identity } };
    rig.write('notes.txt', 'b\n');
    const head = await headRecord(rig.path('notes.txt'), git);
    const history = await historyRecord(rig.path('notes.txt'), undefined, undefined, git);
    for (const record of [head, history]) {
      const lines: string[] = [];
      for await (const some of record?.lines ?? []) lines.push(...some);
      expect(lines).toEqual(record === head ? ['a'] : []);
    }
    expect(existsSync(canary) ? readFileSync(canary, 'utf8') : '').toBe('');
    rmSync(rig.path('.git/config'));
  });
});

test('the planted programs would run if git were used as usual', () => {
  const { rig, canary, program } = planted();
  const all = configs
    .slice(0, 4)
    .map(([, config]) => config(program))
    .join('');
  rig.write('.git/config', `${rig.read('.git/config')}${all}`);
  rig.write('notes.txt', 'b\n');
  takes(rig, 'update-ref', 'refs/heads/other', 'HEAD');
  takes(rig, 'add', '--all');
  const ran = readFileSync(canary, 'utf8');
  expect(ran).toContain('reference-transaction');
  expect(ran).toContain(program);
});

test('missing objects of a partial clone are not fetched', async () => {
  const { rig, canary, program } = planted();
  const partial = configs.at(-1)?.[1](program) ?? '';
  rig.write('.git/config', `${rig.read('.git/config')}${partial}`);
  const tree = takes(rig, 'rev-parse', 'HEAD^{tree}').said.trim();
  rmSync(rig.path(`.git/objects/${tree.slice(0, 2)}/${tree.slice(2)}`));
  rmSync(canary, { force: true });
  const said = await runsAndCommits(rig);
  expect(said.join('\n')).toContain('nothing was committed');
  expect(existsSync(canary)).toBe(false);
});

test('links in .git are not followed', async () => {
  const { rig } = planted();
  const victim = mkdtempSync(join(tmpdir(), 'shotlist-victim-'));
  onTestFinished(() => rmSync(victim, { recursive: true, force: true }));
  rmSync(rig.path('.git/logs'), { recursive: true, force: true });
  symlinkSync(victim, rig.path('.git/logs'));
  rmSync(rig.path('.gitattributes'));
  symlinkSync(join(victim, 'attributes'), rig.path('.gitattributes'));
  const said = await runsAndCommits(rig);
  expect(said.join('\n')).toMatch(/nothing was committed: .*logs is a link/);
  expect(existsSync(join(victim, 'HEAD'))).toBe(false);
  expect(existsSync(join(victim, 'attributes'))).toBe(false);
  expect(rig.read(state)).toContain('"project"');
});
