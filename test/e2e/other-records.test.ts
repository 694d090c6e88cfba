// A state file that git, or a person, has replaced by an older one: every command says so, and nothing is paid again.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plan } from '../../src/features/plan/plan.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LocalService } from '../../src/service/start.ts';
import { type Ended, envOf, type Rig, service } from '../rig.ts';
import { longTest, sampleOf } from '../sweep.ts';
import { cloneOf, commitAll, git, origin, state } from './clones.ts';

type Env = Readonly<Record<string, string>>;

const shotlist = (rig: Rig, env: Env, command: string, ...more: readonly string[]) =>
  rig.command([command, 'pipeline.yaml', ...more], env);

/** `only`: the keys of the items, as a pattern. */
async function runs(rig: Rig, local: LocalService, env: Env, only?: string): Promise<void> {
  const items = only === undefined ? {} : { items: { only } };
  const { summary } = await rig.run(local, items, {}, env);
  expect(summary.outcome).toBe('done');
}

/** A warning may go on in further lines. */
const begins = ({ stderr }: Ended): string =>
  (stderr.split(/\n(?! )/)[0] ?? '').replace(/\s+/g, ' ');

/** Half of the items have run and are committed, then all, perhaps on another branch; `commits`: the second half, too. */
async function twoHalves(local: LocalService, commits: boolean, branch?: string): Promise<Rig> {
  const rig = origin();
  await runs(rig, local, {}, '{one,two}');
  commitAll(rig, 'Run one and two');
  if (branch !== undefined) git(rig.folder, 'switch', '--quiet', '--create', branch);
  await runs(rig, local, {});
  if (commits) commitAll(rig, 'Run all');
  return rig;
}

interface Loss {
  readonly name: string;
  readonly commits?: boolean;
  readonly branch?: string;
  /** Returns the checkout to look at, if it is another one. */
  readonly lose: (rig: Rig) => Rig | undefined;
  /** Undefined: nothing needs to be said. */
  readonly says: RegExp | undefined;
  readonly inHead?: boolean;
  readonly onlyInReceipts: number;
  /** Besides `status`: all of them open the file in one way. */
  readonly commands?: readonly string[];
}

const done = (_: unknown): undefined => undefined;

/** As it was before anything had happened. */
const keepHeader = (rig: Rig): void => {
  const [header = ''] = rig.read(state).split('\n');
  writeFileSync(rig.path(state), `${header.replace(/"lines":\d+/, '"lines":0')}\n`);
};

const today = '\\d{4}-\\d\\d-\\d\\d';

const losses: readonly Loss[] = [
  {
    name: 'git checkout puts an older state file back',
    commits: true,
    lose: (rig) => done(git(rig.folder, 'checkout', '--quiet', 'HEAD~1', '--', state)),
    says: /^warning: memes\.state\.jsonl is older than the version in git HEAD, which has 2 paid creations \(\d+ credits\) more; git checkout HEAD -- memes\.state\.jsonl puts/,
    inHead: true,
    onlyInReceipts: 2,
    commands: ['plan', 'report', 'audit', 'prune'],
  },
  {
    name: 'git stash takes the last run away',
    lose: (rig) => done(git(rig.folder, 'stash', '--quiet')),
    says: new RegExp(
      `^warning: memes\\.state\\.jsonl is older than what this machine wrote last on ${today}, and lacks 2 paid creations \\(\\d+ credits\\) that your receipts have \\(branch \\w+ on ${today}\\)`,
    ),
    onlyInReceipts: 2,
  },
  {
    name: 'the state file is deleted, and HEAD has it',
    commits: true,
    lose: (rig) => done(rmSync(rig.path(state))),
    says: /^warning: memes\.state\.jsonl is missing, and git HEAD has it with 4 paid creations \(\d+ credits\); git checkout HEAD -- /,
    inHead: true,
    onlyInReceipts: 4,
  },
  {
    name: 'the state file is deleted, and HEAD has an older one',
    lose: (rig) => done(rmSync(rig.path(state))),
    says: /^warning: memes\.state\.jsonl is missing, and git HEAD has it with 2 paid creations/,
    onlyInReceipts: 4,
  },
  {
    name: 'the state file has nothing but a header',
    commits: true,
    lose: (rig) => done(keepHeader(rig)),
    says: /^warning: memes\.state\.jsonl is older than the version in git HEAD, which has 4 paid/,
    inHead: true,
    onlyInReceipts: 4,
  },
  {
    name: 'another branch is checked out',
    commits: true,
    branch: 'other',
    lose: (rig) => done(git(rig.folder, 'switch', '--quiet', '-')),
    says: /^warning: memes\.state\.jsonl of branch \w+ does not have 2 paid creations \(\d+ credits\) that your receipts know of other branches \(branch other on/,
    onlyInReceipts: 2,
  },
  {
    name: 'a worktree has an older commit',
    commits: true,
    lose(rig) {
      const other = cloneOf(rig);
      rmSync(other.folder, { recursive: true });
      git(rig.folder, 'worktree', 'add', '--quiet', '--detach', other.folder, 'HEAD~1');
      return other;
    },
    says: undefined,
    onlyInReceipts: 0,
  },
  { name: 'a fresh clone', commits: true, lose: cloneOf, says: undefined, onlyInReceipts: 0 },
];

const noReceipts = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-none-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/**
 * Nothing is planned to be paid, a run pays nothing, and then there is nothing to say any more. Returns the first warnings of
 * the plan and of the run.
 */
async function expectNothingPaid(
  rig: Rig,
  local: LocalService,
  env: Env,
): Promise<readonly (string | undefined)[]> {
  const before = local.ledger().length;
  const loaded = await loadPipeline(rig.file);
  const planned = await plan(loaded, { env });
  expect(planned.plan.credits).toBe(0);
  const { events, summary } = await rig.run(local, {}, {}, env);
  expect(summary.outcome).toBe('done');
  expect(local.ledger()).toHaveLength(before);
  expect((await plan(loaded, { env })).warnings).toEqual([]);
  const told = events.slice(
    0,
    events.findIndex(({ type }) => type === 'planned'),
  );
  const warnings = [planned.warnings[0], told.find((one) => one.type === 'warning')?.message];
  // This process works in another folder, so it names files in full.
  return warnings.map((message) => message?.replaceAll(`${rig.folder}/`, ''));
}

test.each(sampleOf(losses, 2))(
  '$name: every command says so, and nothing is paid again',
  async (loss) => {
    const { commits = false, branch, lose, says, inHead = false, onlyInReceipts } = loss;
    const { commands = [] } = loss;
    const local = await service();
    const env = envOf(local);
    const first = await twoHalves(local, commits, branch);
    const rig = lose(first) ?? first;
    const report = await shotlist(rig, env, 'status', '--json');
    if (says === undefined) expect(report.stderr).not.toContain('warning');
    else expect(begins(report), 'status').toMatch(says);
    for (const command of commands)
      expect(begins(await shotlist(rig, env, command)), command).toMatch(says ?? '');
    if (report.code === 0)
      expect(JSON.parse(report.stdout)).toMatchObject({
        onlyInReceipts: { creations: onlyInReceipts },
      });
    if (inHead) {
      // What git's HEAD knows is enough.
      const copy = rig.files('.').includes(state) ? rig.read(state) : undefined;
      await expectNothingPaid(rig, local, { ...env, SHOTLIST_RECEIPTS: noReceipts() });
      if (copy === undefined) rmSync(rig.path(state));
      else writeFileSync(rig.path(state), copy);
    }
    const warnings = await expectNothingPaid(rig, local, env);
    for (const message of warnings)
      if (says === undefined) expect(message).toBeUndefined();
      else expect(`warning: ${message}`).toMatch(says);
  },
);

test('what only HEAD knows is remembered until a run has taken over all of it', async () => {
  const local = await service();
  const env = envOf(local);
  const rig = await twoHalves(local, true);
  rmSync(rig.path(state));
  const none = { ...env, SHOTLIST_RECEIPTS: noReceipts() };
  const before = local.ledger().length;
  await runs(rig, local, none, 'one');
  expect(begins(await shotlist(rig, none, 'status'))).toMatch(
    /git HEAD, which has 3 paid creations/,
  );
  await runs(rig, local, none);
  expect(local.ledger()).toHaveLength(before);
  expect((await shotlist(rig, none, 'status')).stderr).toBe('');
});

test('an audit lists what only HEAD or the receipts have, and fails', async () => {
  const local = await service();
  const env = envOf(local);
  const rig = await twoHalves(local, false);
  git(rig.folder, 'stash', '--quiet');
  keepHeader(rig);
  const audited = await shotlist(rig, env, 'audit', '--json');
  expect(audited.code).toBe(1);
  const { differences } = JSON.parse(audited.stdout);
  const unknown = { recorded: 0, reported: expect.any(Number) };
  const both = { ...unknown, why: expect.stringContaining('only in git HEAD and your receipts') };
  const one = { ...unknown, why: expect.stringContaining('only in your receipts') };
  expect(differences).toEqual(
    expect.arrayContaining([both, both, one, one].map((row) => expect.objectContaining(row))),
  );
  expect(differences.map(({ reported }: { reported: number }) => reported > 0)).not.toContain(
    false,
  );
  const text = await shotlist(rig, env, 'status');
  expect(text.stdout.replace(/\s+/g, ' ')).toMatch(
    /4 paid creations \(\d+ credits\) are only in your receipts/,
  );
});

/** A git in front of the real one that notes what it is asked for. */
function notedGit(): { readonly path: string; readonly asked: () => readonly string[] } {
  const folder = noReceipts();
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
    asked: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
  };
}

longTest('git is not asked about a state file that is what this machine wrote last', async () => {
  const local = await service();
  const env = envOf(local);
  const rig = await twoHalves(local, true);
  const { path, asked } = notedGit();
  const watched = { ...env, PATH: path };
  for (const command of ['plan', 'run', 'report', 'audit', 'status', 'prune'])
    await shotlist(rig, watched, command);
  const about = asked().filter((line) => / HEAD:/.test(line));
  // An audit compares all records.
  expect(about).toHaveLength(1);
  git(rig.folder, 'checkout', '--quiet', 'HEAD~1', '--', state);
  await shotlist(rig, watched, 'plan');
  expect(asked().filter((line) => / HEAD:/.test(line))).toHaveLength(2);
});
