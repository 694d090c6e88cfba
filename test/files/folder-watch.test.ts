// A folder that wakes whoever waits for it.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFolders } from '../../src/files/folder-watch.ts';
import { until } from '../rig.ts';
import { folderWith } from './places.ts';

/** Does it again and again until somebody wakes: the system may need a moment before it watches. */
async function wakes(folder: string, act: (time: number) => void): Promise<boolean> {
  const problems: string[] = [];
  const watch = watchFolders({
    paths: [folder],
    ignores: () => false,
    onProblem: (why) => void problems.push(why),
  });
  onTestFinished(() => watch.close());
  let woken = false;
  const { signal } = new AbortController();
  const waiting = watch.changed(signal).then(() => {
    woken = true;
  });
  let time = 0;
  await until('it wakes', () => {
    act(time++);
    return woken;
  });
  await waiting;
  expect(problems).toEqual([]);
  return woken;
}

test.each([
  ['a new file', (folder: string, time: number) => writeFileSync(join(folder, `new${time}`), 'x')],
  [
    'a change of a file',
    (folder: string, time: number) => writeFileSync(join(folder, 'a/b/old'), `${time}`),
  ],
  ['a new folder', (folder: string, time: number) => mkdirSync(join(folder, `more${time}`))],
  [
    'a file that is renamed',
    (folder: string, time: number) =>
      renameSync(join(folder, 'a', String(time)), join(folder, 'a', String(time + 1))),
  ],
  [
    'a file that is removed',
    (folder: string, time: number) => rmSync(join(folder, `gone/${time}`), { force: true }),
  ],
] as const)('%s wakes it', async (_, act) => {
  const folder = folderWith(
    'a/b/old',
    'a/0',
    ...Array.from({ length: 500 }, (_, n) => `gone/${n}`),
  );
  expect(await wakes(folder, (time) => act(folder, time))).toBe(true);
});

test('an aborted signal ends the wait', async () => {
  const watch = watchFolders({
    paths: [folderWith('x')],
    ignores: () => false,
    onProblem: () => undefined,
  });
  onTestFinished(() => watch.close());
  const stop = new AbortController();
  const waiting = watch.changed(stop.signal);
  stop.abort();
  await waiting;
  await watch.changed(stop.signal);
});
