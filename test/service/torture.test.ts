// A short round of the service's torture; the long one is a command of its own: npm run torture -- --of service.
import { expect } from 'vitest';
import { tortureService } from '../../torture/service.ts';
import { longTest } from '../sweep.ts';

longTest(
  'killed at random moments under load, it keeps its books, its events and its files right',
  async () => {
    const { projects, violations } = await tortureService({
      rounds: 1,
      seed: 7,
      onEvent: () => {},
    });
    expect(violations).toEqual([]);
    // How many it comes to depends on the machine; none at all would show nothing.
    expect(projects).toBeGreaterThan(0);
  },
);
