// What monitors of a coordinator and of a worker say during a distributed run, and `status --engine` beside them.
// @module-tag postgres
import parse from 'parse-prometheus-text-format';
import { expect, onTestFinished } from 'vitest';
import type { WorkerInternals } from '../../src/features/engine/worker.ts';
import { type Monitor, openMonitor } from '../../src/features/monitor/monitoring.ts';
import { status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { sharedPostgres } from '../postgres.ts';
import { photoRig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

async function monitoring(): Promise<Monitor> {
  const opened = await openMonitor({ listen: { host: '127.0.0.1', port: 0 } });
  onTestFinished(() => opened.close());
  return opened;
}

/** The samples of distributed runs, without values that time changes. */
async function samples({ address }: Monitor): Promise<readonly string[]> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return parse(text).flatMap(({ name, metrics }) =>
    metrics.flatMap(({ value, labels = {} }) => {
      if (value === undefined || !/_(engine|worker|database)_/.test(name)) return [];
      const inside = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
      const shown = name.endsWith('_seconds') ? '…' : value;
      return [[name, ...inside, shown].join(' ').replace(/worker=\S+/, 'worker=…')];
    }),
  );
}

const ready = async ({ address }: Monitor): Promise<string> => {
  const answer = await fetch(`${address}/readyz`);
  return `${answer.status} ${(await answer.text()).trim()}`;
};

/** Holds every download back until it is opened. */
function gate(): { readonly internals: WorkerInternals; open(): void } {
  const opened = Promise.withResolvers<void>();
  return {
    open: () => opened.resolve(),
    internals: {
      api: (api) => ({
        ...api,
        async download(url, into) {
          await opened.promise;
          return await api.download(url, into);
        },
      }),
    },
  };
}

longTest(
  'a coordinator tells its queue and its workers, a worker its orders, and both forget the run at its end',
  async () => {
    const local = await service();
    const rig = await photoRig(3);
    const engine = await newEngine();
    const [ofRun, ofWorker] = [await monitoring(), await monitoring()];
    const held = gate();
    const worker = startWorker(rig, local, engine, { jobs: 4, monitor: ofWorker }, held.internals);
    await until('ready', async () => (await ready(ofWorker)) === '200 ok');
    const running = rig.run(local, { engine, monitor: ofRun });
    const active = 'shotlist_engine_orders pipeline=photos state=active 3';
    await until('all photos are being fetched', async () =>
      (await samples(ofRun)).includes(active),
    );
    expect(await samples(ofRun)).toEqual(
      expect.arrayContaining([
        'shotlist_engine_orders pipeline=photos state=queued 0',
        'shotlist_engine_orders pipeline=photos state=parked 0',
        'shotlist_engine_workers pipeline=photos 1',
        'shotlist_engine_worker_silent_seconds pipeline=photos worker=… …',
        'shotlist_engine_term pipeline=photos 1',
        'shotlist_engine_records_behind pipeline=photos 0',
        'shotlist_database_away pipeline=photos 0',
      ]),
    );
    await until('a beat', async () =>
      (await samples(ofWorker)).includes('shotlist_worker_orders pipeline=photos 3'),
    );
    expect(await samples(ofWorker)).toEqual(
      expect.arrayContaining([
        'shotlist_worker_places pipeline=photos 4',
        'shotlist_worker_silent_seconds pipeline=photos …',
        'shotlist_database_away pipeline=photos 0',
        expect.stringMatching(/^shotlist_worker_orders_total pipeline=photos outcome=done \d+$/),
      ]),
    );
    const loaded = await loadPipeline(rig.file);
    const looked = await resultOf(() => status(loaded, { engine }));
    expect(looked.ok ? looked.value.engine?.queue : looked.error).toMatchObject({
      ...{ queued: 0, parked: 0, active: 3, workers: [{ places: 4 }] },
    });
    const { stdout } = await rig.command(['status', 'pipeline.yaml', '--engine', engine]);
    expect(stdout).toMatch(/^A run is active \(/m);
    expect(stdout).toMatch(
      /^orders: 0 queued, 3 at workers, 0 parked; 1 worker\n {2}\S+: 3 of 4 busy/m,
    );
    held.open();
    await running;
    await worker.stop();
    expect(await samples(ofRun)).toEqual([]);
    expect(await samples(ofWorker)).toEqual([
      expect.stringMatching(/^shotlist_worker_orders_total pipeline=photos outcome=done \d+$/),
    ]);
    expect(await (await fetch(`${ofWorker.address}/metrics`)).text()).toContain(
      'shotlist_requests_total{route="create",status="2xx"} 3',
    );
  },
);

longTest(
  'a worker is not ready while the database is away, waits for it, and says so once',
  async () => {
    const postgres = await sharedPostgres();
    const engine = await newEngine();
    const local = await service();
    const rig = await photoRig(2);
    const monitor = await monitoring();
    const worker = startWorker(rig, local, engine, { monitor });
    await until('idle', () => worker.events.some(({ type }) => type === 'idle'));
    expect(await ready(monitor)).toBe('200 ok');
    await postgres.crash();
    await until('away', async () => (await ready(monitor)) === '503 the database is away');
    await postgres.restart();
    await until('back', async () => (await ready(monitor)) === '200 ok');
    const { summary } = await rig.run(local, { engine });
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
    expect(worker.events.filter(({ type }) => type === 'database')).toEqual([
      { type: 'database', away: expect.any(String) },
      { type: 'database' },
    ]);
  },
);
