// Repair on real state files, damaged at random: it never throws, what it joins loads, and nothing that can still be read is
// lost.
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../../src/core/clock.ts';
import { type Repaired, type RepairOptions, repair } from '../../../src/features/repair/repair.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { resultOf } from '../../../src/language/load/refusal.ts';
import { Ledger } from '../../../src/model/record/ledger.ts';
import { parseLine } from '../../../src/model/record/line.ts';
import { loadRecord, wholeTexts } from '../../../src/state/load-record.ts';
import { Lock } from '../../../src/state/lock.ts';
import {
  type Repaired as RepairedRecord,
  repaired as repairedRecord,
} from '../../../src/state/repair.ts';
import { temporaryFolder } from '../../files/places.ts';
import { journalInto, photoRig, type Rig, service } from '../../rig.ts';
import { place, spoils, spoilt } from '../../spoil.ts';
import { partOf } from '../../sweep.ts';

interface RealRun {
  /** As the run has appended them. */
  readonly appended: readonly string[];
  /** As it has left the file. */
  readonly whole: readonly string[];
}

/** The lines of a run: five photos, one of which fails, and credits for three. */
async function realRun(): Promise<RealRun> {
  const failing = { fault: 'job-error', code: 'no_source_face', count: 1 } as const;
  const local = await service({ credits: 30, faults: { faults: [failing] } });
  const rig = await photoRig(5);
  const lines: string[] = [];
  await rig.run(local, {}, journalInto(lines));
  const whole = rig.read('photos.state.jsonl').trimEnd().split('\n');
  return { appended: [...whole.slice(0, 1), ...lines], whole };
}

/** For a file that has lost its own. */
const noHeader = { shotlist: 4, pipeline: 'photos', service: 'https://none.example' } as const;

async function foundIn(file: string): Promise<RepairedRecord> {
  const found = await repairedRecord(file, [], noHeader, '2026-11-28T00:00:00.000Z');
  if (!found.ok) throw new Error(found.error);
  return found.value;
}

describe('a real state file, damaged at random', () => {
  let once: ReturnType<typeof realRun> | undefined;
  const theRun = (): ReturnType<typeof realRun> => {
    once ??= realRun();
    return once;
  };

  test('is whole before that', async () => {
    for (const lines of Object.values(await theRun())) {
      const file = join(temporaryFolder(), 'p.jsonl');
      writeFileSync(file, `${lines.join('\n')}\n`);
      const { unreadable, ledger } = await foundIn(file);
      expect(unreadable).toEqual([]);
      const states = [...ledger.own()].map(({ state }) => state);
      expect(new Set(states)).toEqual(new Set(['deleted', 'failed']));
      expect([...ledger.texts()]).toEqual((await theRun()).whole);
    }
  });

  test.each([
    ['what was appended, cut by a crash anywhere', 'appended', 1, 1],
    ['what was appended, damaged several times', 'appended', 3, 2],
    ['a file that was written whole', 'whole', 1, 3],
    ['a file that was written whole, damaged several times', 'whole', 3, 4],
  ] as const)(
    '%s: loading refuses or accepts it and leaves it as it is, and repair keeps what can be read',
    async (_name, which, most, seed) => {
      const all = (await theRun())[which];
      const folder = temporaryFolder();
      let count = 0;
      const property = fc.asyncProperty(
        place,
        fc.array(spoils, { minLength: 1, maxLength: most }),
        async (share, list) => {
          const lines =
            which === 'appended' ? all.slice(0, 1 + Math.floor(share * all.length)) : all;
          const bytes = list.reduce<Buffer>(spoilt, Buffer.from(`${lines.join('\n')}\n`));
          count += 1;
          const file = join(folder, `${count}.jsonl`);
          writeFileSync(file, bytes);
          const loaded = await loadRecord(file);
          if (!loaded.ok) expect(loaded.error).toMatch(new RegExp(`^${file}:\\d+: `));
          const { ledger, unreadable } = await foundIn(file);
          expect(readFileSync(file).equals(bytes)).toBe(true);
          if (!loaded.ok) expect(unreadable.length > 0 || ledger.header === noHeader).toBe(true);

          // Whatever line is whole has told all that it says.
          const left = new Set(bytes.toString('utf8').split(/\r?\n/));
          const better = Ledger.of([]);
          for (const text of ledger.texts()) joinText(better, text);
          for (const line of lines.slice(1))
            if (left.has(line)) expect(joinText(better, line), line).toBe(false);

          const again = `${file}.again`;
          writeFileSync(again, Buffer.concat([...wholeTexts(ledger)]));
          expect(await loadRecord(again)).toMatchObject({ ok: true, value: { isClean: true } });
        },
      );
      await fc.assert(property, { seed, numRuns: partOf(25) });
    },
  );
});

/** True if the ledger did not know all of it. */
function joinText(ledger: Ledger, text: string): boolean {
  const read = parseLine(text);
  if (!read.ok) throw new Error(read.error);
  return ledger.join(read.value);
}

async function repaired(rig: Rig, options: RepairOptions = {}): Promise<Repaired | string> {
  const loaded = await loadPipeline(rig.file);
  const found = await resultOf(() => repair(loaded, { env: {}, ...options }));
  return found.ok ? found.value : (found.error.diagnostics[0]?.message ?? '');
}

const state = 'photos.state.jsonl';

/** The third line from the end is no line any more. */
async function damagedRig(): Promise<Rig> {
  const rig = await photoRig(2);
  await rig.run(await service());
  const lines = rig.read(state).split('\n');
  rig.write(state, lines.with(-3, 'rubbish').join('\n'));
  return rig;
}

describe('--write', () => {
  test('replaces the file by one that loads, and keeps the damaged one beside it', async () => {
    const rig = await damagedRig();
    const before = rig.read(state);
    expect(await repaired(rig)).toMatchObject({ intact: false });
    expect(rig.read(state)).toBe(before);
    const kept = `${rig.path(state)}.damaged`;
    expect(await repaired(rig, { write: true })).toMatchObject({ intact: false, written: kept });
    expect(readFileSync(kept, 'utf8')).toBe(before);
    expect(statSync(rig.path(state)).mode & 0o777).toBe(0o644 & ~process.umask());
    expect(await loadRecord(rig.path(state))).toMatchObject({ ok: true, value: { isClean: true } });
    expect(await repaired(rig, { write: true })).toMatchObject({ intact: true });
    expect(
      readdirSync(rig.folder)
        .filter((name) => name.startsWith(state))
        .sort(),
    ).toEqual([state, `${state}.damaged`]);
  });

  test('overwrites no file that was kept, and follows no link', async () => {
    const rig = await damagedRig();
    const before = rig.read(state);
    rig.write(`${state}.damaged`, 'mine');
    rig.write('other', 'mine');
    symlinkSync(rig.path('other'), `${rig.path(state)}.part`);
    const kept = `${rig.path(state)}.damaged-2`;
    expect(await repaired(rig, { write: true })).toMatchObject({ written: kept });
    expect(readFileSync(kept, 'utf8')).toBe(before);
    expect(rig.read(`${state}.damaged`)).toBe('mine');
    expect(rig.read('other')).toBe('mine');
  });

  test('writes nothing where there is nothing to repair', async () => {
    const rig = await photoRig(1);
    await rig.run(await service());
    const { ino } = statSync(rig.path(state));
    const found = await repaired(rig, { write: true });
    expect(found).toMatchObject({ intact: true });
    expect(found).not.toHaveProperty('written');
    expect(statSync(rig.path(state)).ino).toBe(ino);
    expect(existsSync(`${rig.path(state)}.damaged`)).toBe(false);
  });

  test('needs to know the service, and the pipeline', async () => {
    const rig = await damagedRig();
    const [, ...lines] = rig.read(state).split('\n');
    rig.write(state, lines.join('\n'));
    expect(await repaired(rig, { write: true })).toContain('which service');
    expect(await repaired(rig, { write: true, service: 'http://service.example' })).toContain(
      'unencrypted',
    );
    const there = await repaired(rig, { write: true, service: 'https://service.example/' });
    expect(there).toMatchObject({ written: `${rig.path(state)}.damaged` });
    expect(rig.read(state)).toContain('"service":"https://service.example"');
    rig.write(state, '{"shotlist":4,"pipeline":"other","service":"rehearsal"}\nx\n');
    expect(await repaired(rig, { write: true })).toContain('belongs to the pipeline "other"');
  });
});

test('while a run holds the lock, nothing is read', async () => {
  const rig = await photoRig(1);
  await rig.run(await service());
  const lock = await Lock.take(rig.path(`.shotlist/${state}.lock`), realClock);
  expect(await repaired(rig)).toContain('another run holds');
  await lock?.release();
  expect(await repaired(rig)).toMatchObject({ intact: true });
});

test('what may be a secret in a damaged line is not shown', async () => {
  const rig = await photoRig(1);
  await rig.run(await service());
  const secret = 'mhk_live_0123456789abcdefghijklmn';
  const rubbish = `Bearer abc KEY=${secret} https://a.example/x?sig=${secret} \u001b[2J`;
  const job = `{"job":"${secret}","${secret}":1}`;
  rig.write(state, `${rig.read(state)}${rubbish}\n${job}\n`);
  const found = await repaired(rig);
  expect(found).toMatchObject({ unreadable: [{}, {}] });
  const shown = JSON.stringify(found);
  expect(shown).not.toContain(secret);
  expect(shown).not.toContain('abc KEY');
  expect(shown).not.toContain('\\u001b');
});

test('bytes that are no text are told, and what stands around them is kept', async () => {
  const rig = await photoRig(1);
  await rig.run(await service());
  const bytes = readFileSync(rig.path(state));
  const { length } = rig.read(state).trimEnd().split('\n');
  bytes[bytes.lastIndexOf('"kind":"') + 9] = 0xff;
  rig.write(state, bytes);
  const found = await repaired(rig);
  expect(found).toMatchObject({ unreadable: [{ number: length }] });
  if (typeof found !== 'string') expect(found.jobs).toBeGreaterThan(1);
});
