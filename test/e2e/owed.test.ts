// Owed: what is paid for and not saved is fetched before anything new is bought, the earliest expiry first, also when it is
// more than the items that are in progress at once.
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../src/base/result.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import type { MediaApi } from '../../src/run/jobs/ports.ts';
import type { LocalService } from '../../src/service/start.ts';
import {
  bill,
  photo,
  photoPipeline,
  photoRig,
  type Rig,
  service,
  type Told,
  until,
} from '../rig.ts';

const stateFile = 'photos.state.jsonl';
const narrow = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 2 }');
const unsaved = narrow.replace(/ {2}save[\s\S]*/, '');

/** Notes each call to the service that pays, reads or fetches: in the order in which they were made. */
function listeningTo(
  calls: string[],
  more: (api: MediaApi) => Partial<MediaApi> = () => ({}),
): RunInternals {
  return {
    api: (api) => ({
      ...api,
      create: (tool, body, known) => {
        calls.push(`create ${String(body['name']).replace(/ #.*/, '')}`);
        return api.create(tool, body, known);
      },
      project: (record, id) => {
        calls.push(`read ${id}`);
        return api.project(record, id);
      },
      download: (url, into) => {
        calls.push(`download ${into.path.replace(/^.*\//, '')}`);
        return api.download(url, into);
      },
      ...more(api),
    }),
  };
}

const charged = (local: LocalService): number =>
  [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0);

/** Changes lines of a state file at rest, as time or another program would have. */
function rewrite(rig: Rig, change: (line: Record<string, unknown>) => void): void {
  const lines = rig.read(stateFile).trimEnd().split('\n');
  const changed = lines.map((text) => {
    const line: Record<string, unknown> = JSON.parse(text);
    change(line);
    return JSON.stringify(line);
  });
  rig.write(stateFile, `${changed.join('\n')}\n`);
}

/** Three photos that are swapped and not saved, and one that is new: all that it needs before it is bought is there. */
async function indebted(local: LocalService): Promise<Rig> {
  const rig = await photoRig(3, unsaved);
  await rig.run(local);
  writeFileSync(rig.file, narrow);
  rig.write('photos/a-new-one.png', await photo(50));
  await rig.run(local, { until: ['faces'], items: { only: 'a-new-one.png' } });
  return rig;
}

/** The order in which results were saved, and the new one bought. */
const order = ({ events }: Told): readonly string[] =>
  events.flatMap((one) =>
    one.type === 'task' && one.ending === 'done' && /^(save|swap):/.test(one.task)
      ? [one.task]
      : [],
  );

describe('before anything is bought', () => {
  test('all that is complete is saved, although it is more than the items at once, and counts as done', async () => {
    const local = await service();
    const rig = await indebted(local);
    const calls: string[] = [];
    const told = await rig.run(local, {}, listeningTo(calls));
    expect(told.summary).toMatchObject({
      outcome: 'done',
      items: { done: 4 },
      credits: { charged: 10 },
      // Of the new photo three, of the others the download and the delete.
      tasks: { done: 3 + 3 * 2, reused: 1 + 2 + 3 * 3, excluded: 0 },
    });
    const bought = calls.indexOf('create a-new-one');
    expect(bought).toBeGreaterThan(0);
    expect(calls.slice(0, bought).filter((call) => call.startsWith('download'))).toHaveLength(3);
    expect(calls.filter((call) => call.startsWith('create'))).toHaveLength(1);
    expect(rig.files('out')).toHaveLength(4);
    expect(charged(local)).toBe(40);
  });

  test('what runs out first is saved first', async () => {
    const local = await service();
    const rig = await indebted(local);
    writeFileSync(rig.file, narrow.replace('items: 2', 'items: 1'));
    const projects = new Map<unknown, string>();
    const hours: Readonly<Record<string, string>> = { p1: '05', p2: '03', p3: '01' };
    rewrite(rig, (line) => {
      if (line['kind'] !== 'face-swap-photo') return;
      const photo = /swap:(p\d)/.exec(JSON.stringify(line['tasks']))?.[1] ?? '';
      line['expires'] = `2026-11-20T${hours[photo]}:00:00.000Z`;
      projects.set(line['project'], photo);
    });
    const calls: string[] = [];
    const { summary } = await rig.run(local, {}, listeningTo(calls));
    expect(summary.outcome).toBe('done');
    const bought = calls.indexOf('create a-new-one');
    const read = calls.slice(0, bought).flatMap((call) => {
      const photo = projects.get(call.replace('read ', ''));
      return photo === undefined ? [] : [photo];
    });
    expect(read).toEqual(['p3', 'p2', 'p1']);
  });

  test('what was in progress and is complete by now is saved, and what is not is waited for later', async () => {
    const local = await service();
    const rig = await photoRig(
      3,
      narrow.replace('uses: face-swap-photo', 'uses: face-swap-photo\n    timeout: 1ms'),
    );
    /** The service says of all projects, or of one, that they are in progress. */
    const slow =
      (which: (id: string) => boolean) =>
      (api: MediaApi): Partial<MediaApi> => ({
        project: async (record, id) => {
          const read = await api.project(record, id);
          return read.ok && which(id)
            ? ok({ ...read.value, status: 'rendering', downloads: [] })
            : read;
        },
      });
    const first = await rig.run(
      local,
      {},
      listeningTo(
        [],
        slow(() => true),
      ),
    );
    expect(first.summary).toMatchObject({ outcome: 'failed', tasks: { pending: 3 } });
    writeFileSync(rig.file, narrow);
    rig.write('photos/a-new-one.png', await photo(50));
    const [stuck] = /"project":"([^"]+)"/.exec(rig.read(stateFile))?.slice(1) ?? [];
    const calls: string[] = [];
    const isBought = (): boolean => calls.includes('create a-new-one');
    const told = await rig.run(
      local,
      {},
      listeningTo(
        calls,
        slow((id) => id === stuck && !isBought()),
      ),
    );
    expect(told.summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    const bought = calls.indexOf('create a-new-one');
    expect(calls.slice(0, bought).filter((call) => call.startsWith('download'))).toHaveLength(2);
    expect(order(told).filter((task) => task.startsWith('save'))).toHaveLength(4);
    expect(charged(local)).toBe(40);
  });

  test('a project that failed meanwhile is reported, and is not made again in the same run', async () => {
    const failing = {
      fault: 'job-error',
      on: 'face-swap-photo',
      code: 'no_source_face',
      count: 1,
    } as const;
    const local = await service({ faults: { faults: [failing] } });
    const rig = await photoRig(
      1,
      `on_failure: stop\n${narrow.replace('uses: face-swap-photo', 'uses: face-swap-photo\n    timeout: 1ms')}`,
    );
    const blind = (api: MediaApi): Partial<MediaApi> => ({
      project: async (record, id) => {
        const read = await api.project(record, id);
        return read.ok ? ok({ ...read.value, status: 'rendering' }) : read;
      },
    });
    expect((await rig.run(local, {}, listeningTo([], blind))).summary.tasks.pending).toBe(1);
    writeFileSync(rig.file, `on_failure: stop\n${narrow}`);
    rig.write('photos/z-new-one.png', await photo(50));
    const calls: string[] = [];
    const { summary } = await rig.run(local, {}, listeningTo(calls));
    expect(summary).toMatchObject({
      outcome: 'failed',
      stopped: '1 item failed, and on_failure or max_failures allows 0',
      credits: { charged: 0, refunded: 10 },
      tasks: { failed: 1 },
    });
    expect(calls.filter((call) => call.startsWith('create'))).toEqual([]);
    expect((await rig.run(local)).summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 20 },
    });
  });

  test('a project that failed for a passing cause is made again, as often as the step allows', async () => {
    const passing = {
      fault: 'job-error',
      on: 'face-swap-photo',
      code: 'processing_timeout',
      count: 1,
    } as const;
    const local = await service({ faults: { faults: [passing] } });
    const rig = await photoRig(
      1,
      narrow.replace(
        'uses: face-swap-photo',
        'uses: face-swap-photo\n    timeout: 1ms\n    retry: { attempts: 2 }',
      ),
    );
    const blind = (api: MediaApi): Partial<MediaApi> => ({
      project: async (record, id) => {
        const read = await api.project(record, id);
        return read.ok ? ok({ ...read.value, status: 'rendering' }) : read;
      },
    });
    expect((await rig.run(local, {}, listeningTo([], blind))).summary.tasks.pending).toBe(1);
    writeFileSync(
      rig.file,
      narrow.replace('uses: face-swap-photo', 'uses: face-swap-photo\n    retry: { attempts: 2 }'),
    );
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', tasks: { failed: 0 } });
    expect(charged(local)).toBe(10);
  });
});

test('nothing is bought while what is owed cannot be saved: the key is refused, the disk is full, the run is interrupted', async () => {
  const local = await service();
  const rig = await indebted(local);
  const calls: string[] = [];
  const refused = listeningTo(calls, () => ({
    project: async () => err({ reason: 'unauthorized', message: 'Unauthorized' }),
  }));
  const first = await rig.run(local, {}, refused);
  expect(first.summary).toMatchObject({ outcome: 'unauthorized', credits: { charged: 0 } });

  let tries = 0;
  const full = listeningTo(calls, () => ({
    download: async () => {
      tries += 1;
      // Later ones leave all the time that there is to buy something.
      if (tries > 3) await until('it is bought', () => calls.includes('create a-new-one'));
      return err({ reason: 'local', message: 'the disk is full' });
    },
  }));
  const second = await rig.run(local, {}, full);
  expect(second.summary).toMatchObject({ outcome: 'failed', credits: { charged: 0 } });
  expect(second.summary.stopped).toContain('the disk is full');

  const controller = new AbortController();
  const stopped = listeningTo(calls, (api) => ({
    download: async (url, into) => {
      const fetched = await api.download(url, into);
      controller.abort();
      return fetched;
    },
  }));
  const third = await rig.run(local, { signal: controller.signal }, stopped);
  expect(third.summary).toMatchObject({ outcome: 'interrupted', credits: { charged: 0 } });

  expect(calls.filter((call) => call.startsWith('create'))).toEqual([]);
  expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
  expect(charged(local)).toBe(40);
});

test('status names what is not saved, and warns of what runs out within the time that is asked about', async () => {
  const local = await service();
  const rig = await indebted(local);
  const status = async (...flags: readonly string[]): Promise<string> =>
    (await rig.command(['status', 'pipeline.yaml', ...flags])).stdout;
  const plain = await status();
  expect(plain.match(/^paid, not saved yet: swap:p\d\.png \(project [^)]+\)/gm)).toHaveLength(3);
  expect(plain).toContain('The next run downloads it first.');
  expect(plain).not.toContain('EXPIRES SOON');
  // The addresses of the service last for 24 hours.
  expect(
    (await status('--expiring', '25h')).match(/^EXPIRES SOON: paid, not saved yet/gm),
  ).toHaveLength(3);
  const wrong = await rig.command(['status', 'pipeline.yaml', '--expiring', 'soon']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Write a time such as') });
  await rig.run(local);
  expect(await status('--expiring', '25h')).not.toContain('not saved yet');
});
