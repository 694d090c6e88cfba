// A worker that has the secret and lies: a project is deleted only if the coordinator has read the files itself.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOfBytes } from '../../src/base/digest.ts';
import { bill, ended, envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';
import { openEngine } from './engine.ts';
import { type Lie, lieAbout } from './liar.ts';
import { secret } from './site.ts';

const put = (rig: Rig, path: string, content: Buffer): void => {
  mkdirSync(dirname(rig.path(path)), { recursive: true });
  writeFileSync(rig.path(path), content);
};

const deletes = (local: Awaited<ReturnType<typeof service>>): number =>
  Object.entries(local.requests())
    .filter(([name]) => name.startsWith('DELETE'))
    .reduce((sum, [, count]) => sum + count, 0);

/** A run whose only worker lies. */
async function deceived(pipeline: string, lieIn: (rig: Rig) => Lie) {
  const database = await openEngine();
  const local = await service();
  const rig = await photoRig(2, pipeline);
  const env = { ...envOf(local), SHOTLIST_WORKER_SECRET: secret };
  const args = ['run', 'pipeline.yaml', '--hosted'];
  let isOver = false;
  const run = ended(rig.start([...args, '--engine', database.address.url], env));
  const lying = lieAbout({ database, secret, pipeline: 'photos' }, lieIn(rig), () => isOver);
  const { code, stdout } = await run;
  isOver = true;
  await lying;
  expect(code, stdout).toBe(1);
  expect(deletes(local)).toBe(0);
  const again = (...flags: readonly string[]) => rig.command([...args, ...flags], env);
  return { rig, local, stdout, again };
}

describe('a worker that lies', { tags: 'postgres' }, () => {
  test.for<[string, (rig: Rig) => Lie]>([
    [
      'the hash of what it saved',
      (rig) => (path, content) => {
        put(rig, path, content);
        return { bytes: content.length, sha256: digestOfBytes('something else') };
      },
    ],
    [
      'whether it saved anything',
      () => (_, content) => ({ bytes: content.length, sha256: digestOfBytes(content) }),
    ],
  ])(
    'about %s has no project deleted, and a run without its files saves all',
    async ([_, lieIn]) => {
      const { rig, local, stdout, again } = await deceived(photoPipeline, lieIn);
      expect(stdout).not.toContain('no step downloads it');
      rmSync(rig.path('out'), { recursive: true });
      const healed = await again();
      expect(healed.code, `${healed.stdout}${healed.stderr}`).toBe(0);
      expect(deletes(local)).toBe(2);
      expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
      expect(rig.files('out')).toEqual(['p1.png', 'p2.png']);
    },
  );

  test('about the store, too, has none deleted, and a person has the results saved once more', async () => {
    const pipeline = photoPipeline.replace(
      'output: out\n',
      'output: out\noutputs: { store: ./store }\n',
    );
    const { local, again } = await deceived(pipeline, () => (_, content, stored) => {
      return { bytes: content.length, sha256: digestOfBytes(content), stored };
    });
    const tasks = ['save:p1.png', 'save:p2.png'].flatMap((task) => ['--pay-again', task]);
    const healed = await again(...tasks, '--yes');
    expect(healed.code, `${healed.stdout}${healed.stderr}`).toBe(0);
    expect(deletes(local)).toBe(2);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  });
});
