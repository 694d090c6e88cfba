// Can results be saved? Asked before the lock is taken, so by several runs at once.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkWritable } from '../../src/state/writable.ts';

test('runs that ask at the same time do not take each other for a folder that cannot be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = {
    ...{ ownFolder: folder, runFolder: folder, privateFolder: folder, privateRunFolder: folder },
    ...{
      state: join(folder, 'p.state.jsonl'),
      lock: join(folder, 'lock'),
      live: join(folder, 'live'),
      output: folder,
    },
    ...{
      kept: join(folder, 'kept'),
      store: join(folder, 'store'),
      hashes: join(folder, 'hashes.db'),
      history: join(folder, 'history'),
      serviceName: 'rehearsal',
    },
    ...{ serviceData: join(folder, 'service'), due: '', diskReserve: join(folder, 'reserve') },
  };
  const problems: unknown[] = [];
  const askAgainAndAgain = async (): Promise<void> => {
    for (let time = 0; time < 60; time++) {
      const problem = await checkWritable(paths);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: 7 }, askAgainAndAgain));
  expect(problems).toEqual([]);
  expect(readdirSync(folder)).toEqual(['kept']);
});
