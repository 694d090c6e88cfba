// shotlist watch with real files: what arrives is processed once, when it is complete, whatever happens around it.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import { bill, ended, envOf, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { cutPipeline, drop, HandClock, picture, WatchedRig } from './watched.ts';

/** Time passes for the watch only when the test says so; runs take the time that they take. */
const ownPace = { runClock: realClock } as const;

const rich = { credits: 100_000 } as const;

test('15 files dropped while it runs and while it is stopped are processed once each, in batches', async () => {
  const rig = new WatchedRig(await service(rich));
  for (let number = 0; number < 5; number++) await drop(rig, `photos/a/${number}.png`, number);

  const first = rig.watch();
  await first.ran(1);
  for (let number = 5; number < 10; number++) await drop(rig, `photos/b/${number}.png`, number);
  await first.until('10 are finished', () => first.finished === 10);
  expect(await first.stop()).toMatchObject({ outcome: 'stopped', credits: 50 });
  expect(first.of('batch').length).toBeLessThan(5);

  for (let number = 10; number < 15; number++) await drop(rig, `photos/${number}.png`, number);
  const second = rig.watch();
  await second.until('15 are finished', () => second.finished === 5);
  await second.stop();

  expect(bill(rig.service.ledger()).size).toBe(15);
  expect(new Set(bill(rig.service.ledger()).values())).toEqual(new Set([5]));
  expect(rig.files('out')).toHaveLength(15);
});

test('a file that is still being written is left out, and holds the others up for a short time only', async () => {
  const rig = new WatchedRig(await service(rich));
  const clock = new HandClock();
  await drop(rig, 'photos/old.png', 1);
  const bytes = Buffer.concat([await picture(2), Buffer.alloc(4000)]);
  rig.write('photos/slow.png', bytes.subarray(0, 100));

  const watching = rig.watch({ clock, settleMs: 2000 }, ownPace);
  await watching.until('it watches', () => watching.of('watching').length === 1);
  // 20 s of writing, and never 2 s without a change.
  const pieces = 20;
  const size = Math.ceil((bytes.length - 100) / pieces);
  for (let piece = 0; piece < pieces; piece++) {
    const sleeps = clock.sleeps;
    rig.append('photos/slow.png', bytes.subarray(100 + piece * size, 100 + (piece + 1) * size));
    clock.pass(1000);
    await until('it has looked', () => clock.sleeps > sleeps);
  }
  await watching.ran(1);
  expect(watching.of('batch')[0]).toMatchObject({ added: 1, items: 1, settling: 1 });
  expect(watching.of('batch')).toHaveLength(1);

  await clock.passUntil('the slow file is finished', () => watching.finished === 2);
  await watching.stop();
  expect([...bill(rig.service.ledger())].sort()).toEqual([
    ['old.png', 5],
    ['slow.png', 5],
  ]);
  expect(watching.of('ran').map(({ summary }) => summary.outcome)).toEqual(['done', 'done']);
});

test('a file under a temporary name is ignored, and taken when it is renamed into place', async () => {
  const pipeline = cutPipeline.replace('photos/**/*.png', 'photos/**/*');
  const rig = new WatchedRig(await service(rich), pipeline);
  const names = ['one.png.part', 'two.png.crdownload', '.three.png', 'four.png~', 'five.png.tmp'];
  for (const [number, name] of names.entries()) await drop(rig, `photos/${name}`, number);
  await drop(rig, 'photos/ready.png', 10);
  const watching = rig.watch();
  await watching.ran(1);
  renameSync(rig.path('photos/one.png.part'), rig.path('photos/one.png'));
  await watching.until('it is taken', () => watching.finished === 2);
  await watching.stop();
  expect([...bill(rig.service.ledger()).keys()].sort()).toEqual(['one.png', 'ready.png']);
});

test('its own outputs and state inside the watched folder start no run', async () => {
  const pipeline = cutPipeline
    .replace('photos/**/*.png', '*.png')
    .replace('output: out', 'output: done');
  const rig = new WatchedRig(await service(rich), pipeline);
  const clock = new HandClock();
  await drop(rig, 'a.png', 1);
  const watching = rig.watch({ clock, settleMs: 100 }, ownPace);
  await clock.passUntil('it has run', () => watching.of('ran').length === 1);
  const sleeps = clock.sleeps;
  await clock.passUntil('it has looked many times', () => clock.sleeps > sleeps + 20, 30_000);
  expect(watching.of('batch')).toHaveLength(1);
  expect(rig.files('done')).toEqual(['a.png']);
  // It still hears what is not its own.
  await drop(rig, 'b.png', 2);
  await clock.passUntil('the other has run', () => watching.finished === 2);
  await watching.stop();
});

describe('files that disappear', () => {
  test('in the middle of a run are no failure of the watch: the others are finished', async () => {
    const local = await service(rich);
    const rig = new WatchedRig(
      local,
      cutPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }'),
    );
    for (let number = 0; number < 3; number++) await drop(rig, `photos/${number}.png`, number);
    let removed = false;
    const watching = rig.watch({
      onEvent: (event) => {
        watching.events.push(event);
        if (removed || event.type !== 'run' || event.event.type !== 'item') return;
        removed = true;
        rmSync(rig.path('photos/2.png'));
      },
    });
    await watching.ran(1);
    expect(watching.of('ran')[0]).toMatchObject({ removed: 1, summary: { items: { done: 2 } } });
    await drop(rig, 'photos/5.png', 5);
    await watching.ran(2);
    expect(watching.of('ran')[1]).toMatchObject({ removed: 0, summary: { outcome: 'done' } });
    await watching.stop();
    expect(bill(local.ledger()).size).toBe(3);
  });

  test('all at once leave an empty folder, which is no error either', async () => {
    const rig = new WatchedRig(await service(rich));
    await drop(rig, 'photos/a.png', 1);
    const watching = rig.watch();
    await watching.ran(1);
    rmSync(rig.path('photos'), { recursive: true });
    mkdirSync(rig.path('photos'));
    await drop(rig, 'photos/b.png', 2);
    await watching.ran(2);
    await watching.stop();
    expect(watching.of('refused')).toEqual([]);
  });
});

describe('what fails', () => {
  test('waits until its file changes or the watch is started again', async () => {
    const rig = new WatchedRig(
      await service({
        ...rich,
        faults: { faults: [{ fault: 'job-error', code: 'no_source_face', count: 1 }] },
      }),
    );
    await drop(rig, 'photos/bad.png', 1);
    const watching = rig.watch();
    await watching.ran(1);
    expect(watching.of('ran')[0]).toMatchObject({ summary: { outcome: 'failed' } });
    await drop(rig, 'photos/good.png', 2);
    await watching.ran(2);
    expect(watching.of('batch')[1]).toMatchObject({ added: 1, items: 1, failed: 1 });
    await drop(rig, 'photos/bad.png', 3);
    await watching.ran(3);
    expect(watching.of('batch')[2]).toMatchObject({ changed: 1, items: 2, failed: 0 });
    expect(watching.of('ran')[2]).toMatchObject({ summary: { outcome: 'done' } });
    await watching.stop();
  });
});

test('a changed pipeline is taken up between runs, and an invalid one is reported and waits', async () => {
  const rig = new WatchedRig(await service(rich));
  await drop(rig, 'photos/a.png', 1);
  const watching = rig.watch();
  await watching.ran(1);
  rig.write('pipeline.yaml', cutPipeline.replace('image-background-remover', 'image-background'));
  await watching.until('it is reported', () => watching.of('invalid').length === 1);
  await drop(rig, 'photos/b.png', 2);
  rig.write('pipeline.yaml', cutPipeline.replace('photos/**', '{photos,more}/**'));
  await drop(rig, 'more/c.png', 3);
  // The keys have other folders now, so the result of the first photo is copied.
  await watching.until('all are finished', () => watching.finished === 4);
  await watching.stop();
  expect(watching.of('invalid')).toHaveLength(1);
  expect(watching.of('watching').map(({ glob }) => glob)).toEqual([
    'photos/**/*.png',
    '{photos,more}/**/*.png',
  ]);
  expect(bill(rig.service.ledger()).size).toBe(3);
});

describe('money', () => {
  test('budget.per_day ends a run, and the watch continues by itself when the next day begins', async () => {
    const pipeline = cutPipeline.replace('output: out', 'output: out\nbudget: { per_day: 10 }');
    const rig = new WatchedRig(await service(rich), pipeline);
    for (let number = 0; number < 3; number++) await drop(rig, `photos/${number}.png`, number);
    const clock = new HandClock();
    const runClock = { ...realClock, now: () => clock.now(), sleep: realClock.sleep };
    const watching = rig.watch({ clock, settleMs: 100 }, { runClock });
    await clock.passUntil('it has run', () => watching.of('ran').length === 1);
    expect(watching.of('ran')[0]).toMatchObject({ summary: { outcome: 'budget' } });
    expect(watching.of('again')).toHaveLength(1);
    expect(watching.finished).toBe(2);
    await clock.passUntil('the next day has come', () => watching.finished === 3, 3_600_000);
    expect(watching.of('batch')[1]).toMatchObject({ why: 'again', added: 0, changed: 0 });
    await watching.stop();
  });

  test('--budget covers all runs of the watch', async () => {
    const rig = new WatchedRig(await service(rich));
    await drop(rig, 'photos/a.png', 1);
    const watching = rig.watch({ run: { budget: 10 } });
    await watching.ran(1);
    await drop(rig, 'photos/b.png', 2);
    await watching.ran(2);
    await drop(rig, 'photos/c.png', 3);
    await watching.ran(3);
    expect(watching.of('ran').map(({ summary }) => summary.outcome)).toEqual([
      'done',
      'done',
      'budget',
    ]);
    expect(watching.of('notice')).toHaveLength(1);
    await watching.stop();
    expect(bill(rig.service.ledger()).size).toBe(2);
  });

  test('after max_failures nothing is bought until the pipeline file changes', async () => {
    const pipeline = cutPipeline.replace('output: out', 'output: out\nmax_failures: 0');
    const failing = { faults: [{ fault: 'job-error', code: 'no_source_face', count: 1 }] } as const;
    const rig = new WatchedRig(await service({ ...rich, faults: failing }), pipeline);
    await drop(rig, 'photos/a.png', 1);
    const clock = new HandClock();
    const watching = rig.watch({ clock, settleMs: 100 }, ownPace);
    await clock.passUntil('it is paused', () => watching.of('paused').length === 1);
    await drop(rig, 'photos/b.png', 2);
    const sleeps = clock.sleeps;
    await clock.passUntil('it has looked many times', () => clock.sleeps > sleeps + 20, 30_000);
    expect(watching.of('batch')).toHaveLength(1);
    rig.write('pipeline.yaml', `${pipeline}# seen\n`);
    await clock.passUntil('all are finished', () => watching.finished === 2);
    await watching.stop();
  });

  test('a service that is away is asked again later, and a refused key ends the watch', async () => {
    const local = await service(rich);
    const rig = new WatchedRig(local);
    await drop(rig, 'photos/a.png', 1);
    const away = rig.watch({ env: { ...envOf(local), SHOTLIST_BASE_URL: 'http://127.0.0.1:9' } });
    await away.until('it is reported', () => away.of('again').length === 1);
    expect(away.of('refused')).toMatchObject([{ problem: { reason: 'unreachable' } }]);
    expect(await away.stop()).toMatchObject({ outcome: 'stopped' });

    const refused = rig.watch({ env: { ...envOf(local), SHOTLIST_API_KEY: 'wrong' } });
    expect(await refused.end).toMatchObject({ outcome: 'unauthorized' });
  });
});

test('the pauses before another try double up to a quarter of an hour, and a problem that stays is told once', async () => {
  const local = await service(rich);
  const rig = new WatchedRig(local);
  await drop(rig, 'photos/a.png', 1);
  const clock = new HandClock();
  const env = { ...envOf(local), SHOTLIST_BASE_URL: 'http://127.0.0.1:9' };
  const asked: number[] = [];
  const watching = rig.watch(
    {
      ...{ clock, env, settleMs: 100 },
      onEvent: (event) => {
        watching.events.push(event);
        if (event.type === 'again') asked.push((Date.parse(event.at) - clock.now()) / 60_000);
      },
    },
    ownPace,
  );
  await clock.passUntil('it was tried six times', () => asked.length === 6, 30_000);
  await watching.stop();
  expect(asked).toEqual([1, 2, 4, 8, 15, 15]);
  expect(watching.of('refused')).toHaveLength(1);
  expect(watching.of('batch').map(({ why }) => why)).toEqual(['files', ...Array(5).fill('again')]);
});

describe('the command', () => {
  longTest(
    'drains at SIGTERM, exits, and continues after the next start without paying again',
    async () => {
      const slow = {
        faults: [{ fault: 'latency', on: 'POST /v1/image-background-remover', for: '300ms' }],
      } as const;
      const local = await service({ ...rich, faults: slow });
      const rig = new WatchedRig(
        local,
        cutPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }'),
      );
      for (let number = 0; number < 4; number++) await drop(rig, `photos/${number}.png`, number);
      const args = ['watch', 'pipeline.yaml', '--settle', '50ms', '--json'];
      const child = rig.start(args, envOf(local));
      const end = ended(child);
      await until('it has paid twice', () => bill(local.ledger()).size >= 2);
      child.kill('SIGTERM');
      const { code, stdout, stderr } = await end;
      expect([code, stderr]).toEqual([130, expect.stringContaining('at most 8 s')]);
      const events = stdout
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      expect(events.at(-1)).toMatchObject({
        type: 'ran',
        summary: { outcome: 'interrupted', credits: { reserved: 0 } },
      });
      expect(bill(local.ledger()).size).toBeLessThan(4);

      const again = rig.watch();
      await again.until('all are finished', () => rig.files('out').length === 4);
      await again.stop();
      expect(bill(local.ledger()).size).toBe(4);
      expect(new Set(bill(local.ledger()).values())).toEqual(new Set([5]));
    },
  );

  longTest('ends with 0 if nothing is in progress, and tells a person what happened', async () => {
    const local = await service(rich);
    const rig = new WatchedRig(local);
    await drop(rig, 'photos/a.png', 1);
    const child = rig.start(['watch', 'pipeline.yaml', '--settle', '50ms'], envOf(local));
    const end = ended(child);
    let stdout = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    await until('it has run', () => stdout.includes('Done:'));
    child.kill('SIGINT');
    expect((await end).code).toBe(0);
    expect(stdout).toContain('Watching photos/**/*.png for cut: 1 file now.');
    expect(stdout).toContain('Running 1 file (1 new).');
    expect(stdout).toMatch(/Done: 1 of 1 item finished, 5 charged, /);
  });
});
