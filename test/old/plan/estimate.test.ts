// What one creation will cost: the list, the estimate, the history, and what was learned the hard way.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { mostCredits } from '../../../src/contract/api/bounds.ts';
import { measureOf, priceOf } from '../../../src/contract/price.ts';
import { existingTool } from '../../../src/contract/tools/all.ts';
import { Ledger } from '../../../src/model/ledger.ts';
import type { Measure } from '../../../src/model/line.ts';
import { type Estimate, estimateOf } from '../../../src/plan/estimate.ts';
import { renewalOf } from '../../../src/plan/renew.ts';
import {
  Disk,
  day,
  hash,
  jobLine,
  outputLine,
  pipelineOf,
  start,
} from '../../tables/plan-world.ts';

/** A ledger in which a creation of this kind was reserved at one price and charged another. */
function charged(kind: string, reserve: number, credits: number, measure?: Measure): Ledger {
  const ledger = new Ledger();
  const job = hash('job');
  const at = new Date(start).toISOString();
  for (const event of [
    { event: 'intent', job, task: 'swap:a', kind, attempt: 1, name: 'a #1', reserve, measure },
    { event: 'created', job, project: 'p-a', credits },
    { event: 'settled', job, status: 'complete', credits },
  ] as const) {
    const result = ledger.apply({ ...event, at });
    if (!result.ok) throw new Error(result.error);
  }
  return ledger;
}

function estimate(kind: string, more = '', ledger = new Ledger(), body: JsonObject = {}): Estimate {
  const photo = 'photo: { uses: upload, with: { file: a.png } }';
  const bodies: Readonly<Record<string, string>> = {
    'face-swap-photo':
      '{ assets: { target_file_path: "${{ steps.photo.file_path }}", source_file_path: "${{ steps.photo.file_path }}" } }',
    'character-replace':
      '{ end_seconds: 5, assets: { video_file_path: "${{ steps.photo.file_path }}", image_file_path: "${{ steps.photo.file_path }}" } }',
    'ai-qr-code-generator': '{ content: x, style: { art_style: y } }',
    upload: '{ file: a.png }',
  };
  const step = pipelineOf(
    `pipeline: p\nsteps:\n  ${photo}\n  it: { uses: ${kind}, with: ${bodies[kind]}${more} }\n`,
  ).steps.find(({ name }) => name === 'it');
  if (step === undefined) throw new Error('no step');
  return estimateOf(step, body, ledger);
}

describe('an estimate', () => {
  test('is the listed price where there is one, or what the step says where that is more', () => {
    expect(estimate('face-swap-photo')).toEqual({ known: true, credits: 10 });
    expect(estimate('face-swap-photo', ', estimate: 3')).toEqual({ known: true, credits: 10 });
    expect(estimate('face-swap-photo', ', estimate: 12')).toEqual({ known: true, credits: 12 });
  });

  test('is not known, with the reason, where nothing is listed, said or seen', () => {
    expect(estimate('character-replace')).toEqual({
      known: false,
      why: expect.stringContaining('character-replace'),
    });
  });

  test('is what the step says where nothing is listed, rounded up', () => {
    expect(estimate('character-replace', ', estimate: 149.2')).toEqual({
      known: true,
      credits: 150,
    });
  });

  test('is what the journal saw for the same kind of order, by its size, whatever the step says', () => {
    const seen = { of: 'character-replace resolution=480p', amount: 10 };
    const ledger = charged('character-replace', 400, 300, seen);
    const body = {
      end_seconds: 5,
      resolution: '480p',
      name: 'x',
      assets: { video_file_path: 'y' },
    };
    const known = { known: true, credits: 150 };
    expect(estimate('character-replace', '', ledger, body)).toEqual(known);
    expect(estimate('character-replace', ', estimate: 999', ledger, body)).toEqual(known);
    expect(estimate('character-replace', '', ledger, { ...body, resolution: '720p' }).known).toBe(
      false,
    );
  });

  test('follows the service where it charges less than the list, for the same kind of order only', () => {
    const listed = measureOf('face-swap-photo', {}, priceOf(existingTool('face-swap-photo'), {}));
    const ledger = charged('face-swap-photo', 10, 4, listed);
    expect(estimate('face-swap-photo', '', ledger)).toEqual({ known: true, credits: 4 });
    const other = { assets: { face_swap_mode: 'x' }, speed: 'fast' };
    expect(estimate('face-swap-photo', '', ledger, other)).toEqual({ known: true, credits: 10 });
  });

  test('is not nothing because the same kind of order was free once', () => {
    const listed = measureOf('face-swap-photo', {}, priceOf(existingTool('face-swap-photo'), {}));
    const ledger = charged('face-swap-photo', 10, 0, listed);
    expect(estimate('face-swap-photo', '', ledger)).toEqual({ known: true, credits: 10 });
    const seen = { of: 'character-replace resolution=480p', amount: 10 };
    const free = charged('character-replace', 400, 0, seen);
    const body = { end_seconds: 5, resolution: '480p' };
    expect(estimate('character-replace', '', free, body).known).toBe(false);
    expect(estimate('character-replace', ', estimate: 90', free, body)).toMatchObject({
      credits: 90,
    });
  });

  test('is never above what a creation can cost', () => {
    const estimated = estimate('character-replace', `, estimate: ${mostCredits}`);
    expect(estimated).toEqual({ known: true, credits: mostCredits });
    const ledger = charged('character-replace', 10, 100);
    expect(estimate('character-replace', `, estimate: ${mostCredits}`, ledger)).toEqual({
      ...{ known: true, credits: mostCredits },
    });
  });

  test('takes no notice of a charge that was measured by another edition of the list', () => {
    const ledger = charged('face-swap-photo', 10, 4, { of: 'face-swap-photo', amount: 1 });
    expect(estimate('face-swap-photo', '', ledger)).toEqual({ known: true, credits: 10 });
  });

  test('is raised by as much as a kind was ever charged above its estimate', () => {
    expect(estimate('face-swap-photo', '', charged('face-swap-photo', 10, 15))).toEqual({
      known: true,
      credits: 15,
    });
  });

  test('is never lowered by a cheap one of another kind of order', () => {
    expect(estimate('face-swap-photo', '', charged('face-swap-photo', 10, 4))).toEqual({
      known: true,
      credits: 10,
    });
  });

  test('does not learn from another kind', () => {
    expect(estimate('face-swap-photo', '', charged('head-swap', 10, 90))).toEqual({
      known: true,
      credits: 10,
    });
  });

  test('of what is free is nothing', () => {
    expect(estimate('upload')).toEqual({ known: true, credits: 0 });
  });

  test('of what is listed as free is what it was charged once it was charged', () => {
    expect(estimate('ai-qr-code-generator')).toEqual({ known: true, credits: 0 });
    expect(estimate('ai-qr-code-generator', '', charged('ai-qr-code-generator', 0, 5))).toEqual({
      known: true,
      credits: 5,
    });
  });
});

describe('a finished task’s values', () => {
  const disk = new Disk();
  disk.outputs.set('a.png', 'picture');
  const outputs = [outputLine('save:a', 'a.png', 'picture')];

  test.each([
    ['an upload of today', 'upload', jobLine('supplied'), 0, 'recorded'],
    ['an upload with an hour left', 'upload', jobLine('supplied'), 7 * day - 3_600_000, 'redo'],
    [
      'an upload with a moment more',
      'upload',
      jobLine('supplied'),
      7 * day - 3_600_001,
      'recorded',
    ],
    ['a detection with an hour left', 'detect', jobLine('supplied'), 7 * day - 3_600_000, 'redo'],
    ['a detection with a moment more', 'detect', jobLine('supplied'), 7 * day - 3_600_001, 'read'],
    ['a deleted project without downloads', 'create', jobLine('deleted', { outputs }), 0, 'lost'],
    ['an upload of eight days', 'upload', jobLine('supplied'), 8 * day, 'redo'],
    ['a detection of today', 'detect', jobLine('supplied'), 0, 'read'],
    ['a detection of eight days', 'detect', jobLine('supplied'), 8 * day, 'redo'],
    ['a complete project', 'create', jobLine('complete'), 30 * day, 'read'],
    [
      'a deleted project with its file',
      'create',
      jobLine('deleted', { result: { downloads: 1 }, outputs }),
      0,
      'upload',
    ],
    [
      'a deleted project without files',
      'create',
      jobLine('deleted', { result: { downloads: 1 } }),
      0,
      'lost',
    ],
    ['a download', 'download', jobLine('complete'), 30 * day, 'recorded'],
  ] as const)('of %s', (_, operation, job, age, expected) => {
    expect(renewalOf(operation, job, start + age, disk)).toBe(expected);
  });

  test('are lost where only some files of a deleted project are left', () => {
    expect(
      renewalOf('create', jobLine('deleted', { result: { downloads: 2 }, outputs }), start, disk),
    ).toBe('lost');
  });
});
