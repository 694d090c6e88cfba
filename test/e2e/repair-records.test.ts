// What becomes of a state file that lost lines, or itself: `repair` proposes the union of what can be read, of git's version
// and of the user's receipts, and the run on the proposal pays for nothing.
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { memoryStore } from '../../src/model/job-store.ts';
import { loadState } from '../../src/state/load-state.ts';
import { envOf, photo, photoPipeline, photoRig, type Rig, service } from '../rig.ts';
import { sampleOf } from '../sweep.ts';

const state = 'photos.state.jsonl';
const untidy = photoPipeline.replace(/ {2}tidy:.*\n/, '');

function git(rig: Rig, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', [...who, ...args], { cwd: rig.folder, env, stdio: 'pipe' });
}

type Lines = readonly string[];
/** Undefined: no file is left. `item`: the one whose line is damaged. */
type Damage = (lines: Lines, item: string) => Lines | undefined;

const swapLine = (lines: Lines, item: string): number =>
  lines.findIndex((line) => line.includes(`"swap:${item}"`) && line.includes('"project"'));

const changed =
  (change: (line: string, lines: Lines) => string): Damage =>
  (lines, item) => {
    const index = swapLine(lines, item);
    return lines.with(index, change(lines[index] ?? '', lines));
  };

const damages: Readonly<Record<string, Damage>> = {
  'a cut at the end of a line': (lines) => lines.slice(0, -3),
  'a removed line': (lines, item) => lines.toSpliced(swapLine(lines, item), 1),
  'another line in place of a line': changed((_, lines) => lines[1] ?? ''),
  'only the header left': (lines) => lines.slice(0, 1),
  'a flipped digit of a fingerprint': changed((line) =>
    line.replace(/"job":"(.)/, (_, digit: string) => `"job":"${digit === '0' ? '1' : '0'}`),
  ),
  'garbage around a project id': changed(
    (line) => `#,,${/"project":"[^"]+"/.exec(line)?.[0] ?? ''}#!%`,
  ),
  'zeros in place of the file': () => ['\0'.repeat(500)],
  'no file': () => undefined,
};

async function jobsIn(rig: Rig): Promise<readonly string[]> {
  const loaded = await loadState(rig.path(state), memoryStore());
  if (!loaded.ok) throw new Error(loaded.error);
  return [...loaded.value.ledger.jobs()].map(({ job }) => job);
}

/** Which record is left beside the file. Git has a run of two photos, the receipts have that of the third, too. */
const records = ['git and the receipts', 'the receipts', 'git'] as const;

const cases = Object.entries(damages).flatMap(([name, damaged]) =>
  (['deleted', 'kept'] as const).flatMap((projects) =>
    records.map((record) => ({ name, damaged, projects, record })),
  ),
);

const charges = (local: { ledger(): readonly { readonly kind: string }[] }): number =>
  local.ledger().filter(({ kind }) => kind === 'charge').length;

async function mended(rig: Rig, env: Readonly<Record<string, string>>): Promise<string> {
  const words = ['repair', 'pipeline.yaml', '--hosted', '--write', 'better.jsonl'];
  const { code, stdout, stderr } = await rig.command(words, env);
  expect([code, stderr]).toEqual([1, '']);
  renameSync(rig.path('better.jsonl'), rig.path(state));
  return stdout;
}

// EVERY=1 tries all of them. Eleven has no factor in common with the number of cases of a damage: each kind of case is tried.
test.each(sampleOf(cases, 11))(
  'after $name, with projects that are $projects, the run on the union with $record pays for nothing',
  async ({ name, damaged, projects, record }) => {
    const local = await service();
    const rig = await photoRig(2, projects === 'kept' ? untidy : photoPipeline);
    rig.write('.gitignore', 'out/\n.shotlist/\n');
    await rig.run(local);
    if (record !== 'the receipts') {
      git(rig, 'init', '-q');
      git(rig, 'add', '-A');
      git(rig, 'commit', '-qm', 'a run');
    }
    if (record !== 'git') {
      rig.write('photos/p3.png', await photo(3));
      await rig.run(local);
    }
    const paid = charges(local);
    const none: Readonly<Record<string, string>> =
      record === 'git' ? { SHOTLIST_RECEIPTS: rig.path('none') } : {};
    const env = { ...envOf(local), ...none };
    const lines = rig.read(state).trimEnd().split('\n');
    const jobs = await jobsIn(rig);
    const left = damaged(lines, record === 'git' ? 'p1.png' : 'p3.png');
    if (left === undefined) rmSync(rig.path(state));
    else rig.write(state, `${left.join('\n')}\n`);

    const { code } = await rig.command(['status', 'pipeline.yaml', '--hosted'], env);
    expect(code).toBe(name.includes('flipped') ? 0 : 2);
    await mended(rig, env);
    const now = await jobsIn(rig);
    expect(now.filter((job) => !jobs.includes(job))).toEqual([]);
    const { summary } = await rig.run(local, {}, {}, none);
    expect([summary.outcome, charges(local)], name).toEqual(['done', paid]);
    const whole = await rig.command(['repair', 'pipeline.yaml'], env);
    expect(whole.code, whole.stdout).toBe(0);
  },
);

test('a file that is intact but older lacks what only the receipts know, and says how much', async () => {
  const local = await service();
  const rig = await photoRig(1, untidy);
  await rig.run(local);
  const older = rig.read(state);
  rig.write('photos/p2.png', await photo(2));
  rig.write('photos/p3.png', await photo(3));
  await rig.run(local);
  rig.write(state, older);
  const env = envOf(local);
  const told = await rig.command(['repair', 'pipeline.yaml', '--json'], env);
  expect(told.code).toBe(1);
  expect(JSON.parse(told.stdout)).toMatchObject({
    ...{ missing: false, intact: true, lacking: true, damages: [] },
    proposal: {
      shares: { head: { added: 0, updated: 0 }, receipts: { added: 2, updated: 0 } },
      gaps: [],
    },
  });
  expect(await mended(rig, env)).toContain('\n2 jobs are only in your receipts.\n');
  expect((await rig.run(local)).summary.outcome).toBe('done');
  expect(charges(local)).toBe(3);
});

test('a project that no record knows is kept under an id of its own, until the receipts know it', async () => {
  const local = await service();
  const rig = await photoRig(2, untidy);
  await rig.run(local);
  const lines = rig.read(state).trimEnd().split('\n');
  const project = /"project":"([^"]+)"/.exec(lines[swapLine(lines, 'p1.png')] ?? '')?.[1] ?? '';
  const left = damages['garbage around a project id']?.(lines, 'p1.png') ?? [];
  rig.write(state, `${left.join('\n')}\n`);
  const env = envOf(local);
  const job = digestOf({ project });

  await mended(rig, { ...env, SHOTLIST_RECEIPTS: rig.path('none') });
  expect(rig.read(state)).toContain(`{"job":"${job}","kind":"unknown","state":"created"`);
  const pruned = await rig.command(['prune', 'pipeline.yaml', '--yes'], env);
  expect(pruned.code, pruned.stderr).toBe(0);
  expect(rig.read(state)).toContain(`"project":"${project}"`);

  await mended(rig, env);
  expect(rig.read(state)).not.toContain(job);
  expect((await rig.run(local)).summary.outcome).toBe('done');
  expect(charges(local)).toBe(2);
});
