// The rebuilder: is a task needed, and why? Every state of a job, every condition of a file.
import { describe, expect, test } from 'vitest';
import {
  decideCreate,
  decideDelete,
  decideDownload,
  decideSupply,
} from '../../../src/runner/plan/decide.ts';
import {
  conditionOf,
  downloadCount,
  filesElsewhere,
  keptCopy,
  wholeCopies,
} from '../../../src/runner/plan/recorded-files.ts';
import { Disk, hash, jobLine, outputLine } from './world.ts';

const done = { result: { downloads: 1 }, project: 'p-1' } as const;
const own = outputLine('save:a', 'out/a.png', 'picture');

describe('an upload or a face detection', () => {
  test('is done once', () => {
    expect(decideSupply(undefined).act).toBe('begin');
    expect(decideSupply(jobLine('supplied')).act).toBe('reuse');
  });
});

describe('a creation', () => {
  test.each([
    ['nothing is known of', undefined, 'begin', 'new content or parameters'],
    [
      'failed',
      jobLine('failed', { error: { code: 'processing_timeout', message: 'm' } }),
      'begin',
      'the last attempt failed: processing_timeout',
    ],
    [
      'is in progress',
      jobLine('created', { project: 'p-7' }),
      'attach',
      'paid already: project p-7',
    ],
    ['is complete', jobLine('complete'), 'reuse', 'same content'],
    ['was deleted', jobLine('deleted'), 'reuse', 'same content'],
    [
      'was begun with no known outcome',
      jobLine('intended', { name: 'star rose x1' }),
      'doubt',
      'nobody has said what became of it',
    ],
    ['is in doubt', jobLine('doubt', { name: 'star rose x1' }), 'doubt', 'in doubt'],
  ])('that %s', (_, job, act, why) => {
    const decision = decideCreate(job);
    expect(decision.act).toBe(act);
    expect(decision.why).toContain(why);
  });

  test('cannot be supplied: that would be a bug', () => {
    expect(() => decideCreate(jobLine('supplied'))).toThrow('bug');
  });
});

describe('a download', () => {
  const decide = (job: Parameters<typeof decideDownload>[0]['job'], disk: Disk, to = 'a.png') =>
    decideDownload({ task: 'save:a', to, job, required: false }, disk);

  test('begins where nothing was fetched yet', () => {
    expect(decide(jobLine('complete', done), new Disk())).toEqual({
      act: 'begin',
      why: 'not downloaded yet',
    });
  });

  test('is reused where its file is as it was', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'picture');
    expect(decide(jobLine('complete', { ...done, outputs: [own] }), disk)).toEqual({
      act: 'reuse',
      why: 'downloaded before',
    });
    expect(decide(jobLine('deleted', { ...done, outputs: [own] }), disk).act).toBe('reuse');
  });

  test('leaves a file alone that somebody changed, and says so', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'retouched');
    expect(decide(jobLine('complete', { ...done, outputs: [own] }), disk)).toMatchObject({
      act: 'reuse',
      why: expect.stringContaining('changed on disk'),
    });
  });

  test('is had again where another result took its place, and from what was kept', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'another take');
    disk.keptFiles.set(`${hash('picture')}.png`, 'picture');
    expect(decide(jobLine('deleted', { ...done, outputs: [own] }), disk)).toMatchObject({
      act: 'copy',
      sources: [own],
    });
  });

  test('is had again where its file was pruned, whatever is in its place now', () => {
    const pruned = { ...own, pruned: '2026-08-01T10:00:00.000Z' };
    const disk = new Disk();
    expect(decide(jobLine('complete', { ...done, outputs: [pruned] }), disk)).toEqual({
      act: 'begin',
      why: 'its file was pruned',
    });
    expect(decide(jobLine('deleted', { ...done, outputs: [pruned] }), disk)).toEqual({
      act: 'lost',
      why: 'its project was deleted and the downloaded file was pruned on 2026-08-01',
    });
    disk.outputs.set('out/a.png', 'another result');
    expect(decide(jobLine('complete', { ...done, outputs: [pruned] }), disk).act).toBe('begin');
    disk.outputs.set('out/a.png', 'picture');
    expect(decide(jobLine('deleted', { ...done, outputs: [pruned] }), disk).act).toBe('reuse');
  });

  test('is copied where the output folder is another than it was', () => {
    const disk = new Disk();
    disk.outputs.set('old/a.png', 'picture');
    const old = outputLine('save:a', 'old/a.png', 'picture');
    expect(decide(jobLine('complete', { ...done, outputs: [old] }), disk)).toMatchObject({
      act: 'copy',
      sources: [old],
    });
  });

  test('is fetched again where its file is gone and the project is there', () => {
    expect(decide(jobLine('complete', { ...done, outputs: [own] }), new Disk())).toEqual({
      act: 'begin',
      why: 'its file is gone',
    });
  });

  test('is lost where its file is gone and the project too', () => {
    expect(decide(jobLine('deleted', { ...done, outputs: [own] }), new Disk()).act).toBe('lost');
    expect(decide(jobLine('deleted', done), new Disk()).act).toBe('lost');
  });

  test('is copied where the result stands whole under another name or another task', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'picture');
    const job = jobLine('deleted', { ...done, outputs: [own] });
    expect(decide(job, disk, 'b.png')).toMatchObject({ act: 'copy', sources: [own] });
    expect(
      decideDownload({ task: 'save:b', to: 'b.png', job, required: false }, disk),
    ).toMatchObject({
      act: 'copy',
      sources: [own],
    });
  });

  test('is copied back from what was kept when another took its place', () => {
    const disk = new Disk();
    disk.keptFiles.set(`${hash('picture')}.png`, 'picture');
    expect(decide(jobLine('deleted', { ...done, outputs: [own] }), disk)).toMatchObject({
      act: 'copy',
      sources: [own],
    });
  });

  test('is not copied from a changed file', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'retouched');
    expect(decide(jobLine('deleted', { ...done, outputs: [own] }), disk, 'b.png').act).toBe('lost');
    expect(decide(jobLine('complete', { ...done, outputs: [own] }), disk, 'b.png').act).toBe(
      'begin',
    );
  });

  test('needs all files of a project with several', () => {
    const disk = new Disk();
    const two = { result: { downloads: 2 }, project: 'p-1' };
    const outputs = [
      outputLine('save:a', 'out/a-1.png', 'one', 0),
      outputLine('save:a', 'out/a-2.png', 'two', 1),
    ];
    disk.outputs.set('out/a-1.png', 'one');
    expect(decide(jobLine('complete', { ...two, outputs: outputs.slice(0, 1) }), disk).act).toBe(
      'begin',
    );
    expect(decide(jobLine('complete', { ...two, outputs }), disk).act).toBe('begin');
    disk.outputs.set('out/a-2.png', 'two');
    expect(decide(jobLine('complete', { ...two, outputs }), disk).act).toBe('reuse');
  });
});

describe('what stands in the place of a download', () => {
  const decided = (job: Parameters<typeof decideDownload>[0]['job'], disk: Disk, to = 'a.png') =>
    decideDownload({ task: 'save:a', to, job, required: false }, disk);

  test('of a project without downloads is nothing to reuse or to copy', () => {
    expect(decided(jobLine('complete'), new Disk()).act).toBe('begin');
    expect(decided(jobLine('complete', { outputs: [own] }), new Disk()).act).toBe('begin');
    expect(decided(jobLine('deleted'), new Disk()).act).toBe('lost');
  });

  test('of another task is a copy for this one', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'picture');
    const other = outputLine('other:a', 'out/a.png', 'picture');
    expect(decided(jobLine('complete', { ...done, outputs: [other] }), disk)).toMatchObject({
      ...{ act: 'copy', sources: [other] },
    });
  });

  test('that has a place that cannot be used is not reused', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'picture');
    const job = jobLine('complete', { ...done, outputs: [own] });
    expect(decided(job, disk, '../a.png').act).toBe('copy');
  });
});

test('an attempt that failed without a reason is begun again', () => {
  expect(decideCreate(jobLine('failed'))).toEqual({
    ...{ act: 'begin', why: 'the last attempt failed: unknown' },
  });
});

test('a delete with savers asks for no other copy than theirs', () => {
  const job = jobLine('complete', { result: { downloads: 0 } });
  expect(decideDelete({ job, savers: ['save:a'], discard: false }, new Disk()).act).toBe('begin');
  const whole = new Disk();
  whole.outputs.set('out/a.png', 'picture');
  const saved = jobLine('complete', { ...done, outputs: [own] });
  expect(decideDelete({ job: saved, savers: ['other:a'], discard: false }, whole)).toMatchObject({
    ...{ act: 'keep', why: 'kept: other:a has not downloaded it' },
  });
});

describe('a download that another checkout saved', () => {
  const away = (...paths: readonly string[]): Disk => {
    const disk = new Disk();
    for (const path of paths) disk.elsewhere.add(path);
    return disk;
  };
  const decide = (job: Parameters<typeof decideDownload>[0]['job'], disk: Disk, required = false) =>
    decideDownload({ task: 'save:a', to: 'a.png', job, required }, disk);
  const saved = { ...done, outputs: [own] };

  test.each(['complete', 'deleted'] as const)(
    'is reused while its project is %s, and counted as elsewhere',
    (state) => {
      expect(decide(jobLine(state, saved), away('out/a.png'))).toEqual({
        act: 'reuse',
        why: 'elsewhere: another checkout saved it',
        files: { changed: 0, elsewhere: 1, stored: 0 },
      });
    },
  );

  test('is downloaded again where the run requires it, while the project is there', () => {
    expect(decide(jobLine('complete', saved), away('out/a.png'), true)).toEqual({
      act: 'begin',
      why: 'its file is elsewhere, and this run requires it here',
    });
  });

  test('is lost where the run requires it and the project is deleted', () => {
    expect(decide(jobLine('deleted', saved), away('out/a.png'), true)).toEqual({
      act: 'lost',
      why: 'its project was deleted and out/a.png is elsewhere: copy the file here from the checkout that saved it',
    });
  });

  test('is lost to another task with the same content, which needs its bytes', () => {
    const job = jobLine('deleted', saved);
    const question = { task: 'save:b', to: 'b.png', job, required: false };
    expect(decideDownload(question, away('out/a.png'))).toMatchObject({
      act: 'lost',
      why: expect.stringContaining('out/a.png is elsewhere: copy the file here'),
    });
  });

  const two = {
    result: { downloads: 2 },
    project: 'p-1',
    outputs: [
      outputLine('save:a', 'out/a-1.png', 'one', 0),
      outputLine('save:a', 'out/a-2.png', 'two', 1),
    ],
  };

  test('is reused where some of its files are here, whole or changed', () => {
    const disk = away('out/a-2.png');
    disk.outputs.set('out/a-1.png', 'one');
    expect(decide(jobLine('deleted', two), disk)).toMatchObject({
      act: 'reuse',
      files: { changed: 0, elsewhere: 1, stored: 0 },
    });
    disk.outputs.set('out/a-1.png', 'retouched');
    expect(decide(jobLine('deleted', two), disk)).toMatchObject({
      act: 'reuse',
      files: { changed: 1, elsewhere: 1, stored: 0 },
    });
  });

  test('is not reused where another of its files was here and is lost', () => {
    expect(decide(jobLine('complete', two), away('out/a-2.png'))).toEqual({
      act: 'begin',
      why: 'its file is gone',
    });
    expect(decide(jobLine('deleted', two), away('out/a-2.png'))).toMatchObject({
      act: 'lost',
      why: expect.stringContaining('gone or changed'),
    });
  });

  test('lets its project be: the checkout that has the file may delete it', () => {
    const question = { job: jobLine('complete', saved), savers: ['save:a'], discard: false };
    const deferred = { act: 'defer', why: 'kept: its files are elsewhere' };
    expect(decideDelete(question, away('out/a.png'))).toEqual(deferred);
    expect(decideDelete({ ...question, savers: [] }, away('out/a.png'))).toEqual(deferred);
    expect(decideDelete({ ...question, discard: true }, away('out/a.png')).act).toBe('begin');
  });

  test('keeps its project, which is a failure, where another file is lost', () => {
    const job = jobLine('complete', two);
    const question = { job, savers: ['save:a'], discard: false };
    expect(decideDelete(question, away('out/a-1.png'))).toEqual({
      act: 'keep',
      why: 'kept: out/a-2.png is lost',
    });
  });

  test('is whole where it was kept', () => {
    const disk = away('out/a.png');
    disk.keptFiles.set(`${hash('picture')}.png`, 'picture');
    expect(filesElsewhere(jobLine('deleted', saved), disk)).toEqual([]);
    expect(decide(jobLine('deleted', saved), disk)).toMatchObject({ act: 'copy', sources: [own] });
    const question = { job: jobLine('complete', saved), savers: ['save:a'], discard: false };
    expect(decideDelete(question, disk).act).toBe('begin');
  });
});

describe('a deletion', () => {
  const saved = jobLine('complete', { ...done, outputs: [own] });
  const whole = new Disk();
  whole.outputs.set('out/a.png', 'picture');

  test('begins once every download has its files, whole', () => {
    expect(decideDelete({ job: saved, savers: ['save:a'], discard: false }, whole)).toEqual({
      act: 'begin',
      why: 'its files are safe',
    });
  });

  test.each([
    [
      'a download has nothing',
      jobLine('complete', done),
      whole,
      ['save:a'],
      'save:a has not downloaded it',
    ],
    [
      'one of two downloads has nothing',
      saved,
      whole,
      ['save:a', 'more:a'],
      'more:a has not downloaded it',
    ],
    [
      'a download has only some',
      jobLine('complete', { result: { downloads: 2 }, outputs: [own] }),
      whole,
      ['save:a'],
      'has not downloaded it',
    ],
    ['a file is gone', saved, new Disk(), ['save:a'], 'out/a.png is lost'],
  ])('is refused where %s', (_, job, disk, savers, why) => {
    expect(decideDelete({ job, savers, discard: false }, disk)).toEqual({
      act: 'keep',
      why: expect.stringContaining(why),
    });
  });

  test('is refused where a file is not what was fetched', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'retouched');
    expect(decideDelete({ job: saved, savers: ['save:a'], discard: false }, disk)).toMatchObject({
      act: 'keep',
      why: 'kept: out/a.png is changed on disk',
    });
    disk.outputs.set('out/a.png', 'picture');
    disk.unread.add('out/a.png');
    expect(decideDelete({ job: saved, savers: ['save:a'], discard: false }, disk)).toMatchObject({
      act: 'keep',
      why: 'kept: out/a.png is not read yet',
    });
  });

  test('begins where a file gave its place away and is kept', () => {
    const disk = new Disk();
    disk.outputs.set('out/a.png', 'another take');
    disk.keptFiles.set(`${hash('picture')}.png`, 'picture');
    expect(decideDelete({ job: saved, savers: ['save:a'], discard: false }, disk).act).toBe(
      'begin',
    );
  });

  test('is done once, needs a complete project, and asks nobody where the result is thrown away', () => {
    expect(
      decideDelete({ job: jobLine('deleted'), savers: ['save:a'], discard: false }, whole).act,
    ).toBe('reuse');
    expect(decideDelete({ job: jobLine('created'), savers: [], discard: false }, whole)).toEqual({
      act: 'keep',
      why: 'its project is created',
    });
    const unsaved = jobLine('complete', done);
    expect(decideDelete({ job: unsaved, savers: [], discard: true }, new Disk()).act).toBe('begin');
  });

  test('is refused where no step beside it downloads, until every file is on disk', () => {
    const unsaved = jobLine('complete', done);
    expect(decideDelete({ job: unsaved, savers: [], discard: false }, new Disk())).toEqual({
      act: 'keep',
      why: 'kept: no download has its files on disk',
    });
    expect(decideDelete({ job: saved, savers: [], discard: false }, whole).act).toBe('begin');
  });
});

describe('a recorded file is', () => {
  test.each([
    ['whole', 'picture', false, 'whole'],
    ['gone', undefined, false, 'lost'],
    ['of another size', 'pictures', false, 'changed'],
    ['of another content', 'pictura', false, 'changed'],
    ['not read yet', 'picture', true, 'unread'],
  ])('%s', (_, content, unread, expected) => {
    const disk = new Disk();
    if (content !== undefined) disk.outputs.set('out/a.png', content);
    if (unread) disk.unread.add('out/a.png');
    expect(conditionOf(own, disk)).toBe(expected);
  });

  test('a copy where every download has one, and where it was kept', () => {
    const disk = new Disk();
    const outputs = [own, outputLine('other:b', 'out/b.png', 'two', 1)];
    const job = jobLine('deleted', { result: { downloads: 2 }, outputs });
    disk.outputs.set('out/a.png', 'picture');
    expect(wholeCopies(job, disk)).toBeUndefined();
    disk.keptFiles.set(`${hash('two')}.png`, 'two');
    expect(wholeCopies(job, disk)).toEqual(outputs);
    expect(keptCopy(own, disk)).toBe(false);
  });

  test('none where a job has no count of downloads', () => {
    expect(downloadCount(jobLine('complete'))).toBe(0);
    expect(downloadCount(jobLine('complete', { result: { downloads: '2' } }))).toBe(0);
  });
});
