// Two clones that both ran: git puts the lines of both state files into one, and no payment is lost or made again.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/core/run-event.ts';
import { runWith } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LocalService } from '../../src/service/start.ts';
import { startService } from '../../src/service/start.ts';
import { envOf, journalInto, plainly, type Rig, type Told } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { cloneOf, commitAll, git, identity, memes, origin, state, takes } from './clones.ts';

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

/** With git's own driver, which keeps the lines of both sides. */
function unionOrigin(): Rig {
  const ours = origin();
  ours.write('.gitattributes', '*.state.jsonl merge=union\n');
  commitAll(ours, 'Merge state files');
  return ours;
}

/** Two clones that have run one together. */
async function twoClones(ours: Rig = unionOrigin()): Promise<readonly [Rig, Rig]> {
  await runs(ours, 'one');
  return [ours, cloneOf(ours)];
}

const pulls = (rig: Rig, other: Rig): ReturnType<typeof takes> =>
  takes(rig, 'pull', '--no-rebase', '--no-edit', other.folder, 'main');

const warningsOf = ({ events }: Told): readonly string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));

/** A further run charges nothing, and leaves a file in which each line stands once. */
async function expectNothingDue(rig: Rig, items: string): Promise<readonly string[]> {
  const before = local.ledger().length;
  const told = await rig.run(local, only(items), {}, elsewhere(rig));
  expect(told.summary.credits).toEqual({ charged: 0, refunded: 0, reserved: 0 });
  expect(local.ledger()).toHaveLength(before);
  const lines = rig.read(state).trimEnd().split('\n');
  expect(new Set(lines).size).toBe(lines.length);
  return warningsOf(told);
}

/** Of a state file that a run has written: each stands once. */
const projects = (rig: Rig): readonly string[] =>
  [...rig.read(state).matchAll(/"project":"([^"]+)"/g)].map(([, id = '']) => id).sort();
const runsIn = (rig: Rig): number => [...rig.read(state).matchAll(/^\{"run":/gm)].length;

describe('two clones that both ran', () => {
  test('merge with git pull, to the same bytes in either', async () => {
    const [ours, theirs] = await twoClones();
    await runs(ours, 'two');
    await runs(theirs, 'three');
    const head = git(ours.folder, 'rev-parse', 'HEAD').trim();
    const pulled = pulls(ours, theirs);
    expect(pulled.ok, pulled.said).toBe(true);
    git(theirs.folder, 'fetch', '--quiet', ours.folder, head);
    expect(takes(theirs, 'merge', '--no-edit', head).ok).toBe(true);
    for (const rig of [ours, theirs])
      expect(await expectNothingDue(rig, '{one,two,three}')).toEqual([]);
    expect(theirs.read(state)).toBe(ours.read(state));
    expect(projects(ours)).toHaveLength(3);
    expect(runsIn(ours)).toBe(3);
    const repaired = await ours.command(['repair', 'pipeline.yaml', '--hosted']);
    expect(repaired.code).toBe(0);
  });

  longTest('rebase commit by commit, and cherry-pick', async () => {
    const [ours, theirs] = await twoClones();
    await runs(ours, 'two');
    await runs(theirs, 'three');
    await runs(theirs, 'four');
    const rebased = takes(theirs, 'pull', '--rebase', ours.folder, 'main');
    expect(rebased.ok, rebased.said).toBe(true);
    git(ours.folder, 'fetch', '--quiet', theirs.folder, 'main');
    const last = git(ours.folder, 'rev-parse', 'FETCH_HEAD').trim();
    const picked = takes(ours, 'cherry-pick', last);
    expect(picked.ok, picked.said).toBe(true);
    const merged = takes(ours, 'merge', '--no-edit', last);
    expect(merged.ok, merged.said).toBe(true);
    for (const rig of [ours, theirs]) expect(await expectNothingDue(rig, '*')).toEqual([]);
    expect(theirs.read(state)).toBe(ours.read(state));
    expect(projects(ours)).toHaveLength(4);
    expect(runsIn(ours)).toBe(4);
  });

  test('that paid for the same lose neither payment, and say so until a person accepts it', async () => {
    const [ours, theirs] = await twoClones();
    await runs(ours, 'two');
    await runs(theirs, 'two');
    const paid = [...new Set([...projects(ours), ...projects(theirs)])].sort();
    expect(paid).toHaveLength(3);
    const merged = pulls(ours, theirs);
    expect(merged.ok, merged.said).toBe(true);
    expect(await expectNothingDue(ours, 'two')).toEqual([
      expect.stringContaining('paid twice: 1 request'),
    ]);
    expect(projects(ours)).toEqual(paid);
    const found = async () =>
      JSON.parse((await ours.command(['status', 'pipeline.yaml', '--json'])).stdout);
    expect(await found()).toMatchObject({
      ...{ paidTwice: [{ tasks: ['picture:two'] }], credits: { charged: 30 } },
    });
    const accepted = await ours.command(['repair', 'pipeline.yaml', '--accept'], envOf(local));
    expect(accepted.code).toBe(0);
    expect((await found()).paidTwice).toEqual([]);
    expect(await expectNothingDue(ours, 'two')).toEqual([]);
    expect(projects(ours)).toEqual(paid);
  });

  longTest('merge while a run of one is not over', async () => {
    const [ours, theirs] = await twoClones();
    await runs(ours, 'two');
    const before = theirs.read(state);
    const lines: string[] = [];
    await theirs.run(local, only('three'), journalInto(lines), elsewhere(theirs));
    const paid = projects(theirs);
    const open = lines.filter((line) => !line.includes('"ended"'));
    theirs.write(state, `${before}${open.join('\n')}\n`);
    commitAll(theirs, 'A run that was killed');
    const merged = pulls(ours, theirs);
    expect(merged.ok, merged.said).toBe(true);
    expect(await expectNothingDue(ours, 't*')).toEqual([]);
    expect(projects(ours)).toEqual(expect.arrayContaining([...paid]));
    expect(projects(ours)).toHaveLength(3);
  });

  longTest('add the state file on both sides, in a folder with spaces', async () => {
    const ours = unionOrigin();
    const folder = "the team's clips & more";
    ours.write(`${folder}/pipeline.yaml`, memes);
    commitAll(ours, 'Move it');
    const theirs = cloneOf(ours);
    const run = async (rig: Rig, items: string) => {
      const warnings: RunEvent[] = [];
      const { summary } = await runWith(
        await loadPipeline(rig.path(`${folder}/pipeline.yaml`)),
        {
          ...{ ...only(items), commit: true },
          env: { PATH: process.env['PATH'], ...envOf(local), ...identity, ...elsewhere(rig) },
          onEvent: (event) => {
            if (event.type === 'warning') warnings.push(event);
          },
        },
        { backoffMs: 1, speedFactor: 1000 },
      );
      return [summary.outcome, warnings, summary.credits.charged];
    };
    expect(await run(ours, 'one')).toEqual(['done', [], 10]);
    expect(await run(theirs, 'two')).toEqual(['done', [], 10]);
    const merged = pulls(ours, theirs);
    expect(merged.ok, merged.said).toBe(true);
    expect(await run(ours, '{one,two}')).toEqual(['done', [], 0]);
    const text = ours.read(join(folder, state));
    expect([...text.matchAll(/^\{"job":"/gm)]).toHaveLength(2);
  });
});

test('conflict markers that somebody committed are read over, and the next run removes them', async () => {
  const [ours, theirs] = await twoClones(origin());
  await runs(ours, 'two');
  await runs(theirs, 'three');
  // As the button of a forge merges, which knows no driver.
  ours.write('.git/info/attributes', '*.state.jsonl merge\n');
  const pulled = pulls(ours, theirs);
  expect(pulled.ok, pulled.said).toBe(false);
  expect(ours.read(state)).toContain('<<<<<<< ');
  commitAll(ours, 'Merge');
  expect(await expectNothingDue(ours, '{one,two,three}')).toEqual([
    expect.stringContaining('conflict marker'),
  ]);
  expect(ours.read(state)).not.toContain('<<<<<<< ');
  expect(projects(ours)).toHaveLength(3);
});

test('an older state file that somebody checked out is joined with that of HEAD', async () => {
  const [ours, theirs] = await twoClones();
  await runs(theirs, 'two');
  expect(pulls(ours, theirs).ok).toBe(true);
  const newest = ours.read(state);
  git(ours.folder, 'checkout', '--quiet', 'HEAD~1', '--', state);
  expect(ours.read(state)).not.toBe(newest);
  await expectNothingDue(ours, 'two');
  expect(ours.read(state)).toBe(newest);
});
