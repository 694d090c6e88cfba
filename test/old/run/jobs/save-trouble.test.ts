// Saving a result when something is in the way: the disk, the file, the service. What is paid is never lost by it.
import { describe, expect, test } from 'vitest';
import { err, ok, type Result } from '../../../../src/base/result.ts';
import type { Disk, FileProblem, LocalFile, MediaApi } from '../../../../src/core/ports.ts';
import type { CopyOrder, DownloadOrder } from '../../../../src/run/jobs/job.ts';
import { copy, download, remove } from '../../../../src/run/jobs/save.ts';
import { digestOfText, type MemoryDisk } from '../../../fakes/memory-disk.ts';
import { fingerprint } from '../parts.ts';
import { busy, performed, Scene, unfit } from './performing.ts';

const full: FileProblem = { message: 'out: no space left on device', systemic: true };
const taken: FileProblem = { message: 'out/a.png is a folder', systemic: false };

const common = (key: string) => ({
  ...{ key, task: `save:${key}`, kind: 'download', attempts: 3 },
  ...{ fingerprint: fingerprint('x'), to: `${key}.png` },
});

/** A disk in memory with some of its parts changed, and a project that is complete. */
async function scene(change: Partial<Disk> = {}, api: Partial<MediaApi> = {}) {
  const one = new Scene([], api);
  const disk = new Proxy(one.disk, {
    get(target: MemoryDisk, name: keyof MemoryDisk) {
      const changed = Object.hasOwn(change, name) ? Reflect.get(change, name) : undefined;
      const value = changed ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const made = await one.service.create('photo-colorizer', { name: 'n' });
  if (!made.ok) throw new Error('no project');
  const context = { ...one.context, disk };
  const save = (key = 'a', to = `${key}.png`): DownloadOrder => ({
    ...common(key),
    ...{ operation: 'download', tool: 'photo-colorizer', project: made.value.id, to },
  });
  return { one, context, save, project: made.value.id };
}

const machine = { is: 'ended', ending: 'pending', stops: 'machine' };

describe('a download', () => {
  test('is recorded, on disk, once its file is in its place', async () => {
    const { one, context, save } = await scene();
    const files: (readonly string[])[] = [];
    const { said, events, outcome } = await performed(download(save(), context), () =>
      files.push([...one.disk.files.keys()]),
    );
    expect(said).toEqual(['output!']);
    expect(files).toEqual([['out/a.png']]);
    const content = one.disk.files.get('out/a.png') ?? '';
    expect(events).toMatchObject([
      { path: 'out/a.png', index: 0, bytes: content.length, sha256: digestOfText(content) },
    ]);
    expect(outcome.is).toBe('done');
  });

  test('is left to the next run, and not done, where the service lists no file', async () => {
    const project: MediaApi['project'] = async (_, id) =>
      ok({ id, status: 'complete', downloads: [], error: null });
    const { context, save } = await scene({}, { project });
    const { said, outcome } = await performed(download(save(), context));
    expect(said).toEqual([]);
    expect(outcome).toMatchObject({
      ...{ ending: 'pending', why: 'the service lists no download for it' },
    });
  });

  test.each<readonly [string, Partial<Disk>]>([
    ['no place for its temporary file', { temporary: async () => err(full) }],
    ['no room where it goes', { place: async () => err(full) }],
  ])(
    'stops everything that pays with %s: what is bought now could not be saved',
    async (_, change) => {
      const { context, save } = await scene(change);
      const { said, outcome } = await performed(download(save(), context));
      expect(said).toEqual([]);
      expect(outcome).toMatchObject(machine);
    },
  );

  test('whose place is taken is left to the next run, and its temporary file goes', async () => {
    const { one, context, save } = await scene({ place: async () => err(taken) });
    const { outcome } = await performed(download(save(), context));
    expect(outcome).toEqual({ is: 'ended', ending: 'pending', why: taken.message });
    expect([...one.disk.files.keys()]).toEqual([]);
  });

  test('whose place cannot be named leaves no temporary file', async () => {
    const { one, context, save } = await scene();
    const { outcome } = await performed(download(save('a', '../a.png'), context));
    expect(outcome).toMatchObject({ ending: 'pending' });
    expect([...one.disk.files.keys()]).toEqual([]);
  });

  test('that this machine cannot read or write stops everything that pays', async () => {
    const { context, save } = await scene(
      {},
      { download: async () => err({ reason: 'local', message: 'EIO' }) },
    );
    expect((await performed(download(save(), context))).outcome).toMatchObject(machine);
  });

  test('is tried as often as its order says', async () => {
    let tries = 0;
    const { context, save } = await scene(
      {},
      {
        download: async () => {
          tries += 1;
          return err(unfit);
        },
      },
    );
    expect((await performed(download(save(), context))).outcome).toMatchObject({
      ending: 'pending',
    });
    expect(tries).toBe(1);
    const again = await scene(
      {},
      {
        download: async () => {
          tries += 1;
          return err({ reason: 'unanswered', message: '' });
        },
      },
    );
    tries = 0;
    await performed(download(again.save(), again.context));
    expect(tries).toBe(3);
  });

  test('keeps what came of it for the next run when it was cut', async () => {
    const discarded: LocalFile[] = [];
    const { context, save } = await scene(
      { discard: async (file) => void discarded.push(file) },
      { download: async () => err({ reason: 'unanswered', message: '' }) },
    );
    await performed(download(save(), context));
    expect(discarded).toEqual([]);
  });

  test('of one project to two places has two temporary files', async () => {
    const names: string[] = [];
    const temporary: Disk['temporary'] = async (
      _,
      work,
    ): Promise<Result<LocalFile, FileProblem>> => {
      names.push(work);
      return ok({ path: `.part-${work}` });
    };
    const { context, save } = await scene({ temporary });
    await performed(download(save('a'), context));
    await performed(download(save('b'), context));
    await performed(download(save('a'), context));
    expect(new Set(names).size).toBe(2);
    expect(names[2]).toBe(names[0]);
  });
});

describe('a copy of a file that is on disk', () => {
  const output = (content: string) => ({
    ...{ task: 'save:x', index: 0, path: 'out/x.png' },
    ...{ bytes: content.length, sha256: digestOfText(content) },
  });
  const order = (content = 'result'): CopyOrder => ({
    ...common('a'),
    operation: 'copy',
    sources: [{ output: output(content), from: { in: 'output', path: 'out/x.png' } }],
  });

  test('is recorded, on disk, once it is in its place', async () => {
    const { one, context } = await scene();
    one.disk.files.set('out/x.png', 'result');
    const { said, events, outcome } = await performed(copy(order(), context));
    expect([said, outcome.is]).toEqual([['output!'], 'done']);
    expect(events).toMatchObject([{ path: 'out/a.png', task: 'save:a' }]);
    expect(one.disk.files.get('out/a.png')).toBe('result');
  });

  test('of a file that changed meanwhile is not kept', async () => {
    const { one, context } = await scene();
    one.disk.files.set('out/x.png', 'edited');
    const { said, outcome } = await performed(copy(order(), context));
    expect(said).toEqual([]);
    expect(outcome).toMatchObject({
      ...{ ending: 'pending', why: 'out/x.png changed while it was being copied' },
    });
    expect([...one.disk.files.keys()]).toEqual(['out/x.png']);
  });

  test.each<readonly [string, FileProblem, Readonly<Record<string, unknown>>]>([
    ['stops everything that pays on a full disk', full, machine],
    ['is left to the next run where the file is the trouble', taken, { ending: 'pending' }],
  ])('%s, and leaves nothing', async (_, problem, expected) => {
    for (const change of [
      { copy: async () => err(problem) },
      { place: async () => err(problem) },
    ]) {
      const { one, context } = await scene(change);
      one.disk.files.set('out/x.png', 'result');
      const { said, outcome } = await performed(copy(order(), context));
      expect(said).toEqual([]);
      expect(outcome).toMatchObject(expected);
      expect(outcome).toHaveProperty('why', expect.stringContaining(problem.message));
      expect([...one.disk.files.keys()]).toEqual(['out/x.png']);
    }
  });

  test('does not stop anything for the trouble of one file', async () => {
    const { context } = await scene({ copy: async () => err(taken) });
    expect((await performed(copy(order(), context))).outcome).not.toHaveProperty('stops');
  });
});

describe('a delete', () => {
  const order = (project: string) => ({
    ...({ ...common('a'), operation: 'delete', tool: 'photo-colorizer', project } as const),
  });

  test('is recorded once the service has done it, and also when the project was gone', async () => {
    const { one, context, project } = await scene();
    expect((await performed(remove(order(project), context))).said).toEqual(['deleted']);
    expect(one.service.projects.get(project)?.deleted).toBe(true);
    expect((await performed(remove(order(project), context))).said).toEqual(['deleted']);
  });

  test('is not recorded when the service would not', async () => {
    const { context, project } = await scene({}, { deleteProject: async () => err(busy) });
    const { said, outcome } = await performed(remove(order(project), context));
    expect(said).toEqual([]);
    expect(outcome.is).toBe('ended');
  });
});
