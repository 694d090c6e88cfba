// The database of a distributed run may come later than its workers, and go away at any time.
// @module-tag postgres
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrateEngine } from '../../src/features/engine/engine.ts';
import { type WorkerEvent, worker, workerWith } from '../../src/features/engine/worker.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { startWorker } from '../engine-rig.ts';
import { type Postgres, sharedPostgres, startPostgres } from '../postgres.ts';
import { bill, ended, envOf, photoRig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

/** A database on the server of all tests, which the test may crash; it runs again afterwards. */
async function migrated(): Promise<Omit<Postgres, 'stop'>> {
  const postgres = await sharedPostgres();
  const url = await postgres.newDatabase();
  await migrateEngine(url);
  let isDown = false;
  const crash = async (): Promise<void> => {
    await postgres.crash();
    isDown = true;
  };
  const restart = async (): Promise<void> => {
    await postgres.restart();
    isDown = false;
  };
  onTestFinished(async () => {
    if (isDown) await restart();
  });
  return { ...postgres, url, crash, restart };
}

longTest(
  'a worker that starts before its database waits for it, and a coordinator does not',
  async () => {
    const postgres = await migrated();
    await postgres.crash();
    const local = await service();
    const rig = await photoRig(2);
    const early = startWorker(rig, local, postgres.url);
    const leaving = startWorker(rig, local, postgres.url);
    for (const { events } of [early, leaving]) await until('away', () => events.length > 0);
    await leaving.stop();
    await expect(rig.run(local, { engine: postgres.url })).rejects.toThrow('cannot be used');
    await postgres.restart();
    const { summary } = await rig.run(local, { engine: postgres.url });
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
    const away = { type: 'database', away: expect.stringContaining('ECONNREFUSED') };
    expect(early.events.filter(({ type }) => type === 'database')).toEqual([
      away,
      { type: 'database' },
    ]);
    expect(leaving.events).toEqual([away]);
  },
);

longTest(
  'a standby coordinator waits for a database that restarts, and takes over then',
  async () => {
    const postgres = await migrated();
    const local = await service();
    const rig = await photoRig(2);
    const first = rig.start(['run', 'pipeline.yaml', '--engine', postgres.url], envOf(local));
    await until('the record is away', () => rig.files('.').includes('photos.state.jsonl'));
    const log: string[] = [];
    const standby = rig.start(['run', 'pipeline.yaml', '--engine', postgres.url], envOf(local));
    standby.stderr?.on('data', (chunk: Buffer) => log.push(chunk.toString()));
    const said = (text: string) => until(text, () => log.join('').includes(text));
    await said('this process takes over');
    first.kill('SIGKILL');
    await postgres.crash();
    await said('is away: waiting for it');
    await postgres.restart();
    startWorker(rig, local, postgres.url);
    expect(await ended(standby)).toMatchObject({ code: 0 });
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  },
);

longTest(
  'a worker that must go before it can record an answer says so, and the creation is not paid twice',
  async () => {
    const postgres = await migrated();
    const local = await service();
    const rig = await photoRig(1);
    const leave = new AbortController();
    const noticed = Promise.withResolvers<void>();
    const events: WorkerEvent[] = [];
    const running = rig.run(local, { engine: postgres.url });
    const options = { engine: postgres.url, root: rig.folder, env: envOf(local), graceMs: 0 };
    const worked = await resultOf(() =>
      workerWith(
        {
          ...options,
          signal: leave.signal,
          onEvent(event) {
            events.push(event);
            if (event.type === 'database') noticed.resolve();
          },
        },
        {
          api: (real) => ({
            ...real,
            async create(tool, body, known) {
              const made = await real.create(tool, body, known);
              await postgres.crash();
              await noticed.promise;
              leave.abort();
              return made;
            },
          }),
        },
      ),
    );
    expect(worked.ok ? '' : renderProblem(worked.error)).toContain(
      'was stopped while the database',
    );
    const [warning] = events.filter((event) => event.type === 'warning');
    expect(warning?.message).toMatch(
      /the service created project \S+ for .* could not be recorded/,
    );
    await postgres.restart();
    startWorker(rig, local, postgres.url);
    expect((await running).summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 1 } });
    expect([...bill(local.ledger()).values()]).toEqual([10]);
  },
);

test('a worker does not wait for what only a person can change', async () => {
  const { port, stop } = await startPostgres({ password: 'right' });
  onTestFinished(stop);
  const events: unknown[] = [];
  const startWith = async (database: string, password = 'right'): Promise<string> => {
    vi.stubEnv('PGPASSWORD', password);
    onTestFinished(() => void vi.unstubAllEnvs());
    const engine = `postgres://postgres@127.0.0.1:${port}/${database}`;
    const ended = await resultOf(() =>
      worker({ engine, onEvent: (event) => void events.push(event) }),
    );
    return ended.ok ? 'it worked' : renderProblem(ended.error);
  };
  expect(await startWith('postgres', 'wrong')).toContain('password authentication failed');
  expect(await startWith('nowhere')).toContain('createdb');
  expect(await startWith('postgres')).toContain('has no tables of shotlist');
  expect(await startWith('')).toContain('names no database');
  const certificate = 'postgres?sslmode=verify-full&sslrootcert=/none.pem';
  expect(await startWith(certificate)).toMatch(/sslrootcert: .*none\.pem does not exist/);
  expect(events).toEqual([]);
});
