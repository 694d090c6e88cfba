// A worker that has the secret and lies: it answers that results are saved that are not, or not like that.
// Arguments: the database, the checkout, how often it lies, a seed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chanceOf } from '../src/base/chance.ts';
import { digestOfBytes } from '../src/base/digest.ts';
import { makeFolder } from '../src/base/folder.ts';
import { outputPath } from '../src/core/output-path.ts';
import { EngineDatabase, type EngineRun } from '../src/distributed/database.ts';
import { type Errand, Seal, type Task, workerSecret } from '../src/distributed/errand.ts';
import { Queue } from '../src/distributed/queue.ts';

const [, , url = '', folder = '', lies = '0', seed = '1'] = process.argv;
const chance = chanceOf(Number(seed), 0);
const database = await EngineDatabase.open({ url, shown: 'the database' }, 2);
const { sql } = database;
let left = Number(lies);

async function heldRun(): Promise<EngineRun> {
  for (;;) {
    // There may be no tables yet.
    const runs = await database.runs('torture').catch(() => []);
    const run = runs.find(({ isHeld }) => isHeld);
    if (run !== undefined) return run;
    await wait(200);
  }
}

/** What a hand would have answered, or nearly. */
async function lieAbout({ url: from, spot }: Task<'save'>, { under }: Errand) {
  const below = outputPath(spot.to, { ...spot, extension: 'png' });
  if (!below.ok) throw new Error(below.error);
  const bytes = Buffer.from(await (await fetch(from)).arrayBuffer());
  const other = Buffer.from(`no picture ${chance()}`);
  const how = ['nothing is there', 'another hash', 'other bytes'][Math.floor(chance() * 3)];
  const claimed = how === 'another hash' ? other : bytes;
  if (how !== 'nothing is there') {
    const place = join(folder, 'out', below.value);
    makeFolder(join(place, '..'));
    writeFileSync(place, how === 'other bytes' ? other : bytes);
  }
  const path = `${under}/${below.value}`;
  process.stdout.write(`${JSON.stringify({ type: 'lied', path, how })}\n`);
  return { path, bytes: claimed.length, sha256: digestOfBytes(claimed) };
}

const run = await heldRun();
const secret = workerSecret(process.env);
const errands = new Seal(secret, run.run, 'errands');
const answers = new Seal(secret, run.run, 'answers');
const { files } = await Queue.open(sql, run.run);

async function turn(): Promise<void> {
  await sql.query(
    `insert into shotlist.worker values ($1, 'liar', 'liar', 1, 0, true, null, clock_timestamp())
     on conflict (run, worker) do update set at = clock_timestamp()`,
    [run.run],
  );
  for (const taken of await files.fetch(1)) {
    const [epoch, until, sealed = ''] = taken.text.split(' ');
    const bound = { epoch: Number(epoch), id: taken.id, until: Number(until) };
    const errand = errands.open<Errand>(bound, sealed);
    if (errand?.task.do !== 'save') {
      await files.giveBack([taken]);
      continue;
    }
    const value = await lieAbout(errand.task, errand);
    const result = { ok: true, value: { ok: true, value } };
    const body = `${taken.id} ${answers.close(bound, { is: 'done', result })}`;
    await sql.transaction(async (within) => {
      await within.query('insert into shotlist.result (run, body) values ($1, $2)', [
        run.run,
        body,
      ]);
      await files.finish([taken], within);
    });
    left -= 1;
  }
}

while (left > 0) {
  // The database crashes now and then.
  await turn().catch(() => undefined);
  await wait(100);
}
await sql.query("delete from shotlist.worker where worker = 'liar'").catch(() => undefined);
await database.close();
