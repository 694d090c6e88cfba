// Ctrl-C once, twice, SIGTERM, a closed terminal or pipe: whenever a run is stopped, what was sent is recorded, and the
// next run goes on from there without paying again. Without processes: test/stories/stopping.test.ts.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, truncateSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { main } from '../built.ts';
import { bill, ended, envOf, photoPipeline, photoRig, Rig, service, until } from '../rig.ts';
import { longTest, sampleOf } from '../sweep.ts';

/** One item at a time, so that there is always something left to stop. */
const oneByOne = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');

/** Never comes while a test lasts. */
const slowCreation = { fault: 'latency', on: 'POST /v1/face-swap-photo', for: '1h' } as const;

test('a stop while files are still read ends the run before it begins', async () => {
  const rig = new Rig(`pipeline: p
steps:
  clip: { uses: upload, with: { file: clip.mp4 } }
`);
  rig.write('clip.mp4', '');
  // Reading it takes longer than this test may; it takes no room on the disk.
  truncateSync(rig.path('clip.mp4'), 2 ** 40);
  const child = rig.start(['run', 'pipeline.yaml', '--rehearse']);
  const end = ended(child);
  child.stdout?.once('data', () => void child.kill('SIGTERM'));
  const { code, stdout } = await end;
  expect(code).toBe(130);
  expect(stdout).toMatch(/^Interrupted/m);
});

describe('a stop does not wait for ever', () => {
  /** Stops the run when so many requests of that kind have come to the service. */
  function stopWhen(local: LocalService, route: string, count: number): AbortSignal {
    const controller = new AbortController();
    void until(`${route} is under way`, () => (local.requests()[route] ?? 0) >= count).then(() =>
      controller.abort(),
    );
    return controller.signal;
  }

  test('for a creation: it is cut, recorded as in doubt, and the next run does not repeat it', async () => {
    const local = await service({ faults: { faults: [slowCreation] } });
    const rig = await photoRig(2);
    const signal = stopWhen(local, 'POST /v1/face-swap-photo', 2);
    const { summary } = await rig.run(local, { signal, graceMs: 1 });
    expect(summary).toMatchObject({ outcome: 'interrupted', tasks: { doubt: 2 } });
    expect(rig.read('photos.state.jsonl').match(/"state":"doubt"/g)).toHaveLength(2);
    expect(rig.files('.shotlist').filter((name) => /lock|reserve|part/.test(name))).toEqual([]);
    const again = await rig.run(local);
    expect(again.summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 2 } });
    expect(local.requests()['POST /v1/face-swap-photo']).toBe(2);
  });

  test('for anything else: it is cut, and the next run does it again', async () => {
    const slowDetection = {
      ...({ fault: 'latency', on: 'GET /v1/face-detection/:id', for: '1h', count: 2 } as const),
    };
    const local = await service({ faults: { faults: [slowDetection] } });
    const rig = await photoRig(2);
    const signal = stopWhen(local, 'GET /v1/face-detection/:id', 2);
    const { summary } = await rig.run(local, { signal, graceMs: 1 });
    expect(summary).toMatchObject({ outcome: 'interrupted', tasks: { doubt: 0 } });
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  });
});

describe('the command is asked to stop', () => {
  const moments: readonly (readonly [string, (local: LocalService) => boolean])[] = [
    ['uploads', (local) => Object.keys(local.requests()).length > 0],
    ['has been charged', (local) => bill(local.ledger()).size > 0],
    [
      'deletes',
      (local) => Object.keys(local.requests()).some((route) => route.startsWith('DELETE')),
    ],
  ];
  const cases = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).flatMap((signal) =>
    moments.map(([moment, reached]) => ({ signal, moment, reached })),
  );

  // EVERY=1 tries each signal at each moment.
  test.each(sampleOf(cases, 9))(
    'by $signal when it $moment: it says so, records what runs, and the next run goes on',
    async ({ signal, reached }) => {
      const local = await service({ speed: 40 });
      const rig = await photoRig(3, oneByOne);
      const child = rig.start(['run', 'pipeline.yaml'], envOf(local));
      const death = ended(child);
      await until('the moment has come', () => reached(local));
      child.kill(signal);
      const { code, stdout, stderr } = await death;
      expect(stderr.match(/stopping: /g)).toHaveLength(1);
      expect(stderr).toContain('press Ctrl-C again to stop at once; both are safe');
      expect(stdout).toContain('Interrupted: ');
      expect(code).toBe(130);
      await goesOn(rig, local);
    },
  );

  longTest(
    'twice: the second time it ends at once, although an answer is still to come',
    async () => {
      const local = await service({ faults: { faults: [slowCreation] } });
      const rig = await photoRig(1);
      const child = rig.start(['run', 'pipeline.yaml'], envOf(local));
      const death = ended(child);
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      // Its intent alone is not enough: a request that was not sent yet is not sent any more.
      await until('it pays', () => (local.requests()['POST /v1/face-swap-photo'] ?? 0) > 0);
      child.kill('SIGINT');
      await until('it has said that it stops', () => said.includes('again to stop at once'));
      child.kill('SIGINT');
      expect((await death).code).toBe(130);
      const again = await rig.command(['run', 'pipeline.yaml'], envOf(local));
      expect(again.stderr).toContain(`the lock of process ${child.pid} on `);
      expect(again.stderr).toContain('this run took over the lock of process ');
      expect(again.stdout).toContain('IN DOUBT');
      expect(again.code).toBe(4);
      for (const credits of bill(local.ledger()).values()) expect(credits).toBe(10);
      expect(rig.files('.shotlist')).not.toContain('photos.state.jsonl.reserve');
    },
  );

  longTest('by a second signal of a terminal that is closed: that counts once', async () => {
    const local = await service({ speed: 40 });
    const rig = await photoRig(3, oneByOne);
    const child = rig.start(['run', 'pipeline.yaml'], envOf(local));
    const death = ended(child);
    await until('it is charged', () => bill(local.ledger()).size > 0);
    child.kill('SIGHUP');
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.kill('SIGHUP');
    expect((await death).code).toBe(130);
    expect(existsSync(rig.path('.shotlist/photos.state.jsonl.lock'))).toBe(false);
    await goesOn(rig, local);
  });
});

describe('nobody reads any more', () => {
  longTest('what a run prints: it stops as after Ctrl-C', async () => {
    const local = await service({ speed: 40 });
    const rig = await photoRig(3, oneByOne);
    const child = rig.start(['run', 'pipeline.yaml'], envOf(local));
    const death = ended(child);
    await until('it is charged', () => bill(local.ledger()).size > 0);
    child.stdout?.destroy();
    const { code, stderr } = await death;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^stopping: [^\n]*\n$/);
    await goesOn(rig, local);
  });

  test.each([
    // More than a pipe takes at once.
    [['tools', '--json'], 0],
    [['plan', 'pipeline.yaml'], 0],
    [['plan', 'nowhere.yaml'], 2],
  ])('what %j prints: it ends quietly, as it would have', async (args, code) => {
    const rig = await photoRig(1);
    const child = rig.start(args);
    child.stdout?.destroy();
    expect(await ended(child)).toMatchObject({
      code,
      stderr: code === 0 ? '' : expect.any(String),
    });
  });

  const terminalMaker = 'script';
  const makesTerminals = spawnSync(terminalMaker, ['--version']).status === 0;
  test.skipIf(!makesTerminals)('a terminal that is closed under a run (needs script)', async () => {
    const local = await service({ speed: 40 });
    const rig = await photoRig(3, oneByOne);
    const command = `exec ${process.execPath} ${main} run pipeline.yaml --log -`;
    const terminal = spawn(terminalMaker, ['-qec', command, '/dev/null'], {
      cwd: rig.folder,
      env: { ...process.env, ...envOf(local) },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    onTestFinished(() => void terminal.kill('SIGKILL'));
    await until('it is charged', () => bill(local.ledger()).size > 0);
    terminal.kill('SIGKILL');
    const lock = rig.path('.shotlist/photos.state.jsonl.lock');
    await until('the run has let go of its lock', () => !existsSync(lock));
    await goesOn(rig, local);
  });
});

test('of two runs that begin at once exactly one runs; the other is told who holds the state file, and exits 2', async () => {
  const local = await service({ speed: 'realtime' });
  const rig = await photoRig(2);
  const children = [1, 2].map(() => rig.start(['run', 'pipeline.yaml'], envOf(local)));
  const deaths = children.map(ended);
  const loser = await Promise.race(deaths.map(async (death, at) => ({ at, ...(await death) })));
  const winner = children[1 - loser.at];
  expect(loser.code).toBe(2);
  expect(loser.stderr).toMatch(
    new RegExp(`process ${winner?.pid} on ${hostname()}, since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z`),
  );
  winner?.kill('SIGTERM');
  expect((await deaths[1 - loser.at])?.code).toBe(130);
});

/** Nothing was lost, nothing is in doubt, and each photo is charged once. */
async function goesOn(rig: Rig, local: LocalService): Promise<void> {
  const { summary } = await rig.run(local);
  expect(summary).toMatchObject({ outcome: 'done', items: { done: 3 }, tasks: { doubt: 0 } });
  expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
  expect(rig.files('out')).toHaveLength(3);
  expect(rig.files('.shotlist').filter((name) => /lock|reserve|part/.test(name))).toEqual([]);
}
