// Two clones that both ran: git merges their state files by itself, and no payment is lost or made again.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runWith } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { RunEvent } from '../../src/run/run-event.ts';
import type { LocalService } from '../../src/service/start.ts';
import { startService } from '../../src/service/start.ts';
import { ended, envOf, journalInto, plainly, Rig } from '../rig.ts';
import { longTest } from '../sweep.ts';
import {
  cloneOf,
  commitAll,
  git,
  identity,
  memes,
  origin,
  state,
  takes,
  unmerged,
} from './clones.ts';

let local: LocalService;
beforeAll(async () => {
  local = await startService(plainly);
  return () => local.close();
});

const only = (items: string) => ({ items: { only: items } }) as const;

/** Receipts of a machine of its own. */
const elsewhere = (rig: Rig) => ({ SHOTLIST_RECEIPTS: rig.path('.shotlist/elsewhere') });

async function runs(rig: Rig, items: string): Promise<void> {
  const { summary } = await rig.run(local, only(items), {}, elsewhere(rig));
  expect(summary.outcome).toBe('done');
  commitAll(rig, `Run ${items}`);
}

/** In a process of its own, so that git will run the bundled command, which starts in half the time. */
const setup = async (rig: Rig): Promise<void> => {
  expect(await ended(rig.start(['git-setup']))).toMatchObject({ code: 0, stderr: '' });
};

const driver = (rig: Rig): string => git(rig.folder, 'config', 'merge.shotlist.driver').trim();

/** A clone that merges by itself, as after git-setup there. */
function equalCloneOf(ours: Rig): Rig {
  const theirs = cloneOf(ours);
  git(theirs.folder, 'config', 'merge.shotlist.driver', driver(ours));
  return theirs;
}

/** Two clones that have run one together, and merge by themselves. */
async function twoClones(): Promise<readonly [Rig, Rig]> {
  const ours = origin();
  await setup(ours);
  await runs(ours, 'one');
  return [ours, equalCloneOf(ours)];
}

/** What the service has charged, and what a further run charges. */
async function expectNothingDue(rig: Rig, items: string): Promise<void> {
  const before = local.ledger().length;
  const { summary } = await rig.run(local, only(items));
  expect(summary.credits).toEqual({ charged: 0, refunded: 0, reserved: 0 });
  expect(local.ledger()).toHaveLength(before);
}

const projects = (rig: Rig): readonly string[] =>
  [...rig.read(state).matchAll(/"project":"([^"]+)"/g)].map(([, id = '']) => id).sort();
const runNumbers = (rig: Rig): readonly number[] =>
  [...rig.read(state).matchAll(/^\{"run":(\d+)/gm)].map(([, run]) => Number(run));

describe('two clones that both ran', () => {
  test('merge with git pull, to the same bytes in either', async () => {
    const [ours, theirs] = await twoClones();
    await runs(ours, 'two');
    await runs(theirs, 'three');
    const head = git(ours.folder, 'rev-parse', 'HEAD').trim();
    const pulled = takes(
      ours,
      'pull',
      '--quiet',
      '--no-rebase',
      '--no-edit',
      theirs.folder,
      'main',
    );
    expect(pulled.said).toContain(`${state}: merged: 3 jobs, 3 runs`);
    expect(pulled.ok).toBe(true);
    git(theirs.folder, 'fetch', '--quiet', ours.folder, head);
    expect(takes(theirs, 'merge', '--no-edit', head).ok).toBe(true);
    expect(theirs.read(state)).toBe(ours.read(state));
    expect(projects(ours)).toHaveLength(3);
    expect(runNumbers(ours)).toEqual([1, 2, 3]);
    const repaired = await ours.command(['repair', 'pipeline.yaml', '--hosted']);
    expect(repaired.stdout).toContain('nothing to repair');
    await expectNothingDue(ours, 't*');
  });

  longTest('rebase commit by commit, and cherry-pick', async () => {
    const [ours, theirs] = await twoClones();
    await runs(ours, 'two');
    await runs(theirs, 'three');
    await runs(theirs, 'four');
    const rebased = takes(theirs, 'pull', '--rebase', ours.folder, 'main');
    expect(rebased.ok, rebased.said).toBe(true);
    expect(projects(theirs)).toHaveLength(4);
    expect(runNumbers(theirs)).toEqual([1, 2, 3, 4]);
    git(ours.folder, 'fetch', '--quiet', theirs.folder, 'main');
    const last = git(ours.folder, 'rev-parse', 'FETCH_HEAD').trim();
    const picked = takes(ours, 'cherry-pick', last);
    expect(picked.ok, picked.said).toBe(true);
    // The commit in between is in the state that the picked one continued.
    expect(projects(ours)).toEqual(projects(theirs));
    const merged = takes(ours, 'merge', '--no-edit', last);
    expect(merged.ok, merged.said).toBe(true);
    expect(ours.read(state)).toBe(theirs.read(state));
    await expectNothingDue(ours, '*o*');
  });

  test('that paid for the same have a conflict in credits, and lose neither payment', async () => {
    const [ours, theirs] = await twoClones();
    await runs(ours, 'two');
    await runs(theirs, 'two');
    const merged = takes(ours, 'pull', '--no-rebase', '--no-edit', theirs.folder, 'main');
    expect(merged.ok).toBe(false);
    expect(unmerged(ours)).toBe(true);
    const paid = [...new Set([...projects(ours), ...projects(theirs)])];
    expect(paid).toHaveLength(3);
    expect(merged.said).toContain('PAID TWICE: both sides paid for 1 job');
    for (const project of paid.filter(
      (id) => !git(ours.folder, 'show', `HEAD~:${state}`).includes(id),
    ))
      expect(merged.said).toContain(`project ${project} of `);
    expect(projects(ours)).toEqual(paid.sort());
    expect(merged.said).toContain(`git add ${state}`);
    const twice = async () =>
      JSON.parse((await ours.command(['status', 'pipeline.yaml', '--json'])).stdout).paidTwice;
    expect(await twice()).toMatchObject([{ tasks: ['picture:two'] }]);
    commitAll(ours, 'Accept both payments');
    expect(await twice()).toEqual([]);
    const repaired = await ours.command(['repair', 'pipeline.yaml']);
    expect(repaired.stdout).toContain('nothing to repair');
    await expectNothingDue(ours, 'two');
  });

  longTest('merge while a run of one is not over', async () => {
    const [ours, theirs] = await twoClones();
    await runs(ours, 'two');
    const before = theirs.read(state);
    const lines: string[] = [];
    await theirs.run(local, only('three'), journalInto(lines));
    const whole = theirs.read(state);
    const open = lines.filter((line) => !line.includes('"event":"ended"'));
    theirs.write(state, `${before}${open.join('\n')}\n`);
    commitAll(theirs, 'A run that was killed');
    const merged = takes(ours, 'pull', '--no-rebase', '--no-edit', theirs.folder, 'main');
    expect(merged.ok, merged.said).toBe(true);
    for (const project of whole.matchAll(/"project":"[^"]+"/g))
      expect(ours.read(state)).toContain(project[0]);
    expect(ours.read(state)).not.toContain('"event"');
    await expectNothingDue(ours, 't*');
  });

  longTest('add the state file on both sides, in a folder with spaces', async () => {
    const ours = origin();
    const folder = "the team's clips & more";
    ours.write(`${folder}/pipeline.yaml`, memes);
    await setup(ours);
    commitAll(ours, 'Move it');
    const theirs = equalCloneOf(ours);
    for (const [rig, item] of [
      [ours, 'one'],
      [theirs, 'two'],
    ] as const) {
      const warnings: RunEvent[] = [];
      const { summary } = await runWith(
        await loadPipeline(rig.path(`${folder}/pipeline.yaml`)),
        {
          ...{ ...only(item), commit: true },
          env: { PATH: process.env['PATH'], ...envOf(local), ...identity },
          onEvent: (event) => {
            if (event.type === 'warning') warnings.push(event);
          },
        },
        { backoffMs: 1, speedFactor: 1000 },
      );
      expect([summary.outcome, warnings]).toEqual(['done', []]);
    }
    mkdirSync(ours.path('elsewhere'));
    const merged = takes(
      ours,
      '-C',
      'elsewhere',
      'pull',
      '--no-rebase',
      '--no-edit',
      theirs.folder,
      'main',
    );
    expect(merged.ok, merged.said).toBe(true);
    const text = ours.read(join(folder, state));
    expect([...text.matchAll(/"job":"/g)]).toHaveLength(2);
  });
});

describe('what cannot be merged', () => {
  const damaged = (rig: Rig): string => {
    const lines = rig.read(state).trimEnd().split('\n');
    return `${lines.with(-1, (lines.at(-1) ?? '').slice(0, -9)).join('\n')}\n`;
  };

  longTest(
    'is a conflict with both sides in it, which repair can read: a damaged file, no driver, or none that is there',
    async () => {
      const [ours, theirs] = await twoClones();
      await runs(ours, 'two');
      await runs(theirs, 'three');
      const pulls = (): ReturnType<typeof takes> =>
        takes(ours, 'pull', '--no-rebase', '--no-edit', theirs.folder, 'main');
      const whole = driver(ours);
      for (const change of [whole.replaceAll('main.js', 'no-main.js'), undefined]) {
        if (change === undefined) git(ours.folder, 'config', '--remove-section', 'merge.shotlist');
        else git(ours.folder, 'config', 'merge.shotlist.driver', change);
        expect(pulls().ok).toBe(false);
        const found = await ours.command(['repair', 'pipeline.yaml', '--json'], envOf(local));
        const { proposal } = JSON.parse(found.stdout);
        expect(proposal.jobs).toHaveLength(3);
        expect(proposal.orphans).toEqual([]);
        expect(ours.read(state)).toContain('<<<<<<< ');
        git(ours.folder, 'merge', '--abort');
      }
      git(ours.folder, 'config', 'merge.shotlist.driver', whole);
      const paid = projects(theirs);
      theirs.write(state, damaged(theirs));
      commitAll(theirs, 'Damage it');
      const merged = pulls();
      expect(merged.ok).toBe(false);
      expect(unmerged(ours)).toBe(true);
      expect(merged.said).toContain('theirs: ');
      const run = await ours.command(['run', 'pipeline.yaml'], envOf(local));
      expect(run.code).toBe(2);
      expect(run.stderr).toContain('conflict marker');
      expect(run.stderr).toMatch(
        /shotlist git-setup, then git checkout --merge -- .*shotlist merge /,
      );
      const repaired = await ours.command(['repair', 'pipeline.yaml', '--write', 'new.jsonl']);
      expect(repaired.code).toBe(1);
      for (const project of paid) expect(ours.read('new.jsonl')).toContain(project);
    },
  );
});

test('shotlist merge refuses a damaged file and that of another pipeline, and leaves ours as it was', async () => {
  const rig = new Rig(memes);
  await rig.run(local, only('one'));
  const ours = rig.read(state);
  for (const [theirs, why] of [
    [`${ours.slice(0, -30)}\n`, 'theirs:'],
    [ours.replace('"pipeline":"memes"', '"pipeline":"others"'), '"others"'],
  ] as const) {
    rig.write('theirs', theirs);
    const refused = await rig.command(['merge', state, 'theirs']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(why);
    expect(rig.read(state)).toBe(ours);
  }
});

test('git-setup keeps what is there, and can be undone', async () => {
  const rig = origin();
  rig.write('.gitattributes', '*.png binary');
  const first = await rig.command(['git-setup', '--json']);
  expect(JSON.parse(first.stdout)).toMatchObject({ attributes: 'added', driver: 'added' });
  expect(rig.read('.gitattributes')).toBe('*.png binary\n*.state.jsonl merge=shotlist\n');
  expect(rig.read('.git/config')).toContain('[merge "shotlist"]');
  await rig.command(['git-setup', '--remove']);
  expect(rig.read('.gitattributes')).toBe('*.png binary\n');
  expect(rig.read('.git/config')).not.toContain('shotlist');
});
