// Errands between a run and its workers, in a real Postgres, with workers as processes that are killed and frozen.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { digestOfBytes } from '../../src/base/digest.ts';
import { Seal } from '../../src/distributed/errand.ts';
import { wordFile } from '../../src/distributed/hand.ts';
import { storeName } from '../../src/language/store.ts';
import { pictureWith } from '../photo.ts';
import { sharedPostgres } from '../postgres.ts';
import { Rig, until } from '../rig.ts';
import { type Site, secret, site, spotOf, startWorker } from './site.ts';

const take1 = pictureWith('take 1');
const take2 = pictureWith('take 2');
const noWorker = 'no worker can help yet: until one comes, this process moves the files itself';

const outputOf = ({ rig }: Site, name: string): Buffer => readFileSync(rig.path(`out/${name}`));

/** Nobody takes what nobody waits for. */
async function answersOf({ database }: Site): Promise<number> {
  return (await database.sql.query('table shotlist.result')).length;
}

/** The leases of silent workers lapse, as if ten seconds had passed. */
async function lapse({ database }: Site): Promise<void> {
  await database.sql.query(
    "update shotlist_queue.job set heartbeat_on = heartbeat_on - interval '10 s'",
  );
}

describe('an errand', { tags: 'postgres' }, () => {
  test('of each kind is done by a worker, which has no key', async () => {
    const store = mkdtempSync(join(tmpdir(), 'shotlist-store-'));
    onTestFinished(() => rmSync(store, { recursive: true }));
    const run = await site({ store });
    const { hands, storage, rig, notes } = run;
    await startWorker(run, { args: ['--allow-outside'] }).event('serving');
    rig.write('in.png', take2);
    storage.files.set('/1.png', take1);
    const saved = await hands.save(`${storage.address}/1.png`, spotOf('a.png'));
    const file = { path: 'out/a.png', bytes: take1.length, sha256: digestOfBytes(take1) };
    expect(saved).toEqual({ ok: true, value: { ok: true, value: file } });
    expect(outputOf(run, 'a.png')).toEqual(take1);
    expect(await hands.store(file)).toEqual({ ok: true });
    expect(await hands.bring(file, spotOf('b.png'))).toMatchObject({
      value: { value: { ...file, path: 'out/b.png' } },
    });
    const target = { uploadUrl: `${storage.address}/up`, filePath: 'up' };
    const sent = await hands.upload(target, { in: 'input', path: 'in.png' }, digestOfBytes(take2));
    expect(sent).toEqual({ ok: true, value: digestOfBytes(take2) });
    expect(storage.sent.get('/up')).toEqual(take2);
    expect(storage.asked).toEqual(['/1.png', '/up']);
    expect(notes).toEqual([]);
    expect(readdirSync(rig.path('out')).sort()).toEqual([
      '.shotlist-hands',
      wordFile,
      'a.png',
      'b.png',
    ]);
  });

  test('is done here if no worker is alive, which is said once', async () => {
    const run = await site();
    run.storage.files.set('/1.png', take1);
    for (const to of ['a.png', 'b.png'])
      expect(await run.hands.save(`${run.storage.address}/1.png`, spotOf(to))).toMatchObject({
        value: { ok: true },
      });
    expect(outputOf(run, 'b.png')).toEqual(take1);
    expect(run.notes).toEqual([noWorker]);
  });

  test('that a killed worker had is done again', async () => {
    const run = await site();
    const killed = startWorker(run);
    await killed.event('serving');
    run.storage.files.set('/1.png', null);
    const saving = run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    await until('it is asked for', () => run.storage.asked.length === 1);
    killed.child.kill('SIGKILL');
    await lapse(run);
    await startWorker(run).event('serving');
    run.storage.files.set('/1.png', take1);
    expect(await saving).toMatchObject({ value: { ok: true } });
    expect(outputOf(run, 'a.png')).toEqual(take1);
    expect(run.notes).toEqual([]);
  });

  test('whose worker was frozen, and wakes after another file stands at the place, overwrites nothing', async () => {
    const run = await site();
    const frozen = startWorker(run);
    await frozen.event('serving');
    run.storage.files.set('/1.png', null);
    const saving = run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    await until('it is asked for', () => run.storage.asked.length === 1);
    frozen.child.kill('SIGSTOP');
    await lapse(run);
    await startWorker(run).event('serving');
    run.storage.files.set('/1.png', take1);
    expect(await saving).toMatchObject({ value: { ok: true } });
    run.storage.files.set('/2.png', take2);
    run.replaces.push(digestOfBytes(take1));
    expect(await run.hands.save(`${run.storage.address}/2.png`, spotOf('a.png'))).toMatchObject({
      value: { ok: true },
    });
    frozen.child.kill('SIGCONT');
    run.storage.release('/1.png', take1);
    await until('the frozen one has answered', async () => (await answersOf(run)) > 0);
    await frozen.stop();
    expect(outputOf(run, 'a.png')).toEqual(take2);
    expect(existsSync(run.rig.path(`.shotlist/kept/${digestOfBytes(take1)}.png`))).toBe(true);
  });

  test('ends although the database crashes in the middle', async () => {
    const postgres = await sharedPostgres();
    const run = await site();
    await startWorker(run).event('serving');
    const names = Array.from({ length: 20 }, (_, index) => `${index}.png`);
    for (const name of names) run.storage.files.set(`/${name}`, null);
    const saving = names.map((name) =>
      run.hands.save(`${run.storage.address}/${name}`, spotOf(name)),
    );
    await until('some are asked for', () => run.storage.asked.length > 5);
    await postgres.crash();
    for (const name of names) run.storage.release(`/${name}`, take1);
    await postgres.restart();
    for (const saved of await Promise.all(saving))
      expect(saved).toMatchObject({ value: { ok: true } });
    for (const name of names) expect(outputOf(run, name)).toEqual(take1);
  });

  test('whose storage is away is the run’s to try again, and the worker says so until it works', async () => {
    const run = await site();
    const worker = startWorker(run);
    await worker.event('serving');
    for (const [path, is] of [
      ['/1.png', 503],
      ['/2.png', take1],
    ] as const)
      run.storage.files.set(path, is);
    const away = await run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    expect(away).toMatchObject({ ok: false, error: { reason: 'unavailable' } });
    await run.hands.save(`${run.storage.address}/2.png`, spotOf('a.png'));
    const told = () => worker.events.filter(({ type }) => type === 'note');
    await until('it works again', () => told().length === 2);
    expect(told()).toEqual([
      { type: 'note', note: expect.stringContaining('503') },
      { type: 'note', note: null },
    ]);
    expect(run.storage.asked).toHaveLength(2);
  });

  test('is not done in a folder that is not the one of the run, and the worker says so', async () => {
    const run = await site();
    const worker = startWorker(run);
    await worker.event('serving');
    run.storage.files.set('/1.png', null);
    const saving = run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    await until('it is asked for', () => run.storage.asked.length === 1);
    // As if the shared folder had gone, and an empty one were there.
    rmSync(run.rig.path(`out/${wordFile}`));
    run.storage.files.set('/1.png', take1);
    run.storage.release('/1.png', take1);
    expect(await saving).toMatchObject({ value: { ok: true } });
    expect(run.notes.join()).toContain('the output folder is not the one of the run');
    expect(run.storage.asked).toHaveLength(2);
    expect(await worker.event('note')).toMatchObject({ note: expect.stringContaining(wordFile) });
  });

  test('whose place has a file that is not recorded is left to the coordinator', async () => {
    const run = await site();
    await startWorker(run).event('serving');
    writeFileSync(run.rig.path('out/a.png'), 'somebody’s own');
    run.storage.files.set('/1.png', take1);
    await run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    expect(run.notes.join()).toContain('out/a.png is there already');
  });

  test('about a file outside the bounds, or another file than the run’s, is refused by the worker itself', async () => {
    const run = await site();
    const { storage, hands } = run;
    await startWorker(run).event('serving');
    const outside = new Rig('');
    outside.write('secret.png', take1);
    const target = { uploadUrl: `${storage.address}/up`, filePath: 'up' };
    const path = outside.path('secret.png');
    await hands.upload(target, { in: 'input', path }, digestOfBytes(take1));
    expect(run.notes.at(-1)).toContain('is outside the repository');
    run.rig.write('in.png', take1);
    await hands.upload(target, { in: 'input', path: 'in.png' }, digestOfBytes(take2));
    expect(run.notes.at(-1)).toContain('in.png is another file here');
    await hands.store({ path: 'out/../pipeline.yaml', bytes: 1, sha256: digestOfBytes('') });
    expect(run.notes.at(-1)).toContain('is no output here');
  });
});

describe('without a shared folder', { tags: 'postgres' }, () => {
  test('a worker puts results into the store, and sends inputs that it has', async () => {
    const store = mkdtempSync(join(tmpdir(), 'shotlist-store-'));
    onTestFinished(() => rmSync(store, { recursive: true }));
    const run = await site({ store });
    const elsewhere = new Rig(run.rig.read('pipeline.yaml'));
    const worker = startWorker(run, { from: elsewhere, args: ['--allow-outside'] });
    await worker.event('serving');
    expect(await worker.event('folder')).toMatchObject({ isShared: false });
    run.storage.files.set('/1.png', take1);
    const sha256 = digestOfBytes(take1);
    expect(await run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'))).toMatchObject({
      value: { value: { path: 'out/a.png', sha256, stored: storeName(store) } },
    });
    expect(readFileSync(join(store, sha256.slice(0, 2), sha256))).toEqual(take1);
    expect(existsSync(run.rig.path('out/a.png'))).toBe(false);
    expect(readdirSync(elsewhere.path('out/.shotlist-hands'))).toEqual([]);
    for (const rig of [run.rig, elsewhere]) rig.write('in.png', take2);
    const target = { uploadUrl: `${run.storage.address}/up`, filePath: 'up' };
    const source = { in: 'input', path: 'in.png' } as const;
    await run.hands.upload(target, source, digestOfBytes(take2));
    expect(run.notes).toEqual([]);
    rmSync(elsewhere.path('in.png'));
    expect(await run.hands.upload(target, source, digestOfBytes(take2))).toMatchObject({
      ok: true,
    });
    expect(run.notes.join()).toContain('in.png does not exist');
  });

  test('no worker saves what must be in the output folder of the run', async () => {
    const store = mkdtempSync(join(tmpdir(), 'shotlist-store-'));
    onTestFinished(() => rmSync(store, { recursive: true }));
    const run = await site({ store, needsFiles: true });
    const from = new Rig(run.rig.read('pipeline.yaml'));
    await startWorker(run, { from, args: ['--allow-outside'] }).event('serving');
    run.storage.files.set('/1.png', take1);
    await run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    expect(outputOf(run, 'a.png')).toEqual(take1);
  });
});

describe('who lacks the secret', { tags: 'postgres' }, () => {
  test('reports nothing: forged and replayed answers are dropped', async () => {
    const run = await site();
    const { sql } = run.database;
    const worker = startWorker(run);
    await worker.event('serving');
    run.storage.files.set('/1.png', null);
    const saving = run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    await until('it is asked for', () => run.storage.asked.length === 1);
    const [job] = await sql.query<{ id: string; data: { text: string } }>(
      'select id::text, data from shotlist_queue.job',
    );
    const [epoch, till] = job?.data.text.split(' ') ?? [];
    const bound = { epoch: Number(epoch), id: job?.id ?? '', until: Number(till) };
    const lie = { is: 'done', result: { ok: true, value: { ok: true, value: {} } } } as const;
    const forged = new Seal('b secret of at least 32 characters', run.term.run, 'answers').close(
      bound,
      lie,
    );
    const replayed = new Seal(secret, run.term.run, 'answers').close(
      { ...bound, id: 'another' },
      lie,
    );
    for (const sealed of [forged, replayed, 'nothing'])
      await sql.query('insert into shotlist.result (run, body) values ($1, $2)', [
        run.term.run,
        `${bound.id} ${sealed}`,
      ]);
    await until('it is noticed', () => run.notes.length > 0);
    run.storage.release('/1.png', take1);
    expect(await saving).toMatchObject({ value: { value: { path: 'out/a.png' } } });
    expect(run.notes).toEqual([
      'an answer in the database is not of a worker with this secret: dropped',
    ]);
  });

  test('does nothing: a worker with another secret opens no errand, and says so', async () => {
    const run = await site();
    const env = { SHOTLIST_WORKER_SECRET: 'b secret of at least 32 characters' };
    const worker = startWorker(run, { env });
    await worker.event('serving');
    run.storage.files.set('/1.png', take1);
    const saving = run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    expect(await worker.event('note')).toMatchObject({
      note: expect.stringContaining('SHOTLIST_WORKER_SECRET'),
    });
    expect(await saving).toMatchObject({ value: { ok: true } });
  });
});

describe('a worker that is asked to stop', { tags: 'postgres' }, () => {
  test('completes what it has, begins nothing more, and leaves', async () => {
    const run = await site();
    const worker = startWorker(run, { args: ['--places', '1'] });
    await worker.event('serving');
    run.storage.files.set('/1.png', null);
    run.storage.files.set('/2.png', take2);
    const first = run.hands.save(`${run.storage.address}/1.png`, spotOf('a.png'));
    await until('it is asked for', () => run.storage.asked.length === 1);
    const second = run.hands.save(`${run.storage.address}/2.png`, spotOf('b.png'));
    const stopped = worker.stop();
    run.storage.release('/1.png', take1);
    expect(await stopped).toBe(0);
    await Promise.all([first, second]);
    expect(run.storage.asked).toEqual(['/1.png', '/2.png']);
    expect([outputOf(run, 'a.png'), outputOf(run, 'b.png')]).toEqual([take1, take2]);
    expect(await run.database.sql.query('table shotlist.worker')).toEqual([]);
  });
});
