// resolve --all: many creations in doubt are settled at once, by the hub's list, by a file, or by one answer for all.
import { describe, expect, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { bill, envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';
import { hub } from '../service/receiver.ts';

const creation = 'POST /v1/face-swap-photo';
const oneByOne = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');

interface Doubts {
  readonly local: LocalService;
  readonly rig: Rig;
  readonly env: Readonly<Record<string, string>>;
}

/** Six photos, four in doubt: the service took two of them, and lost the answers; it never took the other two. */
async function fourDoubts(): Promise<Doubts> {
  const faults = [
    { fault: 'reset', on: creation, when: 'after', count: 2 },
    { fault: 'reset', on: creation, when: 'before' },
  ] as const;
  const local = await service({ faults: { faults } });
  const rig = await photoRig(6, oneByOne);
  const { summary } = await rig.run(local);
  expect(summary.tasks.doubt).toBe(4);
  await hub(local.address, '/hub/faults/clear', {});
  return { local, rig, env: envOf(local) };
}

async function isWhole(rig: Rig, local: LocalService): Promise<void> {
  expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 6 } });
  expect([...bill(local.ledger()).values()]).toEqual(Array.from({ length: 6 }, () => 10));
}

const states = (rig: Rig): number =>
  rig.read('photos.state.jsonl').match(/"state":"doubt"/g)?.length ?? 0;

describe('by the list of projects in the hub', () => {
  test('what it has is adopted, what it lacks was never taken if you say so, and nothing is paid twice', async () => {
    const { local, rig, env } = await fourDoubts();
    rig.write('list.json', JSON.stringify(await hub(local.address, '/hub/projects')));
    rig.write('page.json', '[{"id":"x","name":"of others","created_at":"2999-01-01T00:00:00Z"}]');
    const args = ['resolve', 'pipeline.yaml', '--all', '--hub-list', 'list.json'];
    const page = await rig.command([...args.slice(0, -1), 'page.json', '--not-charged'], env);
    expect(page.stdout).toContain('4 creations still in doubt: page.json begins after it');
    const first = await rig.command(args, env);
    expect(first).toMatchObject({ code: 4, stderr: '' });
    expect(first.stdout).toContain('2 creations found: the next run continues with their projects');
    expect(first.stdout).toContain('2 creations still in doubt: list.json does not have it');
    expect(states(rig)).toBe(2);
    const second = await rig.command([...args, '--not-charged', '--json'], env);
    expect(second.code).toBe(0);
    const said = JSON.parse(second.stdout);
    expect(said.left).toEqual([]);
    expect(said.settled.map(({ how }: { how: string }) => how)).toEqual([
      'not-charged',
      'not-charged',
    ]);
    await isWhole(rig, local);
  });

  test('as CSV, or as the text of the page, which has names without ids', async () => {
    const { local, rig, env } = await fourDoubts();
    const names = local.ledger().flatMap(({ name }) => name ?? []);
    // As a page may show them: cut in the front, and escaped.
    const shown = names.map(
      (name) => `<li>…${name.slice(-12).replace('#', '&#35;')} complete</li>`,
    );
    rig.write('page.txt', `Projects\n${shown.join('\n')}\n`);
    const all = ['resolve', 'pipeline.yaml', '--all', '--hub-list'];
    const text = await rig.command([...all, 'page.txt', '--not-charged'], env);
    expect(text.code).toBe(4);
    expect(text.stdout).toContain('2 creations never taken: the next run sends them again');
    expect(text.stdout).toContain('2 creations still in doubt: page.txt has it without its id');
    const rows = local.ledger().map(({ name, project }) => `${name};${project}`);
    rig.write('list.csv', `Name;ID\n${rows.join('\n')}\n`);
    expect((await rig.command([...all, 'list.csv'], env)).code).toBe(0);
    await isWhole(rig, local);
  });
});

test('by a file of decisions, which is written to be filled in', async () => {
  const { local, rig, env } = await fourDoubts();
  const args = ['resolve', 'pipeline.yaml', '--all', '--decisions', 'decisions.csv'];
  const offered = await rig.command(args, env);
  expect(offered.code).toBe(4);
  expect(offered.stdout).toContain('decisions.csv lists the 4 creations in doubt');
  const [header = '', ...rows] = rig.read('decisions.csv').trim().split('\n');
  expect(header).toBe('task,name,begun,credits,decision');
  const projects = new Map(local.ledger().map(({ name, project }) => [name, project]));
  const decided = rows.map(
    (row) => `${row}${projects.get(row.split(',')[1] ?? '') ?? 'not-charged'}`,
  );

  rig.write('decisions.csv', [header, ...rows.slice(1), `${rows[0]}no idea`].join('\n'));
  const wrong = await rig.command(args, env);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(/decisions\.csv:5.*"no idea" is no decision/s);

  rig.write('decisions.csv', [header, ...decided.slice(0, 3), rows[3]].join('\n'));
  const some = await rig.command(args, env);
  expect(some.code).toBe(4);
  expect(some.stdout).toContain('1 creation still in doubt: decisions.csv does not decide it');
  rig.write('decisions.csv', [header, ...decided].join('\n'));
  expect((await rig.command(args, env)).code).toBe(0);
  await isWhole(rig, local);
});

test('without anything said, and with nobody to ask, or by a list that is not complete or of another account, it settles nothing', async () => {
  const { local, rig, env } = await fourDoubts();
  const resolve = async (...args: readonly string[]) =>
    await rig.command(['resolve', 'pipeline.yaml', ...args], env);
  const asked = await resolve('--all');
  expect(asked.code).toBe(2);
  expect((await resolve('--all', '--project', 'x')).stderr).toContain('is about one task');
  expect((await resolve('swap:p1.png', '--all')).stderr).toContain('cannot be used together');
  expect(states(rig)).toBe(4);

  // One more project, which stays at the service.
  rig.write('pipeline.yaml', oneByOne.replace(/ {2}tidy: .*\n/, ''));
  await rig.run(local, { items: { only: 'p5.png' } });
  const before = rig.read('photos.state.jsonl');
  expect(before).toContain('"state":"complete"');
  rig.write('empty.json', '{"projects":[]}');
  rig.write('notes.txt', 'nothing of all this');
  for (const [list, says] of [
    ['empty.json', 'empty.json is not complete: it lacks project'],
    ['notes.txt', 'notes.txt has no project of this state file'],
  ] as const) {
    const { code, stderr } = await resolve('--all', '--hub-list', list, '--not-charged');
    expect(stderr).toContain(says);
    expect(code).toBe(2);
    expect(rig.read('photos.state.jsonl')).toBe(before);
  }
  expect(states(rig)).toBe(4);
  expect((await resolve('--all', '--abandon')).code).toBe(0);
});
