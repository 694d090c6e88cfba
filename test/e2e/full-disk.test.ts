// A full or read-only disk, real ones, in each phase of a run: nothing that was paid for is lost or in doubt, and once
// there is room the next run goes on. Needs a mount of its own: as root, or under `unshare -rm`.
import { globSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunInternals } from '../../src/features/run/run.ts';
import type { LocalService } from '../../src/service/start.ts';
import { writePhotos } from '../photo-pipeline.ts';
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
import { canMount, makeReadOnly, type SmallDisk, smallDisk } from '../small-disk.ts';
import { longTest } from '../sweep.ts';
import { atLine } from './at-line.ts';

const size = 4 << 20;
/** Longer than a page: each line needs room of its own. */
const lineBytes = 5000;

/** Does something just before the first line with this news is written. Each line takes more than a page. */
function before(what: string, act: () => void): RunInternals {
  const { lines } = atLine(what, act);
  return {
    lines: (file) =>
      lines?.({
        append: (text) => file.append(text.padStart(lineBytes)),
        sync: () => file.sync(),
      }) ?? file,
  };
}

interface Place {
  readonly rig: Rig;
  readonly local: LocalService;
  readonly disk: SmallDisk;
  readonly state: string;
}

/** The state file, its lock and its disk reserve stand on the small disk, the photos and results elsewhere. */
async function placed(photos: number, pipeline = photoPipeline): Promise<Place> {
  const local = await service();
  const rig = await photoRig(photos, pipeline);
  const disk = smallDisk(size);
  return { local, rig, disk, state: join(disk.folder, 'p.state.jsonl') };
}

/** After room was made: the run ends well, each photo charged once, all files whole, nothing left over. */
async function goesOn({ rig, local, disk, state }: Place, photos: number): Promise<void> {
  disk.free();
  const { summary } = await rig.run(local, { state });
  expect(summary).toMatchObject({ outcome: 'done', items: { done: photos }, tasks: { doubt: 0 } });
  expect([...bill(local.ledger()).values()]).toEqual(Array.from({ length: photos }, () => 10));
  expect(rig.files('out')).toHaveLength(photos);
  for (const file of rig.files('out')) expect(rig.read(`out/${file}`)).toContain('IEND');
  expect(readdirSync(disk.folder)).toEqual(['p.state.jsonl']);
}

const threeAtOnce = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 3 }');

describe.skipIf(!canMount)(
  'the disk of the state file is full (needs to mount: root, or unshare -rm)',
  () => {
    test('for the room for the journal: nothing begins, exit code 2', async () => {
      const place = await placed(2);
      const { rig, local, disk, state } = place;
      for (const but of [0, 200_000]) {
        disk.fill(but);
        const args = ['run', 'pipeline.yaml', '--state', state];
        const { code, stderr } = await rig.command(args, envOf(local));
        expect(stderr).toContain('the disk space for the journal could not be reserved');
        expect(code).toBe(2);
        disk.free();
      }
      expect(Object.keys(local.requests())).toEqual([]);
      await goesOn(place, 2);
    });

    test.each(['intent', 'created', 'output'])(
      'at the %s: what is under way is recorded, the run stops and says why',
      async (what) => {
        // More than are in progress at once: whatever comes first, there is something left to begin.
        const place = await placed(5, threeAtOnce);
        const { rig, local, disk, state } = place;
        const first = await rig.run(
          local,
          { state },
          before(what, () => disk.fill()),
        );
        expect(first.summary).toMatchObject({ outcome: 'failed', tasks: { doubt: 0 } });
        expect(first.summary.stopped).toContain('the disk is full: make room and run again');
        expect(first.summary.credits).toMatchObject({
          charged: bill(local.ledger()).size * 10,
          reserved: 0,
        });
        await goesOn(place, 5);
      },
    );

    test('at the very end: all is done and recorded, and the file stays as long as it is', async () => {
      const place = await placed(2);
      const { rig, local, disk, state } = place;
      const first = await rig.run(
        local,
        { state },
        before('ended', () => disk.fill()),
      );
      expect(first.summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0 } });
      await goesOn(place, 2);
    });

    test('and more is to be written than room was kept for: it ends at once, and nothing is paid twice', async () => {
      const { rig, local, disk, state } = await placed(12);
      let full = false;
      const tooMuch: RunInternals = {
        lines: (file) => ({
          append(text) {
            full ||= text.includes('"state":"created"');
            if (full) disk.fill();
            file.append(full ? text.padStart(1_200_000) : text);
          },
          sync: () => file.sync(),
        }),
      };
      await expect(rig.run(local, { state }, tooMuch)).rejects.toThrow(
        'p.state.jsonl could not be written: the disk is full',
      );
      disk.free();
      const { summary } = await rig.run(local, { state });
      for (const credits of bill(local.ledger()).values()) expect(credits).toBe(10);
      expect(rig.files('out').length + summary.tasks.doubt).toBe(12);
    });

    longTest(
      'a killed run leaves its lock and its room: the next one takes both over',
      async () => {
        const oneByOne = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');
        const { rig, disk, state } = await placed(2, oneByOne);
        const local = await service({ speed: 40 });
        const child = rig.start(['run', 'pipeline.yaml', '--state', state], envOf(local));
        const death = ended(child);
        await until('it is charged', () => bill(local.ledger()).size > 0);
        child.kill('SIGKILL');
        await death;
        expect(readdirSync(disk.folder)).toContain('.p.state.jsonl.reserve');
        const { events, summary } = await rig.run(local, { state });
        expect(events).toContainEqual({
          type: 'warning',
          message: expect.stringContaining(`the lock of process ${child.pid} on `),
        });
        expect(['done', 'doubt']).toContain(summary.outcome);
        for (const credits of bill(local.ledger()).values()) expect(credits).toBe(10);
        expect(readdirSync(disk.folder)).toEqual(['p.state.jsonl']);
      },
    );
  },
);

describe.skipIf(!canMount)(
  'one disk for everything is full (needs to mount: root, or unshare -rm)',
  () => {
    /** The pipeline, the photos, the cache of hashes, the state file and the results. */
    async function onOneDisk(photos: number): Promise<{ rig: Rig; disk: SmallDisk }> {
      const rig = new Rig(photoPipeline);
      const disk = smallDisk(size, rig.folder);
      rig.write('pipeline.yaml', photoPipeline);
      await writePhotos(rig.folder, photos);
      return { rig, disk };
    }

    test('at the first output: nothing is lost or in doubt, and the next run goes on', async () => {
      const local = await service();
      const { rig, disk } = await onOneDisk(5);
      const plugs = before('output', () => disk.fill());
      const first = await rig.run(local, {}, plugs);
      expect(first.summary).toMatchObject({ outcome: 'failed', tasks: { doubt: 0 } });
      disk.free();
      const { summary } = await rig.run(local);
      expect(summary).toMatchObject({ outcome: 'done', items: { done: 5 }, tasks: { doubt: 0 } });
      expect([...bill(local.ledger()).values()]).toEqual(Array.from({ length: 5 }, () => 10));
      expect(rig.files('out')).toEqual(
        Array.from({ length: 5 }, (_, index) => `p${index + 1}.png`),
      );
    });
  },
);

describe.skipIf(!canMount)(
  'the disk of the results is full (needs to mount: root, or unshare -rm)',
  () => {
    test('while downloading: nothing paid is lost, and the next run fetches it', async () => {
      const local = await service();
      const rig = await photoRig(4);
      const disk = smallDisk(1 << 20);
      const output = join(disk.folder, 'out');
      const first = await rig.run(
        local,
        { output },
        before('created', () => disk.fill()),
      );
      expect(first.summary).toMatchObject({ outcome: 'failed', tasks: { doubt: 0 } });
      expect(JSON.stringify(first.summary.problems)).toContain('the disk is full');
      disk.free();
      const { summary } = await rig.run(local, { output });
      expect(summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
      expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10, 10]);
      const saved = readdirSync(output, { recursive: true }).map(String);
      expect(saved.filter((name) => name.endsWith('.png'))).toHaveLength(4);
      expect(saved.filter((name) => name.includes('.part'))).toEqual([]);
    });
  },
);

describe.skipIf(!canMount)(
  'a folder becomes read-only in the middle of a run (needs to mount: root, or unshare -rm)',
  () => {
    test('that of the results: nothing paid is lost, and the next run fetches it', async () => {
      const local = await service();
      const rig = await photoRig(3);
      mkdirSync(rig.path('out'));
      let folder: { undo(): void } | undefined;
      const plugs = before('created', () => {
        folder = makeReadOnly(rig.path('out'));
      });
      const first = await rig.run(local, {}, plugs);
      expect(first.summary).toMatchObject({ outcome: 'failed', tasks: { doubt: 0 } });
      expect(JSON.stringify(first.summary.problems)).toContain('read-only');
      folder?.undo();
      const { summary } = await rig.run(local);
      expect(summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
      expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
    });

    longTest(
      'that of the state file, which is open: the run ends well, and the next one sorts the file',
      async () => {
        const local = await service({ speed: 40 });
        const rig = await photoRig(3);
        mkdirSync(rig.path('state'));
        const args = ['run', 'pipeline.yaml', '--state', 'state/p.jsonl'];
        const child = rig.start(args, envOf(local));
        const death = ended(child);
        await until('it is charged', () => bill(local.ledger()).size > 0);
        const folder = makeReadOnly(rig.path('state'));
        const { code, stderr } = await death;
        expect(stderr).toContain('the state file is intact but was not sorted');
        expect(code).toBe(0);
        folder.undo();
        const again = await rig.command(args, envOf(local));
        expect(again.code).toBe(0);
        expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
        expect(rig.files('state')).toEqual(['p.jsonl']);
      },
    );

    test('that of the state file, before it was opened: the run ends with exit code 1 and says why', async () => {
      const local = await service();
      const rig = await photoRig(2);
      mkdirSync(rig.path('state'));
      const state = rig.path('state/p.jsonl');
      const plugs = before('run', () => void makeReadOnly(rig.path('state')));
      await expect(rig.run(local, { state }, plugs)).rejects.toThrow(
        'the file system is read-only',
      );
      expect(bill(local.ledger()).size).toBe(0);
    });

    longTest(
      'that of everything: a plan needs no file of its own, with or without a cache',
      async () => {
        const local = await service();
        const rig = await photoRig(2);
        const plans = async (): Promise<Ended> => {
          const folder = makeReadOnly(rig.folder);
          const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
          folder.undo();
          return planned;
        };
        const first = await plans();
        expect([first.code, first.stderr]).toEqual([0, '']);
        await rig.run(local);
        const [photo = ''] = rig.files('photos');
        rig.write('photos/new.png', readFileSync(rig.path(`photos/${photo}`)));
        const second = await plans();
        expect([second.code, second.stderr]).toEqual([0, '']);
      },
    );
  },
);

describe.skipIf(!canMount)(
  'the disk of the private folder (needs to mount: root, or unshare -rm)',
  () => {
    const plan = ['plan', 'pipeline.yaml', '--hosted'];
    const run = ['run', 'pipeline.yaml', '--hosted', '--yes'];

    test('is full: nothing more is remembered, and the run goes well', async () => {
      const local = await service();
      const rig = await photoRig(2);
      const disk = smallDisk(size);
      const env = { ...envOf(local), XDG_STATE_HOME: disk.folder };
      disk.fill();
      const refused = await rig.command(run, env);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(disk.folder)]);
      disk.free();
      expect((await rig.command(plan, env)).code).toBe(0);
      disk.fill();
      expect((await rig.command(run, env)).code).toBe(0);
      const [path = ''] = globSync(join(disk.folder, 'shotlist/folders/*/path'));
      expect(readFileSync(path, 'utf8')).toBe(realpathSync(rig.folder));
      expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
    });

    test('is read-only: a plan works, and a run is refused', async () => {
      const local = await service();
      const rig = await photoRig(2);
      const disk = smallDisk(size);
      const env = { ...envOf(local), XDG_STATE_HOME: disk.folder };
      const { undo } = makeReadOnly(disk.folder);
      expect((await rig.command(plan, env)).code).toBe(0);
      const refused = await rig.command(run, env);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(disk.folder)]);
      expect(bill(local.ledger()).size).toBe(0);
      undo();
      expect((await rig.command(run, env)).code).toBe(0);
    });
  },
);

test('a state file that cannot be sorted is a warning: the result of the run counts', async () => {
  const local = await service();
  const rig = await photoRig(2);
  const inTheWay = atLine('created', () => rig.write('photos.state.jsonl.part/in-the-way', ''));
  const { summary, events } = await rig.run(local, {}, inTheWay);
  expect(summary.outcome).toBe('done');
  expect(events).toContainEqual({
    type: 'warning',
    message: expect.stringMatching(
      /the state file is intact but was not sorted \(.*photos\.state\.jsonl\.part is a folder/,
    ),
  });
  const again = await rig.run(local);
  expect(again.summary).toMatchObject({ outcome: 'done', tasks: { done: 0 } });
  expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
});
