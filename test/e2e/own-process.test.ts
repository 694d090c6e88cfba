// Most tests run commands one after another in one process, which is faster. Each command does the same in a process of
// its own: what it prints, its exit code, and what the command before it leaves behind.
import { expect, test } from 'vitest';
import { type Ended, ended, envOf, photoRig, type Rig, service } from '../rig.ts';

/** Without how long a run took. */
const timeless = ({ stdout, ...rest }: Ended): Ended => ({
  ...rest,
  stdout: stdout.replace(/^( +time +).*$/m, '$1'),
});

async function expectSame(
  rig: Rig,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const own = timeless(await ended(rig.start(args, env)));
  expect(timeless(await rig.command(args, env)), args.join(' ')).toEqual(own);
  expect(own.stdout + own.stderr).not.toBe('');
}

test('a command prints the same, and ends with the same exit code, in a process of its own', async () => {
  const local = await service();
  const rig = await photoRig(1);
  await rig.run(local);
  for (const args of [
    ['plan', 'pipeline.yaml'],
    ['run', 'pipeline.yaml'],
    ['resolve', 'pipeline.yaml', 'swap:p1.png', '--abandon'],
    ['plan', 'nowhere.yaml'],
  ])
    await expectSame(rig, args, envOf(local));
});

test('a command knows nothing of the one before: not its key, its service, its folder or its exit code', async () => {
  const local = await service();
  const [first, second] = [await photoRig(1), await photoRig(1)];
  const secret = { SHOTLIST_API_KEY: 'pipeline.yaml' };
  expect((await first.command(['plan', 'nowhere.yaml'], secret)).code).toBe(2);
  const plan = await second.command(['plan', 'pipeline.yaml']);
  expect(plan.stdout).toContain('Rehearsal: no key and no address are set');
  // Nothing of the first key is hidden any more.
  const status = await second.command(['status', 'pipeline.yaml'], envOf(local));
  expect(status.stderr).toContain('pipeline.yaml');
  expect(plan.code).toBe(0);
});
