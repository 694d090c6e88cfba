// The addresses of a project's downloads: when they are read, when they are past their time, and how often they are asked for.
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../../../src/base/result.ts';
import type { Download } from '../../../../src/contract/api/project.ts';
import type { DownloadOrder } from '../../../../src/run/jobs/job.ts';
import { Addresses } from '../../../../src/run/jobs/save.ts';
import { fingerprint } from '../parts.ts';
import { Scene, unfit } from './performing.ts';

/** Expires so many milliseconds after the start. */
function listed(name: string, expiresMs: number): Download {
  const start = Date.parse('2026-08-05T10:00:00Z');
  return { url: `memory:${name}`, expires_at: new Date(start + expiresMs).toISOString() };
}

/** `known`: what the order lists; `lists`: what the service lists, one read after the other; null: it refuses. */
function scene(known: readonly Download[] | undefined, ...lists: (readonly Download[] | null)[]) {
  let reads = 0;
  const { context } = new Scene([], {
    project: async (_, id) => {
      const downloads = lists[Math.min(reads, lists.length - 1)];
      reads += 1;
      return downloads === undefined || downloads === null
        ? err(unfit)
        : ok({ id, status: 'complete', downloads: [...downloads], error: null });
    },
  });
  const order: DownloadOrder = {
    ...{ key: 'k', task: 'save:a', kind: 'download', operation: 'download', attempts: 1 },
    ...{ fingerprint: fingerprint('a'), tool: 'photo-colorizer', project: 'p', to: 'a.png' },
    ...(known === undefined ? {} : { downloads: known }),
  };
  return { addresses: new Addresses(order, context), reads: () => reads };
}

const fewer = { reason: 'expired', message: 'the service lists fewer downloads than before' };

describe('the address of a file', () => {
  test('is read where the order names none, whatever is asked first', async () => {
    const { addresses, reads } = scene(undefined, [listed('a', -1)]);
    expect(await addresses.at(0)).toEqual(ok('memory:a'));
    expect(await addresses.count()).toEqual(ok(1));
    expect(reads()).toBe(1);
  });

  test('is a failure where its project cannot be read', async () => {
    const { addresses } = scene(undefined, null);
    expect(await addresses.at(0)).toEqual(err(unfit));
    expect(await addresses.count()).toEqual(err(unfit));
  });

  test('of a file that is not listed is a failure', async () => {
    const { addresses } = scene([listed('a', 1)], [listed('b', 1)]);
    expect(await addresses.at(1)).toEqual(err(fewer));
    expect(await addresses.another(1)).toEqual(err(fewer));
  });

  test.each([
    [1, 'memory:a', 0],
    [0, 'memory:fresh', 1],
    [-1, 'memory:fresh', 1],
  ])('that expires in %i ms is %s', async (ms, address, times) => {
    const { addresses, reads } = scene([listed('a', ms)], [listed('fresh', 1)]);
    expect(await addresses.at(0)).toEqual(ok(address));
    expect(reads()).toBe(times);
  });
});

describe('another address', () => {
  test('is asked for once only, until a file has come', async () => {
    const { addresses, reads } = scene([listed('a', 1)], [listed('b', 1)], [listed('c', 1)]);
    expect(await addresses.another(0)).toEqual(ok('memory:b'));
    expect(await addresses.another(0)).toBeUndefined();
    addresses.came();
    expect(await addresses.another(0)).toEqual(ok('memory:c'));
    expect(reads()).toBe(2);
  });

  test('that was read is not past its time, whatever our clock says', async () => {
    const { addresses, reads } = scene([listed('a', 1)], [listed('b', -1)]);
    await addresses.another(0);
    addresses.came();
    expect(await addresses.at(0)).toEqual(ok('memory:b'));
    expect(reads()).toBe(1);
  });
});
