// The demo of the README, in a copy of its folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { isHeld } from '../../src/state/lock.ts';
import { ownEnvironment } from '../command.ts';
import { Rig, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

longTest('a demo that is killed leaves no process that holds the lock', async () => {
  const rig = new Rig('');
  mkdirSync(rig.path('pipelines'));
  for (const name of ['demo.ts', 'before-after.ts', 'product-photos.yaml'])
    copyFileSync(`${root}pipelines/${name}`, rig.path(`pipelines/${name}`));
  for (const name of ['node_modules', 'src', 'docs', 'package.json'])
    symlinkSync(`${root}${name}`, rig.path(name));
  const demo = spawn(process.execPath, ['pipelines/demo.ts'], {
    ...{ cwd: rig.folder, env: ownEnvironment(), stdio: 'ignore' },
  });
  const end = once(demo, 'exit');
  onTestFinished(() => void demo.kill('SIGKILL'));
  const lock = rig.path('media/.shotlist/rehearsal/product-photos/state.jsonl.lock');
  await until('the demo runs', () => isHeld(lock));
  demo.kill('SIGKILL');
  await end;
  await until('nobody holds it', () => !isHeld(lock));
});
