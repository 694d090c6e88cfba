// The ledger of a run is read from its database while another process may fold the records into the lines.
import { expect, test } from 'vitest';
import type { RunStore } from '../../../src/distributed/database/coordinator-store.ts';
import { loadLedger } from '../../../src/distributed/load-ledger.ts';
import { formatVersion } from '../../../src/model/record/schemas.ts';
import { folded, intent, run } from '../../model/lines.ts';

test('records that are folded while they are read are counted once', async () => {
  const before = folded([run(), intent('a', 10)]);
  const after = folded([run(), intent('a', 10), intent('b', 5)]);
  const { ledger } = await loadLedger(foldedAfterJobs(before, after));
  expect(ledger.total).toEqual(after.total);
  expect([...ledger.jobs()]).toEqual([...after.jobs()]);
});

type Read = Pick<RunStore, 'snapshot' | 'jobs' | 'records'>;
type Lines = ReturnType<typeof folded>;

/** Has the lines of `before` until its jobs were read, and those of `after` from then on. */
function foldedAfterJobs(before: Lines, after: Lines): Read {
  let now = before;
  return {
    snapshot: async () => ({
      header: { shotlist: formatVersion, pipeline: 'photos', service: 'http://127.0.0.1' },
      ...{ runs: now.runs(), tasks: now.tasks(), seq: now === before ? 2 : 3 },
    }),
    async *jobs() {
      yield [...now.jobs()];
      now = after;
    },
    records: async () => [],
  };
}
