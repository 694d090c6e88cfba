// Another program changes the state file of a run: before its first line, and while lines are written. Nothing that
// either side has paid for is lost or paid again.
import { appendFileSync, existsSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type LocalService, startService } from '../../src/service/start.ts';
import { bill, ended, envOf, plainly, type Rig, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { atLine } from './at-line.ts';
import { cloneOf, commitAll, git, memes, origin, state, takes } from './clones.ts';

let local: LocalService;
beforeAll(async () => {
  local = await startService(plainly);
  return () => local.close();
});

const unsaved = `${state}.unsaved`;
const only = (items: string) => ({ items: { only: items } }) as const;

/** The number of creations that the service has charged for. */
const charges = (): number => local.ledger().filter(({ kind }) => kind === 'charge').length;

async function runs(rig: Rig, items: string): Promise<void> {
  const { summary } = await rig.run(local, only(items));
  expect(summary.outcome).toBe('done');
  commitAll(rig, `Run ${items}`);
}

/** The project of each item. */
const projects = (rig: Rig): readonly string[] =>
  [...rig.read(state).matchAll(/"project":"([^"]+)"/g)].map(([, id = '']) => id).sort();

describe('a git pull after a run has read its state file, and before it writes', () => {
  async function pulled(): Promise<{ ours: Rig; theirs: Rig; pull: () => void }> {
    const ours = origin();
    await runs(ours, 'one');
    const theirs = cloneOf(ours);
    await runs(theirs, 'two');
    const pull = (): void => {
      const { ok, said } = takes(ours, 'pull', '--quiet', '--ff-only', theirs.folder, 'main');
      expect(said).toBe('');
      expect(ok).toBe(true);
    };
    return { ours, theirs, pull };
  }

  test('stops the run before it buys anything; the next run has what was pulled', async () => {
    const { ours, theirs, pull } = await pulled();
    const paid = charges();
    const running = ours.run(local, only('three'), atLine('"event":"run"', pull));
    await expect(running).rejects.toThrow(
      /memes\.state\.jsonl was changed, replaced or removed by another program .* nothing was bought/,
    );
    expect(charges()).toBe(paid);
    expect(ours.read(state)).toBe(theirs.read(state));
    expect(existsSync(ours.path(unsaved))).toBe(false);

    const { summary } = await ours.run(local);
    expect(summary.outcome).toBe('done');
    expect(charges()).toBe(paid + 2);
    expect(projects(ours)).toHaveLength(4);
  });

  test('that brings the first state file stops the run, too', async () => {
    const ours = origin();
    const theirs = cloneOf(ours);
    await runs(theirs, 'two');
    const paid = charges();
    const running = ours.run(
      local,
      only('three'),
      atLine('"event":"run"', () =>
        takes(ours, 'pull', '--quiet', '--ff-only', theirs.folder, 'main'),
      ),
    );
    await expect(running).rejects.toThrow('nothing was bought');
    expect(charges()).toBe(paid);
    expect(ours.read(state)).toBe(theirs.read(state));
  });

  test('that brings nothing new about this pipeline changes nothing', async () => {
    const ours = origin();
    await runs(ours, 'one');
    const text = ours.read(state);
    // As git does when it changes branches to and fro: another file with the same content.
    const again = (): void => {
      ours.write('copy', text);
      renameSync(ours.path('copy'), ours.path(state));
    };
    const { summary } = await ours.run(local, only('three'), atLine('"event":"run"', again));
    expect(summary.outcome).toBe('done');
    expect(projects(ours)).toHaveLength(2);
  });
});

describe('a program that changes the state file while a run writes to it', () => {
  const oneByOne = memes.replace('output: out', 'output: out\nlimits: { items: 1 }');

  /** As the command that is shown says. */
  async function merges(rig: Rig): Promise<void> {
    const { code, stderr } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(code).toBe(2);
    expect(stderr).toContain(`shotlist merge ${state} ${unsaved} && rm ${unsaved}`);
    const merged = await rig.command(['merge', state, unsaved]);
    expect(merged.stderr).toBe('');
    expect(merged.code).toBe(0);
    rmSync(rig.path(unsaved));
  }

  /** Everything is done, and each item was paid once. */
  async function goesOn(rig: Rig, paid: number): Promise<void> {
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0 } });
    expect(charges()).toBe(paid + 4);
    expect(rig.files('out')).toEqual(['four.png', 'one.png', 'three.png', 'two.png']);
    expect((await rig.run(local)).summary.credits.charged).toBe(0);
  }

  const replaced = (rig: Rig, text: string) => (): void => {
    rig.write('other', text);
    renameSync(rig.path('other'), rig.path(state));
  };

  test.each([
    ['the second', 'intent', 2],
    ['the first', 'created', 2],
    ['the', 'ended', 4],
  ])(
    'by another one at %s %s: the run stops, leaves that file as it is, and keeps its record beside it',
    async (which, event, charged) => {
      const rig = origin(oneByOne);
      const paid = charges();
      await runs(rig, 'one');
      const text = rig.read(state);
      const times = which === 'the second' ? 2 : 1;
      const replace = atLine(`"event":"${event}"`, replaced(rig, text), times);
      const first = await rig.run(local, {}, replace);
      expect(first.summary).toMatchObject({
        outcome: 'failed',
        stopped: `another program changed ${rig.path(state)} during the run`,
        tasks: { doubt: 0 },
        credits: { reserved: 0 },
      });
      expect(charges()).toBe(paid + charged);
      expect(rig.read(state)).toBe(text);
      await merges(rig);
      await goesOn(rig, paid);
    },
  );

  test.each<[string, (file: string) => void]>([
    ['adds lines', (file) => appendFileSync(file, '{"seq":99}\n')],
    ['cuts the file off', (file) => truncateSync(file, 10)],
  ])('and %s: the run leaves the damage as it is, and has its own record', async (_, act) => {
    const rig = origin(oneByOne);
    const paid = charges();
    let damaged = '';
    const spoil = (): void => {
      act(rig.path(state));
      damaged = rig.read(state);
    };
    const first = await rig.run(local, {}, atLine('"event":"settled"', spoil));
    expect(first.summary).toMatchObject({ outcome: 'failed', tasks: { doubt: 0 } });
    expect(rig.read(state)).toBe(damaged);
    renameSync(rig.path(unsaved), rig.path(state));
    await goesOn(rig, paid);
  });

  test('and removes it: the run does not make another one, and says how to put the record there', async () => {
    const rig = origin(oneByOne);
    const paid = charges();
    const gone = (): void => rmSync(rig.path(state));
    const first = await rig.run(local, {}, atLine('"event":"settled"', gone));
    expect(first.summary).toMatchObject({ outcome: 'failed', tasks: { doubt: 0 } });
    expect(existsSync(rig.path(state))).toBe(false);
    const { code, stderr } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(code).toBe(2);
    expect(stderr).toContain(`mv ${unsaved} ${state}`);
    renameSync(rig.path(unsaved), rig.path(state));
    await goesOn(rig, paid);
  });

  longTest(
    'from another process, with git: a real run ends with exit code 1, and a commit takes nothing of it',
    async () => {
      const slow = await startService({ ...plainly, speed: 60 });
      try {
        const rig = origin(oneByOne);
        const child = rig.start(['run', 'pipeline.yaml', '--commit'], envOf(slow));
        const end = ended(child);
        await until('it is charged', () => bill(slow.ledger()).size > 0);
        await until('there is a state file', () => existsSync(rig.path(state)));
        git(rig.folder, 'stash', '--quiet', '--include-untracked');
        const { code, stderr } = await end;
        expect(stderr).toContain(`mv ${unsaved} ${state}`);
        expect(stderr).toContain('nothing was committed');
        expect(code).toBe(1);
        renameSync(rig.path(unsaved), rig.path(state));
        const { summary } = await rig.run(slow);
        expect(summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0 } });
        expect([...bill(slow.ledger()).values()]).toEqual([10, 10, 10, 10]);
      } finally {
        await slow.close();
      }
    },
  );
});

test('an edit of the state file says that the file was changed, and writes nothing', async () => {
  const rig = origin();
  await runs(rig, 'one');
  rig.write(unsaved, '');
  const { code, stderr } = await rig.command(['forget', 'pipeline.yaml', 'save:one'], envOf(local));
  expect(code).toBe(2);
  expect(stderr).toContain(`shotlist merge ${state} ${unsaved}`);
  const shown = await rig.command(['status', 'pipeline.yaml']);
  expect(shown.stderr).toContain('its payments may be missing in the state file');
  expect(shown.code).toBe(0);
});
