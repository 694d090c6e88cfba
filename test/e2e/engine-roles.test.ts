// The role for coordinators and workers has the rights that a whole run needs, and no more: docs/engine, roles.sql and
// grants.sql.
// @module-tag postgres
import { expect } from 'vitest';
import {
  acceptEngine,
  checkEngine,
  dropEngine,
  migrateEngine,
} from '../../src/features/engine/engine.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { startWorker } from '../engine-rig.ts';
import { read } from '../examples.ts';
import { query, sharedPostgres } from '../postgres.ts';
import { photo, photoRig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

const as = (role: string, url: string): string => {
  const address = new URL(url);
  address.username = role;
  return address.href;
};

async function migrated(): Promise<{ readonly owner: string; readonly user: string }> {
  const superuser = await (await sharedPostgres()).newDatabase();
  const database = new URL(superuser).pathname.slice(1);
  const [owner, user] = [as('shotlist_owner', superuser), as('shotlist', superuser)];
  const roles = read('docs/engine/roles.sql').replaceAll(
    'database shotlist',
    `database ${database}`,
  );
  const known = await query(superuser, `select from pg_roles where rolname = 'shotlist'`);
  await query(superuser, known.length === 0 ? roles : roles.replaceAll(/^create role .*$/gm, ''));
  await migrateEngine(owner);
  return { owner, user };
}

async function saidOf(work: Promise<unknown>): Promise<string> {
  const done = await resultOf(() => work);
  return done.ok ? 'done' : renderProblem(done.error);
}

longTest(
  'the role for runs does everything that a run needs, and cannot migrate, accept, drop or alter',
  async () => {
    const { owner, user } = await migrated();
    expect(await saidOf(checkEngine(user))).toContain('permission denied');
    await query(owner, read('docs/engine/grants.sql'));
    const local = await service();
    const rig = await photoRig(6);
    const workers = [1, 2].map(() => startWorker(rig, local, user, { jobs: 2 }));
    const { summary } = await rig.run(local, { engine: user });
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 6 } });
    // Imports the state file once more, and removes the run before.
    rig.write('photos/p7.png', await photo(7));
    const second = await rig.run(local, { engine: user });
    expect(second.summary.problems).toEqual([]);
    for (const worker of workers) await worker.stop();
    expect(await saidOf(dropEngine(user))).toContain('must be owner of schema shotlist');
    expect(await saidOf(acceptEngine(user))).toContain('permission denied');
    for (const text of [
      'drop table shotlist.record',
      'truncate shotlist.job',
      'alter table shotlist.run disable trigger all',
      'create table shotlist.more (a text)',
      'create schema more',
      'create table public.more (a text)',
      'delete from shotlist.version',
      'delete from shotlist_queue.version',
      'create or replace function shotlist.iso(at timestamptz) returns text language sql as $$ select 1 $$',
    ])
      await expect(query(user, text), text).rejects.toThrow(/permission denied|must be owner/);
    expect(await saidOf(checkEngine(user))).toBe('done');
    expect(await saidOf(dropEngine(owner))).toBe('done');
  },
);

longTest('the lease of a worker that vanished lapses under the role for runs', async () => {
  const { owner, user } = await migrated();
  await query(owner, read('docs/engine/grants.sql'));
  const local = await service();
  const rig = await photoRig(2);
  // A worker of another folder's run takes an order, and never beats.
  const running = rig.run(local, { engine: user });
  await until('orders', async () => {
    const rows = await query(
      owner,
      `update shotlist_queue.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '1 min'
       where state = 'created' returning id`,
    );
    return rows.length > 0;
  });
  startWorker(rig, local, user);
  expect((await running).summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
});
