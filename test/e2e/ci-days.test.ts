// A few days of a pipeline in CI; the long form is a command of its own: npm run torture -- --of ci --days 30.
import { expect, test } from 'vitest';
import { tortureCi } from '../../torture/ci.ts';
import { sampleOf } from '../sweep.ts';

const stores = [
  ['with a bucket', true],
  ['without a store', false],
] as const;

test.each(sampleOf(stores, 2))(
  'daily runs in fresh clones pay each new photo once and fetch nothing twice, %s',
  async (_, withBucket) => {
    const told: string[] = [];
    const days = 2;
    const result = await tortureCi({ days, withBucket, onEvent: (line) => void told.push(line) });
    expect(result.violations, told.join('\n')).toEqual([]);
    expect(result).toMatchObject({ charges: days, fetched: withBucket ? days : 0 });
  },
  60_000,
);
