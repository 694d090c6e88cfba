// A worker that has the secret and lies. Imports nothing of the test runner, because the torture runs without it.
import { setTimeout as wait } from 'node:timers/promises';
import { ok } from '../../src/base/result.ts';
import { outputPath } from '../../src/core/output-path.ts';
import type { EngineDatabase } from '../../src/distributed/database.ts';
import { type Answer, type Errand, Seal } from '../../src/distributed/errand.ts';
import { Queue } from '../../src/distributed/queue.ts';

/** What it says of a result: `store` is that of the run. */
export type Lie = (path: string, content: Buffer, store: string | undefined) => object;

interface Deceived {
  readonly database: EngineDatabase;
  readonly secret: string;
  readonly pipeline: string;
}

/** Answers each errand to save a result as `lie` says, until the run is over. Others are left to the coordinator. */
export async function lieAbout(
  { database, secret, pipeline }: Deceived,
  lie: Lie,
  isOver: () => boolean,
): Promise<void> {
  const { sql } = database;
  let queue: Queue | undefined;
  for (; !isOver(); await wait(20)) {
    const [run] = await database.runs(pipeline);
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
