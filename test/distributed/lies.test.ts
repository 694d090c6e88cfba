// A worker that has the secret and lies: a project is deleted only if the coordinator has read the files itself.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { digestOfBytes } from '../../src/base/digest.ts';
import { ok } from '../../src/base/result.ts';
import { outputPath } from '../../src/core/output-path.ts';
import type { EngineDatabase } from '../../src/distributed/database.ts';
import { type Answer, type Errand, Seal } from '../../src/distributed/errand.ts';
import { Queue } from '../../src/distributed/queue.ts';
import { bill, ended, envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';
import { openEngine } from './engine.ts';
import { secret } from './site.ts';

/** What it says of a result: `store` is that of the run. */
type Lie = (path: string, content: Buffer, store: string | undefined) => object;

/** Answers each errand to save a result as `lie` says, until the run is over. Others are left to the coordinator. */
async function lieAbout(database: EngineDatabase, lie: Lie, isOver: () => boolean): Promise<void> {
  const { sql } = database;
  let queue: Queue | undefined;
  for (; !isOver(); await wait(20)) {
    const [run] = await database.runs('photos');
    if (run === undefined) continue;
    queue ??= (await Queue.open(sql, run.run)).files;
    await sql.query(
      `insert into shotlist.worker values ($1, 'a liar', 'a host', 8, 0, true, null, clock_timestamp())
       on conflict (run, worker) do update set at = excluded.at`,
      [run.run],
    );
    const [errands, answers] = [
      new Seal(secret, run.run, 'errands'),
      new Seal(secret, run.run, 'answers'),
    ];
    for (const taken of await queue.fetch(8)) {
      const [epoch, until, sealed = ''] = taken.text.split(' ');
      const bound = { epoch: Number(epoch), id: taken.id, until: Number(until) };
      const { task, store } = errands.open<Errand>(bound, sealed) ?? {};
      let answer: Answer = { is: 'unable', why: 'it only saves' };
      if (task?.do === 'save') {
        const content = Buffer.from(await (await fetch(task.url)).arrayBuffer());
        const below = outputPath(task.spot.to, { ...task.spot, extension: 'png' });
        const path = below.ok ? `out/${below.value}` : '';
        answer = { is: 'done', result: ok(ok({ path, ...lie(path, content, store) })) };
      }
      await sql.query('insert into shotlist.result (run, body) values ($1, $2)', [
        run.run,
        `${bound.id} ${answers.close(bound, answer)}`,
      ]);
      await sql.transaction((within) => queue?.finish([taken], within) ?? Promise.resolve());
    }
  }
}

const put = (rig: Rig, path: string, content: Buffer): void => {
  mkdirSync(dirname(rig.path(path)), { recursive: true });
  writeFileSync(rig.path(path), content);
};

const deletes = (local: Awaited<ReturnType<typeof service>>): number =>
  Object.entries(local.requests())
    .filter(([name]) => name.startsWith('DELETE'))
    .reduce((sum, [, count]) => sum + count, 0);

/** A run whose only worker lies. */
async function deceived(pipeline: string, lieIn: (rig: Rig) => Lie) {
  const database = await openEngine();
  const local = await service();
  const rig = await photoRig(2, pipeline);
  const env = { ...envOf(local), SHOTLIST_WORKER_SECRET: secret };
  const args = ['run', 'pipeline.yaml', '--hosted'];
  let isOver = false;
  const run = ended(rig.start([...args, '--engine', database.address.url], env));
  const lying = lieAbout(database, lieIn(rig), () => isOver);
  const { code, stdout } = await run;
  isOver = true;
  await lying;
  expect(code, stdout).toBe(1);
  expect(deletes(local)).toBe(0);
  const again = (...flags: readonly string[]) => rig.command([...args, ...flags], env);
  return { rig, local, stdout, again };
}

describe('a worker that lies', { tags: 'postgres' }, () => {
  test.for<[string, (rig: Rig) => Lie]>([
    [
      'the hash of what it saved',
      (rig) => (path, content) => {
        put(rig, path, content);
        return { bytes: content.length, sha256: digestOfBytes('something else') };
      },
    ],
    [
      'whether it saved anything',
      () => (_, content) => ({ bytes: content.length, sha256: digestOfBytes(content) }),
    ],
  ])(
    'about %s has no project deleted, and a run without its files saves all',
    async ([_, lieIn]) => {
      const { rig, local, stdout, again } = await deceived(photoPipeline, lieIn);
      expect(stdout).not.toContain('no step downloads it');
      rmSync(rig.path('out'), { recursive: true });
      const healed = await again();
      expect(healed.code, `${healed.stdout}${healed.stderr}`).toBe(0);
      expect(deletes(local)).toBe(2);
      expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
      expect(rig.files('out')).toEqual(['p1.png', 'p2.png']);
    },
  );

  test('about the store, too, has none deleted, and a person has the results saved once more', async () => {
    const pipeline = photoPipeline.replace(
      'output: out\n',
      'output: out\noutputs: { store: ./store }\n',
    );
    const { local, again } = await deceived(pipeline, () => (_, content, stored) => {
      return { bytes: content.length, sha256: digestOfBytes(content), stored };
    });
    const tasks = ['save:p1.png', 'save:p2.png'].flatMap((task) => ['--pay-again', task]);
    const healed = await again(...tasks, '--yes');
    expect(healed.code, `${healed.stdout}${healed.stderr}`).toBe(0);
    expect(deletes(local)).toBe(2);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  });
});
