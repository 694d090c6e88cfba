// Runs whose bytes move on several machines: a real Postgres, real processes that are killed, and folders that share a disk, or
// only a bucket.
import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { openBucket } from '../../torture/bucket.ts';
import { openEngine } from '../distributed/engine.ts';
import { query, sharedPostgres } from '../postgres.ts';
import {
  bill,
  type Ended,
  ended,
  envOf,
  photoPipeline,
  photoRig,
  Rig,
  service,
  until,
} from '../rig.ts';

type Env = Readonly<Record<string, string>>;

const secret = 'a secret that only this run and its workers share';

interface Scene {
  readonly database: string;
  readonly local: LocalService;
  readonly env: Env;
}

async function scene(): Promise<Scene> {
  const database = await (await sharedPostgres()).newDatabase();
  const made = await openEngine(database);
  await made.prepare();
  const local = await service();
  const env = { ...envOf(local), SHOTLIST_WORKER_SECRET: secret };
  return { database, local, env };
}

const coordinator = (rig: Rig, { database, env }: Scene, more: Env = {}): ChildProcess =>
  rig.start(['run', 'pipeline.yaml', '--engine', database, '--hosted'], { ...env, ...more });

/** Without the key of the account. */
function worker(rig: Rig, { database, env }: Scene, more: Env = {}): ChildProcess {
  const { SHOTLIST_API_KEY: _, SHOTLIST_BASE_URL: __, ...own } = env;
  return rig.start(['worker', 'pipeline.yaml', '--engine', database], { ...own, ...more });
}

/** What the workers of the run say that they are doing. */
const workersOf = (database: string) =>
  query(database, 'select files, places from shotlist.worker');

/** How many results are in the output folder. */
const saved = (rig: Rig): number =>
  existsSync(rig.path('out'))
    ? rig.files('out').filter((name) => /^p\d+\.png$/.test(name)).length
    : 0;

const windowed = photoPipeline.replace('output: out\n', 'output: out\nlimits: { items: 8 }\n');

describe('a run with workers', { tags: 'postgres' }, () => {
  test('pays once for each item and saves all results when workers are killed, and gives the record back', async () => {
    const at = await scene();
    const rig = await photoRig(24, windowed);
    const run = coordinator(rig, at);
    const over = ended(run);
    const workers = [worker(rig, at), worker(rig, at)];
    await until('two workers serve', async () => {
      const all = await workersOf(at.database);
      return all.length === 2 && all.every(({ files }) => files === true);
    });
    await until('something is saved', () => saved(rig) > 4);
    workers[0]?.kill('SIGKILL');
    workers.push(worker(rig, at));
    const { code, stdout, stderr } = await over;
    expect({ code, stderr }, stdout).toMatchObject({ code: 0 });
    expect([...bill(at.local.ledger()).values()]).toEqual(Array.from({ length: 24 }, () => 10));
    expect(saved(rig)).toBe(24);
    const again: Ended = await rig.command(['run', 'pipeline.yaml', '--hosted'], at.env);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain('Nothing to pay');
    expect(bill(at.local.ledger()).size).toBe(24);
  });

  test('ends well where a killed worker left an unfinished file', async () => {
    const at = await scene();
    const rig = await photoRig(1);
    rig.write('out/.shotlist-hands/1.part', 'half');
    const { code, stderr } = await ended(coordinator(rig, at));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(rig.files('out')).toEqual(['.shotlist-hands/1.part', 'p1.png']);
  });

  test('leaves the word of another run where that one has written it', async () => {
    const at = await scene();
    const rig = await photoRig(8, windowed);
    const run = ended(coordinator(rig, at));
    await until('something is saved', () => saved(rig) > 0);
    rig.write('out/.shotlist-run', 'of a coordinator that has taken over');
    await run;
    expect(rig.read('out/.shotlist-run')).toContain('taken over');
  });

  test('is taken over by a standby with another checkout when its coordinator is killed; its own file stays away', async () => {
    const at = await scene();
    const rig = await photoRig(16, windowed);
    const other = copyOf(rig);
    const first = coordinator(rig, at);
    const firstOver = ended(first);
    await until('something is saved', () => saved(rig) > 3);
    const second = coordinator(other, at);
    const over = ended(second);
    first.kill('SIGKILL');
    await firstOver;
    const { code, stdout, stderr } = await over;
    // What was on the wire is in doubt, and nothing else.
    expect([0, 4], `${stdout}${stderr}`).toContain(code);
    const paid = [...bill(at.local.ledger()).values()];
    expect(new Set(paid)).toEqual(new Set([10]));
    const refused = await rig.command(['run', 'pipeline.yaml', '--hosted'], at.env);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('has been in a database since');
    const back = await rig.command(
      ['run', 'pipeline.yaml', '--hosted', '--engine', at.database],
      at.env,
    );
    expect(bill(at.local.ledger()).size, back.stdout).toBe(paid.length);
  });

  test('buys under a budget what a run on one machine buys, and says the same', async () => {
    const at = await scene();
    const alone = await photoRig(6, windowed);
    const shared = copyOf(alone);
    const args = ['run', 'pipeline.yaml', '--hosted', '--budget', '25'];
    const one = await alone.command(args, { ...at.env, SHOTLIST_RECEIPTS: alone.path('receipts') });
    const paid = [...bill(at.local.ledger()).values()];
    const receipts = { SHOTLIST_RECEIPTS: shared.path('receipts') };
    const other = await shared.command([...args, '--engine', at.database], {
      ...at.env,
      ...receipts,
    });
    const both = at.local.ledger().filter(({ kind }) => kind === 'charge');
    expect(paid).toEqual([10, 10]);
    expect(both.map(({ credits }) => credits)).toEqual([10, 10, 10, 10]);
    expect(other.code).toBe(one.code);
    expect(capOf(other)).toBe(capOf(one));
    expect(capOf(one)).toContain('--budget');
  });

  test('of three folders that share only a database and a bucket has all results in the bucket', async () => {
    const at = await scene();
    const bucket = await openBucket();
    onTestFinished(() => bucket.close());
    const stored = windowed.replace(
      'output: out\n',
      `output: out\noutputs: { store: ${bucket.store} }\n`,
    );
    const rig = await photoRig(12, stored);
    const home = mkdtempSync(join(tmpdir(), 'shotlist-state-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const more = { ...bucket.env, XDG_STATE_HOME: home };
    const [one, two] = [copyOf(rig), copyOf(rig)];
    for (const folder of [rig, one, two])
      expect((await folder.command(['trust', 'pipeline.yaml'], more)).code).toBe(0);
    const run = ended(coordinator(rig, at, more));
    const killed = worker(one, at, more);
    worker(two, at, more);
    await until('two workers serve', async () => (await workersOf(at.database)).length === 2);
    killed.kill('SIGKILL');
    const { code, stdout, stderr } = await run;
    expect({ code, stderr }, stdout).toMatchObject({ code: 0 });
    expect(bill(at.local.ledger()).size).toBe(12);
    expect(rig.read('photos.state.jsonl').match(/"stored":/g)).toHaveLength(12);
  });
});

/** Why the run bought no more. */
const capOf = ({ stdout }: Ended): string | undefined =>
  stdout.split('\n').find((line) => line.includes('--budget'));

/** A checkout of the same pipeline and media, without results. */
function copyOf(rig: Rig): Rig {
  const copy = new Rig(rig.read('pipeline.yaml'));
  for (const name of ['actor.png', 'photos'])
    cpSync(rig.path(name), copy.path(name), { recursive: true });
  return copy;
}
