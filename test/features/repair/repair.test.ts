// Repair on real state files, damaged at random: it never throws, what it proposes loads, and nothing that was paid for
// and can still be read looks unpaid.

import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Repaired, type RepairOptions, repair } from '../../../src/features/repair/repair.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { resultOf } from '../../../src/language/load/refusal.ts';
import { memoryStore } from '../../../src/model/job-store.ts';
import type { Ledger } from '../../../src/model/ledger.ts';
import type { JobLine } from '../../../src/model/line.ts';
import { realClock } from '../../../src/run/clock.ts';
import { writeLedger } from '../../../src/state/compaction.ts';
import { loadState } from '../../../src/state/load-state.ts';
import { Lock } from '../../../src/state/lock.ts';
import { rawLines } from '../../../src/state/raw-lines.ts';
import { isWhole, type Repair, repairOf } from '../../../src/state/repair/proposal.ts';
import { temporaryFolder } from '../../files/places.ts';
import { begunHeader, journalInto, photoRig, type Rig, service } from '../../rig.ts';
import { place, spoils, spoilt } from '../../spoil.ts';
import { partOf } from '../../sweep.ts';

/** The lines of a run's journal, and what it was compacted to: five photos, one of which fails, and credits for three. */
async function realRun(): Promise<{ readonly journal: string[]; readonly compacted: string[] }> {
  const failing = { fault: 'job-error', code: 'no_source_face', count: 1 } as const;
  const local = await service({ credits: 30, faults: { faults: [failing] } });
  const rig = await photoRig(5);
  const lines: string[] = [];
  await rig.run(local, {}, journalInto(lines));
  const compacted = rig.read('photos.state.jsonl').trimEnd().split('\n');
  return { journal: [begunHeader(compacted[0] ?? ''), ...lines], compacted };
}

const kindOf = (task: string): string | undefined =>
  ({ actor: 'upload', photo: 'upload', faces: 'face-detect' })[task.split(':')[0] ?? ''] ??
  'face-swap-photo';

async function proposed(file: string): Promise<Repair> {
  const lines = await rawLines(file);
  if (!lines.ok) throw new Error(lines.error);
  return repairOf(lines.value, { pipeline: 'photos', service: 'rehearsal', kindOf });
}

async function ledgerOf(lines: readonly string[]): Promise<Ledger> {
  const file = join(temporaryFolder(), 'whole.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const loaded = await loadState(file, memoryStore());
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value.ledger;
}

/** States in which a creation was sent, or may have been, and was not given back. */
const owed: readonly JobLine['state'][] = ['intended', 'created', 'complete', 'deleted', 'doubt'];

/** A line that says by itself that this job was begun. */
const tells = (line: string, { job }: JobLine): boolean =>
  line.includes(`"job":"${job}"`) && /"event":"(intent|created)"|"tasks":/.test(line);

describe('a real state file, damaged at random', () => {
  let once: ReturnType<typeof realRun> | undefined;
  const theRun = (): ReturnType<typeof realRun> => {
    once ??= realRun();
    return once;
  };

  test('is whole before that', async () => {
    const real = await theRun();
    for (const lines of [real.journal, real.compacted]) {
      const file = join(temporaryFolder(), 'p.jsonl');
      writeFileSync(file, `${lines.join('\n')}\n`);
      expect((await proposed(file)).damages).toEqual([]);
    }
    const states = [...(await ledgerOf(real.compacted)).jobs()].map(({ state }) => state);
    expect(states).toContain('deleted');
    expect(states).toContain('failed');
  });

  test.each([
    ['a journal, cut by a crash anywhere', 'journal', 1, 1],
    ['a journal, damaged several times', 'journal', 3, 2],
    ['a compacted file', 'compacted', 1, 3],
    ['a compacted file, damaged several times', 'compacted', 3, 4],
  ] as const)(
    '%s: loading refuses or accepts it and leaves it as it is, and the proposal is safe',
    async (_name, which, most, seed) => {
      const all = (await theRun())[which];
      const folder = temporaryFolder();
      let count = 0;
      const property = fc.asyncProperty(
        place,
        fc.array(spoils, { minLength: 1, maxLength: most }),
        async (share, list) => {
          const lines =
            which === 'journal' ? all.slice(0, 1 + Math.floor(share * all.length)) : all;
          const bytes = list.reduce<Buffer>(spoilt, Buffer.from(`${lines.join('\n')}\n`));
          count += 1;
          const file = join(folder, `${count}.jsonl`);
          writeFileSync(file, bytes);
          const loaded = await loadState(file, memoryStore());
          if (!loaded.ok) expect(loaded.error).toMatch(new RegExp(`^${file}:\\d+: `));
          const found = await proposed(file);
          expect(readFileSync(file).equals(bytes)).toBe(true);
          if (!loaded.ok) expect(isWhole(found)).toBe(false);

          const better = `${file}.proposal`;
          if (found.header === undefined) throw new Error('there is a service to fall back on');
          await using handle = await open(better, 'wx');
          await writeLedger(handle, found.header, found.ledger);
          const again = await loadState(better, memoryStore());
          if (!again.ok) throw new Error(again.error);
          expect((await proposed(better)).damages.filter(({ kind }) => kind !== 'missing')).toEqual(
            [],
          );

          const left = new Set(bytes.toString('utf8').split(/\r?\n/));
          for (const job of (await ledgerOf(lines)).jobs()) {
            const readable = lines.some((line) => tells(line, job) && left.has(line));
            if (!owed.includes(job.state) || !readable) continue;
            const now = again.value.ledger.job(job.job);
            expect(owed, `${job.tasks.join()} was ${job.state}`).toContain(now?.state);
            const named = lines.some(
              (line) =>
                job.project !== undefined &&
                line.includes(`"project":"${job.project}"`) &&
                left.has(line),
            );
            if (named)
              expect([now?.project, ...(now?.past ?? []).map(({ project }) => project)]).toContain(
                job.project,
              );
          }
        },
      );
      await fc.assert(property, { seed, numRuns: partOf(25) });
    },
  );
});

async function repaired(rig: Rig, options: RepairOptions = {}): Promise<Repaired | string> {
  const loaded = await loadPipeline(rig.file);
  const found = await resultOf(() => repair(loaded, { env: {}, ...options }));
  return found.ok ? found.value : (found.error.diagnostics[0]?.message ?? '');
}

describe('--write', () => {
  async function damagedRig(): Promise<Rig> {
    const rig = await photoRig(2);
    await rig.run(await service());
    const lines = rig.read('photos.state.jsonl').split('\n');
    rig.write('photos.state.jsonl', lines.with(3, '<<<<<<< HEAD').join('\n'));
    return rig;
  }

  test('makes a new file that loads, and leaves the damaged one as it is', async () => {
    const rig = await damagedRig();
    const before = rig.read('photos.state.jsonl');
    const write = rig.path('better.jsonl');
    expect(await repaired(rig, { write })).toMatchObject({ intact: false, written: write });
    expect(rig.read('photos.state.jsonl')).toBe(before);
    expect(statSync(write).mode & 0o777).toBe(0o644 & ~process.umask());
    expect((await loadState(write, memoryStore())).ok).toBe(true);
  });

  test('overwrites nothing, and never the damaged file, by whatever name', async () => {
    const rig = await damagedRig();
    const before = rig.read('photos.state.jsonl');
    rig.write('mine.jsonl', 'mine');
    symlinkSync(rig.path('photos.state.jsonl'), rig.path('link.jsonl'));
    symlinkSync(rig.folder, rig.path('here'));
    const tries = [
      ['mine.jsonl', 'exists already'],
      ['photos.state.jsonl', 'the damaged file itself'],
      ['here/photos.state.jsonl', 'the damaged file itself'],
      ['link.jsonl', 'exists already'],
      ['no/such/folder.jsonl', 'does not exist'],
    ] as const;
    for (const [name, why] of tries)
      expect(await repaired(rig, { write: rig.path(name) }), name).toContain(why);
    expect(rig.read('mine.jsonl')).toBe('mine');
    expect(rig.read('photos.state.jsonl')).toBe(before);
  });

  test('writes nothing where there is nothing to repair', async () => {
    const rig = await photoRig(1);
    await rig.run(await service());
    const write = rig.path('better.jsonl');
    expect(await repaired(rig, { write })).toMatchObject({ intact: true });
    expect(existsSync(write)).toBe(false);
  });

  test('needs to know the service, and the pipeline', async () => {
    const rig = await damagedRig();
    const [, ...lines] = rig.read('photos.state.jsonl').split('\n');
    rig.write('photos.state.jsonl', lines.join('\n'));
    const write = rig.path('better.jsonl');
    expect(await repaired(rig, { write })).toContain('which service');
    expect(await repaired(rig, { write, service: 'http://service.example' })).toContain(
      'unencrypted',
    );
    const there = await repaired(rig, { write, service: 'https://service.example/' });
    expect(there).toMatchObject({ written: write });
    expect(rig.read('better.jsonl')).toContain('"service":"https://service.example"');
    rig.write(
      'photos.state.jsonl',
      ['{"shotlist":3,"pipeline":"other","service":"rehearsal"}', 'x', ''].join('\n'),
    );
    expect(await repaired(rig, { write: rig.path('c.jsonl') })).toContain(
      'belongs to the pipeline "other"',
    );
  });
});

test('while a run holds the lock, nothing is read', async () => {
  const rig = await photoRig(1);
  await rig.run(await service());
  const lock = await Lock.take(rig.path('.shotlist/photos.state.jsonl.lock'), realClock);
  expect(await repaired(rig)).toContain('another run holds');
  await lock?.release();
  expect(await repaired(rig)).toMatchObject({ intact: true });
});

test('what may be a secret in a damaged line is not shown', async () => {
  const rig = await photoRig(1);
  await rig.run(await service());
  const secret = 'mhk_live_0123456789abcdefghijklmn';
  const rubbish = `Bearer abc KEY=${secret} https://a.example/x?sig=${secret} \u001b[2J`;
  rig.write('photos.state.jsonl', `${rig.read('photos.state.jsonl')}${rubbish}\n`);
  const found = JSON.stringify(await repaired(rig));
  expect(found).toContain('not-json');
  expect(found).not.toContain(secret);
  expect(found).not.toContain('abc KEY');
  expect(found).not.toContain('\\u001b');
});

test('bytes that are no text are told, and what stands around them is kept', async () => {
  const rig = await photoRig(1);
  await rig.run(await service());
  const bytes = readFileSync(rig.path('photos.state.jsonl'));
  bytes[bytes.indexOf('"name":"') + 9] = 0xff;
  rig.write('photos.state.jsonl', bytes);
  const found = await repaired(rig);
  if (typeof found === 'string') throw new Error(found);
  expect(found.damages).toMatchObject([{ kind: 'bytes' }]);
  expect(found.proposal.jobs.map(({ state }) => state)).toContain('deleted');
});
