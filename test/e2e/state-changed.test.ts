// A git stash takes the state file of a real run away. What else may change it: test/stories/state-changed.test.ts.
import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { startService } from '../../src/service/start.ts';
import { bill, ended, envOf, plainly, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { git, identity, memes, origin, state } from './clones.ts';

const oneByOne = memes.replace('output: out', 'output: out\nlimits: { items: 1 }');

longTest(
  'a stash under a real run: it writes all that it knows again, and commits it',
  async () => {
    const slow = await startService({ ...plainly, speed: 60 });
    try {
      const rig = origin(oneByOne);
      const env = { ...envOf(slow), ...identity };
      const child = rig.start(['run', 'pipeline.yaml', '--commit'], env);
      const end = ended(child);
      await until('it is charged', () => bill(slow.ledger()).size > 0);
      await until('there is a state file', () => existsSync(rig.path(state)));
      git(rig.folder, 'stash', '--quiet', '--include-untracked');
      const { code, stderr } = await end;
      expect([code, stderr]).toEqual([0, '']);
      expect(git(rig.folder, 'show', `HEAD:${state}`)).toBe(rig.read(state));
      const { summary } = await rig.run(slow);
      expect(summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0, done: 0 } });
      expect([...bill(slow.ledger()).values()]).toEqual([10, 10, 10, 10]);
    } finally {
      await slow.close();
    }
  },
);
