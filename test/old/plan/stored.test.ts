// What a store changes about the decisions on downloads and deletes.
import { describe, expect, test } from 'vitest';
import type { JobLine, OutputLine } from '../../../src/model/line.ts';
import { decideDelete, decideDownload } from '../../../src/plan/decide.ts';
import { renewalOf } from '../../../src/plan/renew.ts';
import { Disk, hash, start } from '../../tables/plan-world.ts';

const store = '0123456789abcdef';
const task = 'save:a';

class StoreDisk extends Disk {
  store: string | undefined = store;
}

const output = (more: Partial<OutputLine> = {}): OutputLine => ({
  ...{ task, index: 0, path: 'out/a.png', bytes: 7, sha256: hash('content') },
  ...more,
});

const job = (outputs: readonly OutputLine[], state: JobLine['state'] = 'complete'): JobLine => ({
  ...{ job: hash('job'), kind: 'photo-colorizer', state, tasks: ['make:a'], attempt: 1 },
  ...{ at: '2026-08-05T10:00:00Z', project: 'p', credits: 1, result: { downloads: 1 } },
  outputs: [...outputs],
});

const here = (): StoreDisk => {
  const disk = new StoreDisk();
  disk.outputs.set('out/a.png', 'content');
  return disk;
};

const download = (line: JobLine, disk: Disk, required = false): string =>
  decideDownload({ task, to: 'a.png', job: line, required }, disk).act;

describe('a download', () => {
  test('is to be stored as long as the store of this run lacks its file', () => {
    expect(download(job([output()]), here())).toBe('store');
    expect(download(job([output({ stored: 'fedcba9876543210' })]), here())).toBe('store');
    expect(download(job([output({ stored: store })]), here())).toBe('reuse');
  });

  test('is done before without a store', () => {
    const disk = here();
    disk.store = undefined;
    expect(download(job([output()]), disk)).toBe('reuse');
  });

  test('whose file its owner changed is left alone', () => {
    const disk = here();
    disk.outputs.set('out/a.png', 'another');
    expect(download(job([output()]), disk)).toBe('reuse');
  });

  test.each(['complete', 'deleted'] as const)(
    'that only the store has is elsewhere, and is fetched where it is required (project %s)',
    (state) => {
      const line = job([output({ stored: store })], state);
      expect(download(line, new StoreDisk())).toBe('reuse');
      expect(download(line, new StoreDisk(), true)).toBe('copy');
    },
  );

  test('that another store has is lost with its file', () => {
    const line = job([output({ stored: 'fedcba9876543210' })], 'deleted');
    expect(download(line, new StoreDisk())).toBe('lost');
  });

  test('to another place is copied from the store', () => {
    const line = job([output({ path: 'out/b.png', stored: store })], 'deleted');
    expect(download(line, new StoreDisk())).toBe('copy');
  });
});

describe('a delete', () => {
  const decide = (line: JobLine, disk: Disk, savers = [task]): string =>
    decideDelete({ job: line, savers, discard: false }, disk).act;

  test.each([[[task]], [[]]])('waits for the store (savers: %j)', (savers) => {
    expect(decide(job([output()]), here(), savers)).toBe('keep');
    expect(decide(job([output({ stored: store })]), here(), savers)).toBe('begin');
  });

  test.each([[[task]], [[]]])('needs no file here if the store has it (savers: %j)', (savers) => {
    expect(decide(job([output({ stored: store })]), new StoreDisk(), savers)).toBe('begin');
    expect(decide(job([output()]), new StoreDisk(), savers)).toBe('keep');
  });

  test('that discards the result on purpose does not wait', () => {
    const question = { job: job([output()]), savers: [task], discard: true };
    expect(decideDelete(question, here()).act).toBe('begin');
  });
});

test('a result whose project is deleted can be renewed from the store', () => {
  const renewal = (stored: string): string =>
    renewalOf('create', job([output({ stored })], 'deleted'), start, new StoreDisk());
  expect(renewal(store)).toBe('upload');
  expect(renewal('fedcba9876543210')).toBe('lost');
});
