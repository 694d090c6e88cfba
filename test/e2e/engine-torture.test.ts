// A short round of the engine's torture; the long ones are a command of their own: npm run torture -- --of engine.
import { describe, expect } from 'vitest';
import { tortureEngine } from '../../torture/engine.ts';
import { scenes } from '../../torture/engine-round.ts';
import { main } from '../built.ts';
import { longTest } from '../sweep.ts';

describe('processes that are killed and frozen', { tags: 'postgres' }, () => {
  for (const scene of scenes)
    longTest(
      `leave each task paid once and each result whole (${scene})`,
      async () => {
        const told: string[] = [];
        const onEvent = (line: string): void => void told.push(line);
        const tortured = await tortureEngine({
          ...{
            seed: 5,
            rounds: 1,
            scene,
            items: 20,
            boundMs: 30_000,
            main,
            onEvent,
            onNote: onEvent,
          },
          kills: { workers: 4, coordinators: 1, freezes: 2, crashes: 1, cuts: 1 },
        });
        expect(tortured.violations, told.join('\n')).toEqual([]);
        expect(tortured.counts['worker killed']).toBeGreaterThan(0);
      },
      600_000,
    );
});
