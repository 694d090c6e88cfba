// Orders, asks, facts and imports for these tests.

import type { Ask, Fact, IssuedOrder, Lease } from '../../../src/distributed/database/batch.ts';
import type { Import } from '../../../src/distributed/database/database.ts';
import type { JobLine, NewEvent } from '../../../src/model/line.ts';
import { formatVersion } from '../../../src/model/record/schemas.ts';
import type { Intent } from '../../../src/run/jobs/ports.ts';
import { at, intent, job } from '../../model/lines.ts';

export const importOf = (
  run: string,
  { jobs = [] }: { readonly jobs?: readonly JobLine[] } = {},
): Import => ({
  terms: {
    run,
    pipeline: `pipeline ${run}`,
    file: 'pipeline.yaml',
    service: 'http://127.0.0.1:1',
    options: { budget: 7 },
  },
  canary: 'canary',
  header: { shotlist: formatVersion, pipeline: `pipeline ${run}`, service: 'http://127.0.0.1:1' },
  runs: [{ run: 1, at, charged: 0, refunded: 0 }],
  tasks: [],
  jobs,
});

export const jobLine = (of: string, change: Partial<JobLine> = {}): JobLine => ({
  job: job(of),
  kind: 'face-swap-photo',
  state: 'failed',
  tasks: [`swap:${of}`],
  attempt: 1,
  at,
  ...change,
});

export const issued = (key: string, epoch: number): IssuedOrder => ({
  order: { operation: 'digest', key, task: `swap:${key}`, kind: 'digest', attempts: 1, places: [] },
  epoch,
  seen: 0,
});

export function intentOf(of: string, attempt = 1, reserve = 10): Intent {
  const event = intent(of, reserve, attempt);
  if (event.event !== 'intent') throw new Error('not an intent');
  return event;
}

export const askOf = (lease: Lease, of: string, epoch: number, attempt = 1): Ask => ({
  lease,
  epoch,
  seen: 0,
  key: of,
  intent: intentOf(of, attempt),
  again: false,
});

export const event = (id: string, happened: NewEvent, name?: string): Fact => ({
  is: 'event',
  id,
  key: 'job' in happened ? happened.job : '',
  event: happened,
  ...(name === undefined ? {} : { name }),
});
