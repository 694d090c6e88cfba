// Promise 2 on its last mile: what is paid for reaches the disk, whatever happens to the wire, the address, the
// process or the disk, and nothing is left lying about.
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Download, Project } from '../../src/contract/api/project.ts';
import type { Disk, MediaApi } from '../../src/core/ports.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import type { FaultRule } from '../../src/service/faults/schema.ts';
import type { LocalService } from '../../src/service/start.ts';
import { bill, ended, envOf, photoPipeline, photoRig, Rig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { relayTo } from './relay.ts';

/** Subtitles for a clip are the clip, in the local service: a download as large as one likes. */
const clipPipeline = `pipeline: clips
output: out
steps:
  clip: { uses: upload, with: { file: clip.mp4 } }
  words:
    uses: auto-subtitle-generator
    with: { start_seconds: 0, end_seconds: 1, style: { template: karaoke }, assets: { video_file_path: "\${{ steps.clip.file_path }}" } }
  save: { uses: download, with: { of: words, to: clip.mp4 } }
`;

const mebi = 1 << 20;

/** Every page of it is another one. */
function clip(bytes: number): Buffer {
  const content = Buffer.alloc(bytes, 'frame ');
  for (let at = 0; at + 4 <= bytes; at += 4096) content.writeUInt32LE(at, at);
  return content;
}

function clipRig(content: Buffer): Rig {
  const rig = new Rig(clipPipeline);
  rig.write('clip.mp4', content);
  return rig;
}

const isSaved = (rig: Rig, content: Buffer): boolean =>
  readFileSync(rig.path('out/clip.mp4')).equals(content);

const onDownloads = (...faults: readonly FaultRule[]): Promise<LocalService> =>
  service({ faults: { faults } });

const downloads = (local: LocalService): number | undefined => local.requests()['GET /downloads/*'];
/** A disk that does some things in another way. */
const beside = (disk: Disk, instead: Partial<Disk>): Disk => ({
  input: (path) => disk.input(path),
  output: (path) => disk.output(path),
  isElsewhere: (output) => disk.isElsewhere(output),
  kept: (digest, extension) => disk.kept(digest, extension),
  digest: (place) => disk.digest(place),
  fileAt: (place) => disk.fileAt(place),
  recordedAs: (path) => disk.recordedAs(path),
  temporary: (path, work) => disk.temporary(path, work),
  damage: (file) => disk.damage(file),
  showsItsEnd: (file) => disk.showsItsEnd(file),
  seconds: (file) => disk.seconds(file),
  place: (file, path, digest) => disk.place(file, path, digest),
  keep: (file, digest, extension) => disk.keep(file, digest, extension),
  remember: (output) => disk.remember(output),
  foreign: (path) => disk.foreign(path),
  copy: (source, into) => disk.copy(source, into),
  discard: (file) => disk.discard(file),
  ...instead,
});

describe('a large download', () => {
  test('that is cut again and again fetches only the rest each time', async () => {
    const content = clip(4 * mebi);
    // Nothing longer than this ever comes through: who begins again never ends.
    const cut = { fault: 'truncated', on: 'GET /downloads/*', at_bytes: 2 * mebi } as const;
    const local = await onDownloads(cut);
    const rig = clipRig(content);
    const { summary } = await rig.run(local);
    expect(summary.outcome).toBe('done');
    expect(isSaved(rig, content)).toBe(true);
    expect(rig.files('out')).toEqual(['clip.mp4']);
  });

  longTest(
    'that was under way when the run was killed is gone on with by the next run',
    async () => {
      const content = clip(68 * mebi);
      const local = await service();
      const relay = await relayTo(local);
      const rig = clipRig(content);
      relay.holdAfter = 66 * mebi;
      const child = rig.start(['run', 'pipeline.yaml'], envOf(relay.service));
      const death = ended(child);
      const left = (): readonly string[] =>
        readdirSync(rig.folder).includes('out') ? rig.files('out') : [];
      await until('some of it is safe', () =>
        left().some((name) => name.endsWith('.json') && rig.read(`out/${name}`) !== ''),
      );
      child.kill('SIGKILL');
      expect((await death).code).toBeNull();
      expect(left()).toEqual([
        expect.stringMatching(/^\.shotlist-[0-9a-f]+\.part$/),
        expect.stringMatching(/^\.shotlist-[0-9a-f]+\.part\.json$/),
      ]);

      relay.holdAfter = undefined;
      const { summary } = await rig.run(relay.service);
      expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
      expect(isSaved(rig, content)).toBe(true);
      expect(rig.files('out')).toEqual(['clip.mp4']);
      expect(relay.ranges[0]).toBeUndefined();
      const from = Number(/^bytes=(\d+)-$/.exec(relay.ranges[1] ?? '')?.[1]);
      expect(from).toBeGreaterThanOrEqual(64 * mebi);
      expect(relay.sent[1]).toBe(68 * mebi - from);
      expect(relay.sent).toHaveLength(2);
    },
  );
});

describe('a download', () => {
  test('that is cut, reset or not available, or whose address ends too soon, comes all the same', async () => {
    const on = 'GET /downloads/*';
    const local = await onDownloads(
      { fault: 'early-expiry', on: 'downloads', after: '0s', count: 1 },
      { fault: 'truncated', on, count: 1 },
      { fault: 'reset', on, when: 'before', count: 1 },
      { fault: 'unavailable', on, count: 1 },
    );
    const rig = await photoRig(2);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', tasks: { failed: 0 } });
    expect(rig.files('out')).toEqual(['p1.png', 'p2.png']);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
    // An address that has expired is not even tried; each other fault cost a request.
    expect(downloads(local)).toBe(2 + 3);
  });

  test('goes to two places at once, each by a temporary file of its own', async () => {
    const two = photoPipeline.replace(
      '  tidy:',
      '  save2: { uses: download, with: { of: swap, to: "${{ item.stem }}-2.png" } }\n  tidy:',
    );
    const rig = await photoRig(2, two);
    const names = new Set<string>();
    const noted: RunInternals = {
      disk: (disk) =>
        beside(disk, {
          async temporary(path, work) {
            const temporary = await disk.temporary(path, work);
            if (temporary.ok) names.add(temporary.value.path);
            return temporary;
          },
        }),
    };
    expect((await rig.run(await service(), {}, noted)).summary.outcome).toBe('done');
    expect(names.size).toBe(4);
    expect(rig.files('out')).toHaveLength(4);
    for (const name of ['p1', 'p2'])
      expect(rig.read(`out/${name}-2.png`)).toBe(rig.read(`out/${name}.png`));
  });
});

test('a drive that goes away in the middle of a download is no bug, and ends all buying', async () => {
  const about = { code: 'ENOTCONN', syscall: 'read', path: 'p1.png' };
  const rig = await photoRig(1);
  const { summary, events } = await rig.run(
    await service(),
    {},
    { disk: (disk) => beside(disk, { temporary: () => Promise.reject(failure(about)) }) },
  );
  expect(events.map(({ type }) => type)).not.toContain('bug');
  expect(summary).toMatchObject({ stoppedBy: 'machine', tasks: { failed: 0 } });
});

const failure = (about: object): Error => Object.assign(new Error('it is gone'), about);

describe('an address', () => {
  /** What storage has never signed: it answers 403. */
  const forged = ({ url, expires_at }: Download): Download => ({ url: `${url}0`, expires_at });
  const past = ({ url }: Download): Download => ({ url, expires_at: '2020-01-01T00:00:00Z' });

  /** Changes what the first readings of a complete project list; remembers what is asked. */
  function altered(
    readings: number,
    alter: (download: Download) => Download,
  ): RunInternals & { readonly asked: string[] } {
    const asked: string[] = [];
    let left = readings;
    const other = (record: Project): Project => {
      if (record.status !== 'complete' || left === 0) return record;
      left -= 1;
      return { ...record, downloads: record.downloads.map(alter) };
    };
    return {
      asked,
      api: (api: MediaApi): MediaApi => ({
        ...api,
        async project(record, id) {
          asked.push('read');
          const read = await api.project(record, id);
          return read.ok ? { ok: true, value: other(read.value) } : read;
        },
        async download(url, into) {
          asked.push('fetch');
          return await api.download(url, into);
        },
      }),
    };
  }

  test.each([
    ['that is past its time is read again before it is tried', 1],
    ['that is past its time is tried when it is fresh: then the clock is wrong', 1000],
  ])('%s', async (_, readings) => {
    const local = await service();
    const rig = await photoRig(1);
    const internals = altered(readings, past);
    expect((await rig.run(local, {}, internals)).summary.outcome).toBe('done');
    expect(internals.asked.slice(-3)).toEqual(['read', 'read', 'fetch']);
    expect(downloads(local)).toBe(1);
  });

  test('that is refused is read again once', async () => {
    const local = await service();
    const rig = await photoRig(1);
    const internals = altered(1, forged);
    expect((await rig.run(local, {}, internals)).summary.outcome).toBe('done');
    expect(internals.asked.slice(-4)).toEqual(['read', 'fetch', 'read', 'fetch']);
  });

  test('that is refused, and the fresh one too, leaves it to the next run', async () => {
    const local = await service();
    const rig = await photoRig(1);
    const internals = altered(1000, forged);
    const { summary } = await rig.run(local, {}, internals);
    expect(summary.tasks).toMatchObject({ pending: 1, failed: 0 });
    expect(internals.asked.slice(-4)).toEqual(['read', 'fetch', 'read', 'fetch']);
    expect(bill(local.ledger()).size).toBe(1);

    const again = await rig.run(local);
    expect(again.summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(rig.files('out')).toEqual(['p1.png']);
  });
});

describe('before anything is sent', () => {
  test.each([
    ['clip.mp4', 'save would overwrite "clip.mp4", which is what clip uploads'],
    ['pipeline.yaml', 'contains "pipeline.yaml", a name of code or of settings of a tool'],
    ['clips.state.jsonl', 'contains "clips.state.jsonl", a name of code or of settings of a tool'],
    ['clip.mp4/', 'clip.mp4 in the output folder is a file, and a folder must have this name'],
    ['.shotlist/hashes.db', 'contains a name that shotlist reserves'],
  ])('a download to %s beside the pipeline is refused', async (to, why) => {
    const local = await service();
    const rig = new Rig(
      clipPipeline.replace('output: out', 'output: .').replace('to: clip.mp4', `to: ${to}`),
    );
    rig.write('clip.mp4', 'frames');
    const said: unknown = await rig.run(local).catch(String);
    expect(said).toMatch(/pipeline\.yaml:8:50: error SL5(09|11): save/);
    expect(said).toContain(why);
    expect(local.requests()).toEqual({});
  });

  test('an output folder that is a link to the photos is refused', async () => {
    const local = await service();
    const rig = await photoRig(2);
    symlinkSync(rig.path('photos'), rig.path('out'));
    await expect(rig.run(local)).rejects.toThrow(
      /save:p1.png would overwrite ".\/p1.png", which is what photo:p1.png uploads/,
    );
    expect(local.requests()).toEqual({});
  });
});
