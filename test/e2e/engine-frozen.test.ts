// A coordinator that stands still while another one goes on, and a database that crashes in the middle of a run: nothing is paid
// for twice, and what was paid for is found again.
import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openEngine } from '../distributed/engine.ts';
import { query, sharedPostgres } from '../postgres.ts';
import { wireTo } from '../promises/wire.ts';
import { bill, ended, envOf, photoPipeline, photoRig, Rig, service, until } from '../rig.ts';

const pipeline = photoPipeline.replace('output: out\n', 'output: out\nlimits: { items: 4 }\n');
const items = 12;

async function scene() {
  const database = await openEngine();
  const local = await service();
  const wire = await wireTo(local);
  const env = {
    ...envOf(wire.service),
    SHOTLIST_WORKER_SECRET: 'a secret that only this run has in it',
  };
  const { url } = database.address;
  const args = ['run', 'pipeline.yaml', '--hosted', '--engine', url];
  return {
    url,
    wire,
    start: (rig: Rig): ChildProcess => rig.start(args, env),
    run: (rig: Rig, more: Readonly<Record<string, string>> = {}) =>
      rig.command(args, { ...env, ...more }),
    /** What each item cost. */
    paid: () => [...bill(local.ledger()).values()],
  };
}

const saved = (rig: Rig): number =>
  existsSync(rig.path('out'))
    ? rig.files('out').filter((name) => /^p\d+\.png$/.test(name)).length
    : 0;

const all = Array.from({ length: items }, () => 10);

describe('a run with an engine', { tags: 'postgres' }, () => {
  test('whose coordinator stood still is another one’s, and what it bought late is found again', async () => {
    const { url, wire, start, run, paid } = await scene();
    const [rig, other] = [await photoRig(items, pipeline), new Rig(pipeline)];
    for (const name of ['actor.png', 'photos'])
      cpSync(rig.path(name), other.path(name), { recursive: true });
    const bought = wire.hold('POST /v1/face-swap-photo', { number: 3 });
    const frozen = start(rig);
    const over = ended(frozen);
    await bought.come;
    frozen.kill('SIGSTOP');
    await query(url, "update shotlist.run set until = clock_timestamp() - interval '1 second'");
    // It has receipts of its own, as on another machine.
    const next = await run(other, { XDG_STATE_HOME: other.path('home') });
    // What the other one had on the wire is in doubt.
    expect(next.code, `${next.stdout}${next.stderr}`).toBe(4);
    frozen.kill('SIGCONT');
    bought.pass();
    const { code, stderr } = await over;
    expect(code, stderr).not.toBe(0);
    expect(new Set(paid())).toEqual(new Set([10]));
    const last = await run(rig);
    expect([0, 4], `${last.stdout}${last.stderr}`).toContain(last.code);
    expect(new Set(paid())).toEqual(new Set([10]));
    // In doubt is at most what it had no time to send.
    const doubts = rig.read('photos.state.jsonl').match(/"state":"doubt"/g)?.length ?? 0;
    expect(paid().length + doubts).toBe(items);
  });

  test('goes on when its database has crashed and is back, and nothing is in doubt', async () => {
    const postgres = await sharedPostgres();
    const { start, run, paid } = await scene();
    const rig = await photoRig(items, pipeline);
    const over = ended(start(rig));
    await until('something is saved', () => saved(rig) > 1);
    await postgres.crash();
    await postgres.restart();
    const { code, stdout, stderr } = await over;
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(paid()).toEqual(all);
    expect((await run(rig)).code).toBe(0);
    expect(paid()).toEqual(all);
  });
});
