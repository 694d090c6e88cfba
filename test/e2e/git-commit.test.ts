// run --commit: one commit with the state file and the small outputs, and nothing else, whatever the user is doing.
import { createHash } from 'node:crypto';
import { existsSync, rmSync, utimesSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunOptions } from '../../src/features/run/run.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { dueAMinuteAgo } from '../due-once.ts';
import { ended, envOf, plainly, Rig, type Told, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { atLine } from './at-line.ts';
import { commitAll, git, identity, origin, state } from './clones.ts';

let local: LocalService;
beforeAll(async () => {
  local = await startService(plainly);
  return () => local.close();
});

/** A repository that does not ignore its outputs. */
function repository(): Rig {
  const rig = origin();
  rig.write('.gitignore', '.shotlist/\n');
  rig.write('.gitattributes', '*.state.jsonl merge=union\n');
  rig.write('notes.txt', 'a\n');
  commitAll(rig, 'Add notes');
  return rig;
}

type Options = Omit<RunOptions, 'env' | 'onEvent'>;

/** The environment of whoever runs the tests, with nothing of theirs but where git is. */
async function commits(rig: Rig, options: Options = {}, env: object = identity): Promise<Told> {
  const { PATH } = process.env;
  return await rig.run(local, { commit: true, ...options, env: { PATH, ...env } });
}

const head = (rig: Rig): string => git(rig.folder, 'rev-parse', 'HEAD').trim();
const filesIn = (rig: Rig): readonly string[] =>
  git(rig.folder, 'show', '--format=', '--name-only', 'HEAD').trim().split('\n');
const status = (rig: Rig): string => git(rig.folder, 'status', '--porcelain');
const warnings = ({ events }: Told): string =>
  events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])).join('\n');

describe('run --commit', () => {
  test('commits the state file and the outputs, and leaves everything else as it was', async () => {
    const rig = repository();
    rig.write('notes.txt', 'staged\n');
    rig.write('new.txt', 'staged\n');
    git(rig.folder, 'add', 'notes.txt', 'new.txt');
    rig.write('notes.txt', 'changed\n');
    rig.write('loose.txt', 'untracked\n');
    const before = status(rig);
    const parent = head(rig);
    const told = await commits(rig, { items: { only: 't*' } });
    expect(warnings(told)).toBe('');
    expect(filesIn(rig)).toEqual([state, 'out/three.png', 'out/two.png']);
    expect(status(rig)).toBe(before);
    expect(git(rig.folder, 'show', ':notes.txt')).toBe('staged\n');
    expect(rig.read('notes.txt')).toBe('changed\n');
    expect(git(rig.folder, 'log', '-1', '--format=%P').trim()).toBe(parent);
    expect(git(rig.folder, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main');
    const { charged } = told.summary.credits;
    const began = /"run":"[^"]+","at":"([^"]+)"/.exec(rig.read(state))?.[1];
    expect(git(rig.folder, 'log', '-1', '--format=%B')).toBe(
      `shotlist: memes: 2 items, ${charged} credits\n\nOutcome: done\nTasks: 4 done\n` +
        `Credits: ${charged} charged\nBegan: ${began}\nOutputs in this commit: 2\n\n`,
    );
    const event = told.events.find(({ type }) => type === 'committed');
    expect(event).toEqual({
      ...{ type: 'committed', commit: head(rig), branch: 'refs/heads/main', outputs: 2 },
    });
    const again = await commits(rig, { items: { only: 't*' } });
    expect(again.events.map(({ type }) => type)).not.toContain('committed');
    expect(git(rig.folder, 'log', '-1', '--format=%P').trim()).toBe(parent);
    expect(git(rig.folder, 'fsck', '--strict')).toBe('');
  });

  test('commits a file that replaces one in HEAD, also where the clock of the file server is behind', async () => {
    const rig = repository();
    await commits(rig, { items: { only: 'two' } });
    const parent = head(rig);
    rmSync(rig.path('out/two.png'));
    const pipeline = rig.read('pipeline.yaml');
    rig.write('pipeline.yaml', pipeline.replace('item.key }}" } }', 'item.key }} again" } }'));
    const file = rig.path('out/two.png');
    const late = atLine('ended', () => utimesSync(file, 1_000_000_000, 1_000_000_000));
    const { PATH } = process.env;
    const env = { PATH, ...identity };
    await rig.run(local, { commit: true, items: { only: 'two' }, env }, late);
    expect(head(rig)).not.toBe(parent);
    expect(filesIn(rig)).toEqual([state, 'out/two.png']);
  });

  longTest('works on a detached HEAD, and as the first commit of a branch', async () => {
    const rig = repository();
    git(rig.folder, 'checkout', '--quiet', '--detach');
    await commits(rig, { items: { only: 'one' } });
    expect(filesIn(rig)).toContain(state);
    expect(git(rig.folder, 'rev-parse', 'HEAD~').trim()).toBe(
      git(rig.folder, 'rev-parse', 'main').trim(),
    );
    git(rig.folder, 'checkout', '--quiet', '--orphan', 'new');
    git(rig.folder, 'rm', '-r', '--quiet', '--cached', '.');
    rmSync(rig.path('.gitignore'));
    await commits(rig, { items: { only: 'two' } });
    expect(filesIn(rig)).toEqual([state, 'out/one.png', 'out/two.png']);
    expect(git(rig.folder, 'rev-list', '--count', 'new').trim()).toBe('1');
  });

  longTest('takes the outputs that git wants, and that are as they were saved', async () => {
    const rig = repository();
    rig.write('.gitattributes', 'out/two.png filter=lfs\n');
    rig.write('.gitignore', '.shotlist/\nout/\n');
    commitAll(rig, 'Keep all outputs out');
    await commits(rig);
    expect(filesIn(rig)).toEqual([state]);
    rig.write('.gitignore', '.shotlist/\nout/three.png\n');
    rig.write('out/four.png', 'mine');
    const told = await commits(rig);
    expect(filesIn(rig)).toEqual(['out/one.png']);
    expect(warnings(told)).toContain('without 1 output with the attribute filter=');
  });

  longTest('leaves large outputs out, and says so', async () => {
    const rig = repository();
    rig.write('.gitignore', '.shotlist/\nout/\n');
    await commits(rig, { items: { only: 'one' } });
    rig.write('.gitignore', '.shotlist/\n');
    const grown = rig
      .read(state)
      .replace(
        /("path":"out\/one\.png","bytes":)\d+,"sha256":"[0-9a-f]+"/,
        `$1${big.length},"sha256":"${bigHash}"`,
      );
    rig.write(state, grown);
    rig.write('out/one.png', big);
    const told = await commits(rig, { items: { only: 'two' } });
    expect(warnings(told)).toContain('without 1 output beyond the limits');
    expect(filesIn(rig)).toEqual([state, 'out/two.png']);
    // What git ignores is no loss, however large it is.
    rig.write('.gitignore', '.shotlist/\nout/one.png\n');
    const ignoring = await commits(rig, { items: { only: 'three' } });
    expect(warnings(ignoring)).not.toContain('beyond the limits');
  });
});

describe('without a commit, the run is as good', () => {
  const refused = async (rig: Rig, why: string, env: object = identity): Promise<void> => {
    const told = await commits(rig, { items: { only: 'one' } }, env);
    expect(told.summary.outcome).toBe('done');
    expect(warnings(told)).toMatch(/^nothing was committed: /);
    expect(warnings(told)).toContain(why);
    expect(existsSync(rig.path('out/one.png')) || told.rehearsal).toBe(true);
  };

  longTest('during a merge, a cherry-pick, a rebase and another git command', async () => {
    const rig = repository();
    const before = head(rig);
    for (const [file, why] of [
      ['MERGE_HEAD', 'a merge is in progress'],
      ['CHERRY_PICK_HEAD', 'a cherry-pick is in progress'],
      ['rebase-merge/head-name', 'a rebase is in progress'],
      ['index.lock', 'another git command'],
    ] as const) {
      rig.write(`.git/${file}`, before);
      await refused(rig, why);
      rmSync(rig.path(`.git/${file.replace(/\/.*/, '')}`), { recursive: true });
      expect(head(rig)).toBe(before);
      expect(status(rig)).toContain(`?? ${state}`);
    }
  });

  test('without git, and without a name for the author', async () => {
    const rig = repository();
    const { GIT_AUTHOR_NAME: _a, GIT_COMMITTER_NAME: _c, ...nameless } = identity;
    await refused(rig, 'git config', { ...nameless, PATH: process.env['PATH'] });
    await refused(rig, 'git is not installed', { ...identity, PATH: '/nowhere' });
  });

  test('where git ignores the state file, and in a rehearsal', async () => {
    const rig = repository();
    rig.write('.gitignore', '*.jsonl\n');
    commitAll(rig, 'Ignore it');
    await refused(rig, 'git ignores ');
    const rehearsed = await rig.command([
      'run',
      'pipeline.yaml',
      '--rehearse',
      '--commit',
      '--items',
      'one',
    ]);
    expect(rehearsed.code).toBe(0);
    expect(rehearsed.stderr).toContain('a rehearsal has nothing for git');
  });
});

const big = Buffer.alloc((1 << 20) + 1, 7);
const bigHash = createHash('sha256').update(big).digest('hex');

describe('the other commands that run pipelines', () => {
  /** The environment of a developer, with nothing of theirs but where git is. */
  const commandEnv = { ...identity, GIT_CONFIG_GLOBAL: '/dev/null' };

  longTest('schedule --commit commits each run', async () => {
    const rig = repository();
    rig.write(
      'pipeline.yaml',
      `schedule: { cron: "${dueAMinuteAgo()}" }\n${rig.read('pipeline.yaml')}`,
    );
    commitAll(rig, 'Add a schedule');
    const args = ['schedule', 'pipeline.yaml', '--once', '--commit'];
    const { code, stderr } = await rig.command(args, { ...commandEnv, ...envOf(local) });
    expect([code, stderr]).toEqual([0, '']);
    expect(filesIn(rig)).toContain(state);
    expect(status(rig)).toBe('');
  });

  test('tick --commit commits what it did', async () => {
    const rig = repository();
    const args = ['tick', 'pipeline.yaml', '--commit'];
    const { stderr } = await rig.command(args, { ...commandEnv, ...envOf(local) });
    expect(stderr).toBe('');
    expect(filesIn(rig)).toContain(state);
  });

  longTest('watch --commit commits each run', async () => {
    const rig = new Rig(`pipeline: memes
items: { glob: "notes/*.txt" }
output: out
steps:
  picture:
    uses: ai-meme-generator
    with: { style: { template: Random, topic: "\${{ item.stem }}" } }
  save: { uses: download, with: { of: picture, to: "\${{ item.stem }}.png" } }
`);
    git(rig.folder, 'init', '--quiet');
    rig.write('.gitignore', '.shotlist/\n');
    commitAll(rig, 'Add a pipeline');
    rig.write('notes/one.txt', 'one');
    const args = ['watch', 'pipeline.yaml', '--settle', '50ms', '--commit', '--json'];
    const child = rig.start(args, { ...commandEnv, ...envOf(local) });
    const end = ended(child);
    await until(
      'it has committed',
      () => existsSync(rig.path('out/one.png')) && head(rig) !== '' && filesIn(rig).includes(state),
    );
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0 });
    expect(filesIn(rig)).toEqual([state, 'out/one.png']);
  });
});
