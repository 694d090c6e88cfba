// Random interleavings of workers, coordinators and people over the database of an engine, held against the transition
// function, the ledger and a service that counts, and every claim against what it must be (claims.ts). A part runs in
// `npm test`; more with `MODEL_RUNS=2000 npx vitest run test/distributed/database/model.test.ts`, and the seed of a
// failure with MODEL_SEED.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EngineDatabase, engineOver } from '../../../src/distributed/database/database.ts';
import type { Sql } from '../../../src/distributed/database/sql.ts';
import type { NewEvent } from '../../../src/model/line.ts';
import { jobSchema } from '../../../src/model/line-schemas.ts';
import { adopted, amended, deleted, gone, job, output, picked } from '../../model/lines.ts';
import { partOf } from '../../sweep.ts';
import { connectToDatabase } from './database.ts';
import { jobs, World } from './world.ts';

let sql: Sql;
let engine: EngineDatabase;
let worlds = 0;

beforeAll(async () => {
  sql = await connectToDatabase();
  engine = await engineOver(sql);
  await engine.migrate();
});
afterAll(async () => engine.close());

const of = fc.constantFrom(...jobs);
const worker = fc.nat(1);
const digit = fc.nat(23);

type Step = (world: World) => Promise<void> | void;
const named = (text: string, step: Step): Step => Object.assign(step, { toString: () => text });

const upload = (name: string): NewEvent => ({
  event: 'supplied',
  job: job(name),
  task: `upload:${name}`,
  kind: 'upload',
  result: {},
});
const states = jobSchema.properties.state.enum;
const project = fc.nat(3).map((attempt) => `#${attempt}`);
const others: fc.Arbitrary<NewEvent> = fc.oneof(
  of.map((name) => output(name)),
  of.map((name) => deleted(name)),
  of.map((name) => gone(name)),
  of.map((name) => picked(name)),
  of.map(upload),
  fc.tuple(of, project, digit).map(
    ([name, attempt, credits]): NewEvent => ({
      ...amended(name, credits),
      ...{ project: `p ${name} ${attempt}` },
    }),
  ),
  of.map((name): NewEvent => ({ event: 'forgotten', job: job(name) })),
  of.map((name): NewEvent => ({ event: 'forgotten', job: job(name), task: `save:${name}` })),
  of.map((name): NewEvent => ({ event: 'serves', job: job(name), task: `also:${name}` })),
  of.map(
    (name): NewEvent => ({
      event: 'stored',
      job: job(name),
      task: `save:${name}`,
      index: 0,
      store: '0'.repeat(16),
    }),
  ),
);

const adoptions: fc.Arbitrary<NewEvent> = fc
  .tuple(of, fc.constantFrom(...states), fc.constantFrom(undefined, 'other'), digit, fc.boolean())
  .map(([name, state, other, credits, hasPast]) =>
    adopted(name, state, {
      ...(other === undefined ? {} : { name: other }),
      ...(state === 'complete' ? { credits } : {}),
      ...(hasPast ? { past: [{ name: 'before', credits, adopted: true }] } : {}),
    }),
  );

const work = fc
  .tuple(worker, fc.nat(2), digit, fc.nat(3))
  .map(([who, which, luck, lost]) =>
    named(`work(${who}, ${which}, ${luck}, ${lost === 0})`, (world) =>
      world.work(who, which, luck, lost === 0),
    ),
  );
const issue = fc
  .tuple(of, fc.integer({ min: 1, max: 20 }))
  .map(([name, reserve]) =>
    named(`issue(${name}, ${reserve})`, (world) => world.issue(name, reserve)),
  );
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 60, arbitrary: work },
  { weight: 6, arbitrary: issue },
  {
    weight: 6,
    arbitrary: worker.map((who) => named(`fetch(${who})`, (world) => world.fetch(who))),
  },
  { weight: 2, arbitrary: worker.map((who) => named(`kill(${who})`, (world) => world.kill(who))) },
  {
    weight: 3,
    arbitrary: worker.map((who) => named(`lapse(${who})`, (world) => world.lapse(who))),
  },
  {
    weight: 4,
    arbitrary: of.map((name) => named(`probe(${name})`, (world) => world.probe(job(name)))),
  },
  { weight: 2, arbitrary: fc.constant(named('takeOver', (world) => world.takeOver())) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(worker, of)
      .map(([who, name]) =>
        named(`issueLate(${who}, ${name})`, (world) => world.issueLate(who, name)),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(of, fc.boolean())
      .map(([name, charged]) =>
        named(`resolve(${name}, ${charged})`, (world) => world.resolve(name, charged)),
      ),
  },
  {
    weight: 3,
    arbitrary: adoptions.map((event) =>
      named(`record(${JSON.stringify(event)})`, (world) => world.record(event)),
    ),
  },
  {
    weight: 3,
    arbitrary: others.map((event) =>
      named(`record(${JSON.stringify(event)})`, (world) => world.record(event)),
    ),
  },
  { weight: 1, arbitrary: fc.constant(named('fold', (world) => world.fold())) },
);

const seed = process.env['MODEL_SEED'];

test('nothing is paid twice, and the database agrees with the ledger, in any order of steps', {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 60, maxLength: 80, size: 'max' }),
      async (steps) => {
        worlds += 1;
        const world = new World(engine, sql, `m${worlds}`);
        await world.begin();
        for (const one of steps) {
          await one(world);
          expect(world.violation).toBeUndefined();
        }
        const { own, again, row, rows } = await world.audit();
        expect(own).toMatchObject(again);
        expect(own).toMatchObject({ total: row });
        expect(new Set(rows)).toEqual(new Set(own.rows));
        expect(world.violation).toBeUndefined();
      },
    ),
    {
      seed: seed === undefined ? 11 : Number(seed),
      // A failure is replayed by its seed and path; shrinking one takes minutes.
      endOnFailure: true,
      numRuns: Number(process.env['MODEL_RUNS'] ?? partOf(6)),
    },
  );
});
