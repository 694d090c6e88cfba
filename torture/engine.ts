// Torture of runs with an engine: workers and coordinators are killed and frozen, the database crashes, networks are cut, an
// older database is put in, and a worker lies. A real Postgres, real processes, the local service.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { chanceOf } from '../src/base/chance.ts';
import { trust } from '../src/features/trust/trust.ts';
import type { FaultRule } from '../src/service/faults/schema.ts';
import { startService } from '../src/service/start.ts';
import { startPostgres } from '../test/postgres.ts';
import { openBucket } from './bucket.ts';
import { type Blow, EngineRound, type Scene, scenes } from './engine-round.ts';
import { undisturbed } from './runner.ts';
import { openCutWire } from './wire-cutter.ts';
import { openWorkerPool } from './worker-pool.ts';
import { openWorkspace, type Terms, type Workspace } from './workspace.ts';

export interface EngineTorture {
  readonly seed: number;
  readonly rounds: number;
  /** Repeats only this round. */
  readonly only?: number | undefined;
  /** Default: a different one in each round. */
  readonly scene?: Scene | undefined;
  /** Photos at the beginning of a round; more come when all are done too early. */
  readonly items: number;
  /** In each round. */
  readonly kills: Readonly<
    Record<'workers' | 'coordinators' | 'freezes' | 'crashes' | 'cuts', number>
  >;
  /** No round strikes for longer. */
  readonly boundMs?: number;
  /** The file of the command; default: that of the sources. */
  readonly main?: string | undefined;
  readonly onEvent: (line: string) => void;
  readonly onNote?: (line: string) => void;
}

export interface EngineTortured {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

const mainSource = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const key = 'torture-engine';
const second = 'picture';
/** Violations of a round. */
const maxShown = 5;
/** More than any round spends, in credits. */
const opening = 10_000_000;
const creations = ['POST /v1/face-swap-photo', 'POST /v1/photo-colorizer'];
const others = [
  ...['GET /v1/*', 'DELETE /v1/*', 'POST /v1/files/*', 'POST /v1/face-detect*'],
  ...['PUT /uploads/*', 'GET /downloads/*'],
];

/** None of them loses the answer to a creation: what is in doubt is so for other reasons. */
const faults: readonly FaultRule[] = [
  { fault: 'latency', for: '0ms', up_to: '150ms', probability: 0.5 },
  { fault: 'throttled', retry_after: 0, probability: 0.02 },
  { fault: 'unavailable', status: 503, probability: 0.01, on: creations },
  { fault: 'broken', when: 'before', status: 500, probability: 0.01, on: others },
  { fault: 'reset', when: 'after', probability: 0.01, on: others },
  { fault: 'truncated', probability: 0.01 },
  { fault: 'lost-upload', probability: 0.003 },
  { fault: 'early-expiry', after: '1ms', probability: 0.01 },
  { fault: 'job-error', code: 'unknown_error', probability: 0.02 },
];

export async function tortureEngine(options: EngineTorture): Promise<EngineTortured> {
  const { rounds, only, onEvent } = options;
  const counts: Record<string, number> = {};
  const violations: string[] = [];
  const reference = new Reference();
  for (let number = only ?? 1; number <= (only ?? rounds); number++) {
    const scene = options.scene ?? scenes[(number - 1) % scenes.length] ?? 'folder';
    const round = await tortureRound(options, number, scene, reference);
    for (const [what, times] of Object.entries(round.counts))
      counts[what] = (counts[what] ?? 0) + times;
    onEvent(`round ${number}, ${scene}: ${countsText(round.counts)}`);
    for (const violation of round.violations.slice(0, maxShown))
      onEvent(`violation in round ${number}: ${violation}`);
    violations.push(...round.violations);
  }
  return { counts, violations };
}

export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, times]) => `${what} ${times}`)
    .join(', ');

/** The outputs of an undisturbed run of at least so many photos. */
class Reference {
  #items = 0;
  #outputs: ReadonlyMap<string, string> = new Map();

  async of(items: number): Promise<ReadonlyMap<string, string>> {
    if (items <= this.#items) return this.#outputs;
    const pool = openWorkerPool(1, key);
    try {
      this.#outputs = await undisturbed(second, items, key, pool);
      this.#items = items;
      return this.#outputs;
    } finally {
      pool.close();
    }
  }
}

/** In two rows: what happens to workers, and to all else. */
function blowsOf({ kills }: EngineTorture, scene: Scene, chance: () => number) {
  const many = (count: number, blow: Blow): readonly Blow[] => Array(count).fill(blow);
  const shuffled = (...lists: readonly (readonly Blow[])[]): readonly Blow[] =>
    lists
      .flat()
      .map((blow) => ({ blow, place: chance() }))
      .sort((a, b) => a.place - b.place)
      .map(({ blow }) => blow);
  const isHard = scene !== 'workers';
  const frozen = isHard ? Math.ceil(kills.freezes / 2) : 0;
  return [
    shuffled(many(kills.workers, 'worker killed'), many(kills.freezes - frozen, 'worker frozen')),
    shuffled(
      many(isHard ? kills.coordinators : 0, 'coordinator killed'),
      many(frozen, 'coordinator frozen'),
      many(kills.crashes, 'crash of Postgres'),
      many(kills.cuts, 'cut'),
      many(scene === 'folder' ? 1 : 0, 'restore'),
    ),
  ];
}

async function tortureRound(
  options: EngineTorture,
  number: number,
  scene: Scene,
  reference: Reference,
): Promise<EngineRound> {
  const {
    seed,
    items,
    boundMs = 75_000,
    main = mainSource,
    onEvent,
    onNote = () => undefined,
  } = options;
  const chance = chanceOf(seed, number);
  const blows = blowsOf(options, scene, chance);
  await using parts = new AsyncDisposableStack();
  const postgres = await startPostgres();
  parts.defer(() => postgres.stop());
  const service = await startService({
    ...{ key, credits: opening, tier: 'business', pictures: 'plain', seed: 1 },
    faults: { faults },
  });
  parts.defer(() => service.close());
  const bucket = await openBucket();
  parts.defer(() => bucket.close());
  const database = await postgres.newDatabase();
  const [wireOf, secret] = [openWireOf(parts), randomBytes(32).toString('hex')];
  const wires = {
    service: await wireOf(service.address),
    database: await wireOf(database),
    bucket: await wireOf(bucket.env['AWS_ENDPOINT_URL_S3'] ?? ''),
  };
  const terms: Terms = { second, items: 0, budget: opening, window: 32 };
  const stored = scene === 'bucket' ? { ...terms, store: bucket.store } : terms;
  const checkouts: Workspace[] = [];
  const folders = scene === 'bucket' ? 4 : 2;
  for (let index = 0; index < folders; index++) checkouts.push(await openWorkspace(stored));
  const elsewhere = checkouts.pop();
  if (elsewhere === undefined) throw new Error('there is no checkout');
  const envOf = ({ receipts }: Workspace) => ({
    ...{ SHOTLIST_BASE_URL: `http://127.0.0.1:${wires.service.port}`, SHOTLIST_API_KEY: key },
    ...{ SHOTLIST_WORKER_SECRET: secret, SHOTLIST_RECEIPTS: receipts, XDG_STATE_HOME: receipts },
    ...bucket.env,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${wires.bucket.port}`,
  });
  if (scene === 'bucket')
    for (const one of checkouts) trust(one.file, { env: { ...process.env, ...envOf(one) } });
  const round = new EngineRound({
    ...{ scene, chance, blows, boundMs, items, postgres, database, wires, service },
    ...{ checkouts, secret, envOf, elsewhere, main, onNote },
  });
  parts.defer(async () => {
    if (round.violations.length === 0)
      for (const one of [...checkouts, elsewhere]) await one.remove();
  });
  parts.defer(() => round[Symbol.asyncDispose]());
  await round.play();
  if (round.violations.length === 0) await round.finish();
  if (round.violations.length === 0) {
    const outputs = await reference.of(round.items);
    const known = { ...terms, items: round.items };
    await round.check({ terms: known, reference: outputs, opening });
  }
  if (round.violations.length > 0)
    onEvent(`see ${checkouts[0]?.folder}; again: --seed ${seed} --round ${number}`);
  return round;
}

/** Before what has this address. */
const openWireOf = (parts: AsyncDisposableStack) => async (address: string) => {
  const wire = await openCutWire(Number(new URL(address).port));
  parts.defer(() => wire.close());
  return wire;
};
