// A few trials of the disk's torture; all of them are a command of its own: npm run torture -- --of disk.
import { describe, expect } from 'vitest';
import { tortureDisk } from '../../torture/disk.ts';
import { longTest } from '../sweep.ts';

describe('strace makes system calls fail', { tags: 'strace' }, () => {
  longTest(
    'whichever call fails, the next run completes: each task is paid once, nothing is lost, no stack trace is printed',
    async () => {
      const told: string[] = [];
      const onEvent = (line: string): void => void told.push(line);
      const tortured = await tortureDisk({ every: 400, seed: 7, jobs: 2, onEvent });
      expect(tortured.violations, told.join('\n')).toEqual([]);
      // Which calls come again depends on the order of requests; without any, nothing is shown.
      expect(tortured.cases - tortured.missed).toBeGreaterThan(tortured.cases / 3);
    },
    600_000,
  );
});
