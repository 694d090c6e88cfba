// The real command on damaged state files, and the bill of the runs that go on with what it proposes.

import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repair } from '../../src/features/repair/repair.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import {
  begunHeader,
  bill,
  envOf,
  journalInto,
  ownReceipts,
  photoPipeline,
  photoRig,
  type Rig,
  service,
} from '../rig.ts';
import { sampleOf } from '../sweep.ts';

const state = 'photos.state.jsonl';

const charged = (local: LocalService): readonly number[] => [...bill(local.ledger()).values()];

/** Has the command write its proposal, and puts that in place as the command says. */
async function mended(rig: Rig, env: Readonly<Record<string, string>>): Promise<string> {
  rmSync(rig.path('better.jsonl'), { force: true });
  const { code, stdout, stderr } = await rig.command(
    ['repair', 'pipeline.yaml', '--write', 'better.jsonl'],
    env,
  );
  expect(stderr).toBe('');
  expect(code).toBe(1);
  expect(stdout).toContain(`  mv better.jsonl ${state}`);
  expect(existsSync(rig.path('better.jsonl'))).toBe(true);
  renameSync(rig.path('better.jsonl'), rig.path(state));
  return stdout;
}

test('a whole state file has nothing to repair', async () => {
  const local = await service();
  const rig = await photoRig(1);
  const none = await rig.command(['repair', 'pipeline.yaml']);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('there is no state file');
  await rig.run(local);
  const before = rig.read(state);
  const { code, stdout } = await rig.command([
    'repair',
    'pipeline.yaml',
    '--write',
    'better.jsonl',
  ]);
  expect(code).toBe(0);
  expect(stdout).toBe(`Service: ${local.address}\n${state}: nothing to repair.\n`);
  expect(existsSync(rig.path('better.jsonl'))).toBe(false);
  expect(rig.read(state)).toBe(before);
});

test('a damaged one is refused with a pointer to repair, which lists what is wrong and keeps what was paid', async () => {
  const local = await service();
  const env = envOf(local);
  const rig = await photoRig(3);
  await rig.run(local);
  const lines = rig.read(state).trimEnd().split('\n');
  const swap = lines.findIndex((line) => line.includes('"swap:p2.png"'));
  const torn = lines.with(swap, (lines[swap] ?? '').slice(0, -2)).toSpliced(1, 0, '=======');
  rig.write(state, `${torn.join('\n')}\n`);

  for (const command of ['run', 'plan', 'status']) {
    const { code, stderr } = await rig.command([command, 'pipeline.yaml'], env);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `${state}:2: it is a conflict marker of git: a merge was left unresolved`,
    );
    expect(stderr).toContain('shotlist repair ');
  }

  const shown = await rig.command(['repair', 'pipeline.yaml'], env);
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain('2 damages found; the file is left as it is.');
  expect(shown.stdout).toContain('line 2: a git conflict marker that belongs to no conflict');
  expect(shown.stdout).toContain(`line ${swap + 2}: it is not JSON (`);
  expect(shown.stdout).toMatch(/kept: .*p2\.png.*: not readable → /);
  expect(shown.stdout).toContain('To write it: shotlist repair pipeline.yaml --write <new file>');
  expect(rig.read(state)).toBe(`${torn.join('\n')}\n`);

  const facts = await rig.command(['repair', 'pipeline.yaml', '--json'], env);
  expect(facts.code).toBe(1);
  expect(JSON.parse(facts.stdout)).toMatchObject({
    intact: false,
    damages: [
      { line: 2, kind: 'marker' },
      { line: swap + 2, kind: 'not-json' },
    ],
    proposal: { header: { pipeline: 'photos' }, credits: { after: { charged: 30 } } },
  });

  await mended(rig, env);
  const again = await rig.run(local);
  expect(again.summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
  expect(charged(local)).toEqual([10, 10, 10]);
  expect(local.ledger().filter(({ kind }) => kind === 'charge')).toHaveLength(3);
});

test('any line of a journal can be cut: the run on the proposal charges nothing twice', async () => {
  const local = await service();
  const rig = await photoRig(2);
  const lines: string[] = [];
  await rig.run(local, {}, journalInto(lines));
  const header = begunHeader(rig.read(state).split('\n')[0] ?? '');
  const paid = lines
    .map((line, index) => [line, index] as const)
    .filter(([line]) => /"event":"(intent|created|settled|output|deleted)"/.test(line));
  expect(paid.length).toBeGreaterThanOrEqual(10);
  // EVERY=1 cuts each of them.
  for (const [line, index] of sampleOf(paid, 4)) {
    const cut = lines.with(index, line.slice(0, -3));
    rig.write(state, `${[header, ...cut].join('\n')}\n`);
    const loaded = await loadPipeline(rig.file);
    const write = rig.path(`better-${index}.jsonl`);
    const proposed = await resultOf(() => repair(loaded, { write, env: {} }));
    expect(proposed).toMatchObject({ ok: true, value: { intact: false, written: write } });
    renameSync(write, rig.path(state));
    await rig.run(local);
    expect(
      local.ledger().filter(({ kind }) => kind === 'charge'),
      line,
    ).toHaveLength(2);
  }
});

test('two clones that both paid become one state: one project is kept, the other is named', async () => {
  const local = await service();
  const env = envOf(local);
  const rig = await photoRig(1);
  await rig.run(local);
  const ours = rig.read(state).trimEnd().split('\n');
  rmSync(rig.path(state));
  rmSync(rig.path('out'), { recursive: true });
  // On another machine.
  rmSync(ownReceipts()['SHOTLIST_RECEIPTS'] ?? '', { recursive: true });
  await rig.run(local);
  const theirs = rig.read(state).trimEnd().split('\n');
  expect(charged(local)).toEqual([20]);

  const [header = ''] = ours;
  const both = ['<<<<<<< HEAD', ...ours.slice(1), '=======', ...theirs.slice(1), '>>>>>>> other'];
  writeFileSync(rig.path(state), `${[header, ...both].join('\n')}\n`);
  const told = await mended(rig, env);
  const projects = local
    .ledger()
    .flatMap(({ kind, project }) => (kind === 'charge' ? [project] : []));
  const other = projects.find((project) => told.includes(`project ${project} named`));
  expect(other).toBeDefined();
  expect(told).toMatch(/in the proposal +20 charged, 0 refunded/);
  expect(told).toContain('becomes run 2');

  expect((await rig.run(local)).summary.outcome).toBe('done');
  expect(charged(local)).toEqual([20]);
  expect((await rig.command(['repair', 'pipeline.yaml'], env)).code).toBe(0);
});

test('a job whose line is gone but for its name is in doubt without receipts, until a person names its project', async () => {
  const local = await service();
  const kept = photoPipeline.replace(/ {2}tidy: .*\n/, '');
  const rig = await photoRig(1, kept);
  await rig.run(local);
  const env = { ...envOf(local), SHOTLIST_RECEIPTS: rig.path('elsewhere') };
  const lines = rig.read(state).trimEnd().split('\n');
  const cut = lines.map((line) =>
    line.includes('"face-swap-photo"') ? line.slice(0, line.indexOf('"attempt"')) : line,
  );
  rig.write(state, `${cut.join('\n')}\n`);
  expect(await mended(rig, env)).toMatch(/IN DOUBT: .*swap:p1\.png: not readable → doubt/);

  expect((await rig.run(local, {}, {}, env)).summary.outcome).toBe('doubt');
  const project = local.ledger().find(({ kind }) => kind === 'charge')?.project;
  const words = ['resolve', 'pipeline.yaml', 'swap:p1.png', '--project', `${project}`];
  expect(await rig.command(words, env)).toMatchObject({ code: 0, stderr: '' });
  expect((await rig.run(local, {}, {}, env)).summary.outcome).toBe('done');
  expect(charged(local)).toEqual([10]);
});

test('a rehearsal’s state file is repaired with no service set', async () => {
  const rig = await photoRig(1);
  await rig.command(['run', 'pipeline.yaml']);
  const file = '.shotlist/rehearsal/photos/state.jsonl';
  const [, ...lines] = rig.read(file).split('\n');
  rig.write(file, lines.join('\n'));
  const { code, stdout } = await rig.command([
    'repair',
    'pipeline.yaml',
    '--write',
    'better.jsonl',
  ]);
  expect(code).toBe(1);
  expect(stdout).toContain('line 1: no header');
  renameSync(rig.path('better.jsonl'), rig.path(file));
  const again = await rig.command(['run', 'pipeline.yaml']);
  expect(again.stdout).toContain('0 charged');
  expect(again.code).toBe(0);
});
