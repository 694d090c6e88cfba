// Whatever a service answers, the record that is written can be read, needs no repair, and holds every payment that was
// told. The long mode: RUNS=20000 SEED=1 npx vitest run test/hostile/fuzz
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject } from '../../../src/base/json.ts';
import { printable } from '../../../src/base/printable.ts';
import { mostCredits } from '../../../src/contract/api/bounds.ts';
import { viewsOf } from '../../../src/model/job-view.ts';
import { worthOf } from '../../../src/model/state.ts';
import { type Loaded, loadState } from '../../../src/state/load-state.ts';
import { repaired } from '../../../src/state/repair.ts';
import { temporaryFolder } from '../../files/places.ts';
import { type Talk, talks } from './answers.ts';
import { header, parsed, reserve, ScriptedRun } from './scripted-run.ts';

const seed = Number(process.env['SEED'] ?? 20261122);
const runs = Number(process.env['RUNS'] ?? 80);

/** By another way than the schemas: what makes an id usable. */
function isUsable(id: unknown): id is string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') return false;
  if (!id.isWellFormed() || Array.from(id).length > 200) return false;
  return Array.from(id).every((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0x1f && !(code >= 0x7f && code <= 0x9f);
  });
}

const isCharge = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= mostCredits;

/** Every figure that the service told where a charge stands, and what was set aside. */
function charges({ creation, records }: Talk): readonly number[] {
  const answers = [creation, ...records].map(({ text }) => parsed(text));
  return answers.flatMap((value) =>
    isObject(value)
      ? [value['credits_charged'], value['frame_cost'], value['estimated_frame_cost']]
          .filter(isCharge)
          .map(Math.ceil)
      : [],
  );
}

async function read(file: string): Promise<Loaded> {
  const loaded = await loadState(file);
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

async function assertWhole(file: string): Promise<void> {
  const found = await repaired(file, [], header, '2026-11-28T00:00:00.000Z');
  if (!found.ok) throw new Error(found.error);
  if (found.value.unreadable.length > 0) throw new Error(JSON.stringify(found.value.unreadable));
}

const seen = { doubt: 0, complete: 0, deleted: 0, failed: 0, torn: 0 };

async function check(talk: Talk, folder: string, deep: boolean): Promise<void> {
  const scripted = new ScriptedRun(talk);
  await scripted.run();
  const [first] = scripted.lines;
  // The service was away before anything was begun.
  if (first === undefined) {
    expect([scripted.asked, scripted.text]).toEqual([0, '']);
    return;
  }
  const text = scripted.lines.map((line) => `${line}\n`).join('');
  // Nothing that a terminal would obey, and no half characters.
  expect(text).toBe(printable(text, true));
  const file = join(folder, 'p.state.jsonl');
  writeFileSync(file, text);
  const { ledger, warnings } = await read(file);
  expect(warnings).toEqual([]);
  money(talk, ledger, scripted.asked);
  const bytes = Buffer.from(text);
  const from = first.length + 1;
  const cut = from + Math.floor(talk.cut * (bytes.length - from));
  writeFileSync(file, bytes.subarray(0, cut));
  seen.torn += (await read(file)).warnings.length;
  // As the run leaves it.
  writeFileSync(file, scripted.text);
  const again = await read(file);
  expect(again.record.isClean).toBe(true);
  expect(viewsOf(again.ledger)).toEqual(viewsOf(ledger));
  if (deep) await assertWhole(file);
}

/** What was told of the payment is in the ledger, and nothing that nobody told. */
function money(talk: Talk, ledger: Loaded['ledger'], asked: number): void {
  const job = viewsOf(ledger).find(({ kind }) => kind === 'face-swap-photo');
  const { charged, reserved } = ledger.totals();
  if (job === undefined) {
    // The service was away before anything was begun.
    expect({ charged, reserved, asked }).toEqual({ charged: 0, reserved: 0, asked: 0 });
    return;
  }
  const figures = [0, reserve, ...charges(talk)];
  expect(charged).toBe(worthOf(job));
  expect(figures).toContain(worthOf(job));
  expect(Math.max(...figures)).toBeGreaterThanOrEqual(charged);
  const open = job.state === 'doubt' || job.state === 'intended';
  expect(reserved).toBe(open ? reserve : 0);
  if (job.project !== undefined && !isUsable(job.project)) throw new Error(`kept: ${job.project}`);
  const { status, text } = talk.creation;
  const value = parsed(text);
  const id = isObject(value) ? value['id'] : undefined;
  // The run has stopped before it was sent.
  if (asked === 0) expect([job.project, charged, reserved]).toEqual([undefined, 0, 0]);
  else if (status !== 200) expect(job.project).toBeUndefined();
  else if (!isUsable(id)) expect(job.state).toBe('doubt');
  else expect(job.project).toBe(id);
  if (job.state in seen) seen[job.state as 'doubt'] += 1;
}

test(`whatever a service answers, its record can be read and lacks no payment (seed ${seed}, ${runs} runs)`, {
  timeout: 1_800_000,
}, async () => {
  const folder = temporaryFolder();
  let told = 0;
  await fc.assert(
    fc.asyncProperty(talks, (talk) => check(talk, folder, told++ % 10 === 0)),
    { seed, numRuns: runs },
  );
  if (process.env['RUNS'] !== undefined) console.log(JSON.stringify({ told, ...seen }));
  // The property cannot pass by trying nothing.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});
