// From a step and its job to an order: how often it is tried, how long it is waited for, and where its files are.
import { describe, expect, test } from 'vitest';
import { placeOf } from '../../../src/core/recorded-files.ts';
import { timeoutOf } from '../../../src/core/timeout.ts';
import { uploadFingerprint } from '../../../src/model/fingerprint.ts';
import type { JobLine } from '../../../src/model/line.ts';
import {
  attachOrder,
  attemptName,
  awaitOrder,
  copyOrder,
  headOf,
  rereadOrder,
  reuploadOrder,
} from '../../../src/run/orders.ts';
import { Disk, hash, jobLine, outputLine, pipelineOf } from '../../tables/plan-world.ts';
import { fingerprint } from './parts.ts';

const { steps } = pipelineOf(`pipeline: p
items: { values: [{ key: a }] }
steps:
  photo: { uses: upload, retry: { attempts: 7 }, with: { file: a.png } }
  quick: { uses: photo-colorizer, retry: { attempts: 2 }, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  patient: { uses: photo-colorizer, retry: { attempts: 9 }, timeout: 90s, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  actor: { uses: upload, with: { file: a.png } }
  slow: { uses: character-replace, estimate: 9, with: { end_seconds: 2, assets: { video_file_path: "\${{ steps.photo.file_path }}", image_file_path: "\${{ steps.actor.file_path }}" } } }
`);

function step(name: string) {
  const found = steps.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no step ${name}`);
  return found;
}

const quick = { ...step('quick') };
const head = headOf('k', 'quick:a', quick);
const job = fingerprint('job');
const minute = 60_000;

describe('a step', () => {
  test('is waited for as long as it says, or six times its median, ten minutes at least', () => {
    expect(timeoutOf(step('patient'))).toBe(90_000);
    expect(timeoutOf(quick)).toBe(10 * minute);
    const median = step('slow').kind.tool?.medianSeconds ?? 0;
    expect(median * 6).toBeGreaterThan(600);
    expect(timeoutOf(step('slow'))).toBe(median * 6000);
    expect(timeoutOf(step('photo'))).toBe(10 * minute);
  });

  test('that pays is tried as often as it says, a free one five times at least', () => {
    expect(headOf('k', 't', quick)).toEqual({
      ...{ key: 'k', task: 't', kind: 'photo-colorizer', attempts: 2 },
    });
    expect(headOf('k', 't', step('photo')).attempts).toBe(7);
    const { attempts: _, ...photo } = step('photo');
    expect(headOf('k', 't', { ...photo, attempts: 1 }).attempts).toBe(5);
  });
});

describe('what was paid', () => {
  test('is waited for with the patience of free requests', () => {
    const line = jobLine('created', { project: 'p', credits: 7 });
    expect(attachOrder(head, quick, line)).toEqual({
      ...{ ...head, operation: 'attach', attempts: 5, fingerprint: line.job },
      ...{ project: 'p', settled: false, since: Date.parse(line.at) },
      ...{ credits: 7, timeoutMs: 10 * minute },
    });
    const take = { first: job, number: 2, known: 1, others: 7, saveTo: 'takes/a.png' };
    expect(attachOrder(head, quick, line, take)).toMatchObject({ saveTo: 'takes/a.png' });
    const patient = headOf('k', 't', step('patient'));
    expect(attachOrder(patient, step('patient'), line)).toMatchObject({
      ...{ attempts: 9, timeoutMs: 90_000 },
    });
  });

  test('is only read where it is settled', () => {
    expect(attachOrder(head, quick, jobLine('complete', { project: 'p' }))).toMatchObject({
      ...{ settled: true, credits: 0 },
    });
  });

  test('has a project, or there is a bug', () => {
    expect(() => attachOrder(head, quick, jobLine('created'))).toThrow('without a project');
  });
});

describe('a creation in doubt', () => {
  test('is waited for by its name, with what was set aside for it', () => {
    const line = jobLine('doubt', { name: 'n #1', reserve: 12 });
    expect(awaitOrder(head, quick, line)).toEqual({
      ...{ ...head, operation: 'await', attempts: 5, fingerprint: line.job },
      ...{ name: 'n #1', reserve: 12, timeoutMs: 10 * minute },
    });
    expect(awaitOrder(head, quick, jobLine('doubt', { name: 'n' })).reserve).toBe(0);
    const patient = headOf('k', 't', step('patient'));
    expect(awaitOrder(patient, step('patient'), line).attempts).toBe(9);
  });

  test('has a name, or there is a bug', () => {
    expect(() => awaitOrder(head, quick, jobLine('doubt'))).toThrow('without a name');
  });
});

test.each([
  [{ id: 'f1', faces: [] }, { detection: 'f1' }],
  [{ faces: [] }, {}],
  [undefined, {}],
])('a face detection is read again by its id, if it is known (%j)', (result, more) => {
  const line = jobLine('supplied', result === undefined ? {} : { result });
  expect(rereadOrder(head, quick, line, job)).toEqual({
    ...{ ...head, operation: 'detect', fingerprint: job, body: {}, timeoutMs: 10 * minute },
    ...more,
  });
});

describe('files that are on disk', () => {
  const [one, two] = [
    outputLine('save:a', 'out/a-1.png', 'one', 0),
    outputLine('save:a', 'out/a-2.png', 'two', 1),
  ];
  const kept = { in: 'kept', digest: hash('two'), extension: 'png' };
  const deleted = (more: Partial<JobLine> = {}) =>
    jobLine('deleted', { result: { downloads: 2 }, outputs: [one, two], ...more });
  const disk = (): Disk => {
    const made = new Disk();
    made.outputs.set('out/a-1.png', 'one');
    made.outputs.set('out/a-2.png', 'another take');
    made.keptFiles.set(`${hash('two')}.png`, 'two');
    return made;
  };

  test('are taken from their place where they are whole, else from what is kept', () => {
    expect(placeOf(one, disk())).toEqual({ in: 'output', path: 'out/a-1.png' });
    expect(placeOf(two, disk())).toEqual(kept);
  });

  test('are uploaded in place of a deleted project', () => {
    expect(reuploadOrder(head, deleted(), disk())).toEqual({
      ...{ ...head, operation: 'reupload', attempts: 5, result: { downloads: 2 } },
      files: [
        {
          ...{ fingerprint: uploadFingerprint(hash('one')), output: one },
          from: { in: 'output', path: 'out/a-1.png' },
        },
        {
          ...{ fingerprint: uploadFingerprint(hash('two')), output: two },
          from: kept,
        },
      ],
    });
    const patient = headOf('k', 't', step('patient'));
    expect(reuploadOrder(patient, deleted(), disk())?.attempts).toBe(9);
  });

  test('are not uploaded where one of them is gone', () => {
    const some = disk();
    some.keptFiles.clear();
    expect(reuploadOrder(head, deleted(), some)).toBeUndefined();
  });

  test('are copied from where they are', () => {
    expect(copyOrder(head, 'b.png', job, [one, two], disk())).toEqual({
      ...{ ...head, operation: 'copy', fingerprint: job, to: 'b.png' },
      sources: [
        { output: one, from: { in: 'output', path: 'out/a-1.png' } },
        { output: two, from: kept },
      ],
    });
  });
});

test('the name of an attempt shows what it is for, and ends in ten characters by chance', () => {
  const chances = [0, 0.999, 0.5];
  let next = 0;
  const name = attemptName('p swap:a', () => chances[next++ % chances.length] ?? 0);
  expect(name).toBe('p swap:a #0zg0zg0zg0');
  expect(attemptName('x'.repeat(200), () => 0)).toBe(`${'x'.repeat(80)} #0000000000`);
});

test('a name that is cut in the middle of a character is still text that any service can give back', () => {
  const name = attemptName(`${'x'.repeat(79)}😀`, () => 0);
  expect(name).toBe(`${'x'.repeat(79)}\ufffd #0000000000`);
  expect(Buffer.from(name).toString()).toBe(name);
});
