// What cannot be printed is a failure, and what is only a cache is not needed: full devices and checkouts that nobody
// may write to.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { main } from '../built.ts';
import { photoRig, type Rig } from '../rig.ts';
import { canMount, makePipe, makeReadOnly } from '../small-disk.ts';

/** In a shell, so that standard output can be anything. */
function shell(
  rig: Rig,
  rest: string,
): { readonly status: number | null; readonly stderr: string } {
  const { SHOTLIST_API_KEY: _key, SHOTLIST_BASE_URL: _address, ...env } = process.env;
  const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(main)} ${rest}`;
  return spawnSync('sh', ['-c', command], { cwd: rig.folder, encoding: 'utf8', env });
}

describe.skipIf(!existsSync('/dev/full'))('facts that cannot be written', () => {
  test.each(['plan pipeline.yaml --json', '--help'])(
    'make %s fail, with a sentence',
    async (command) => {
      const { status, stderr } = shell(await photoRig(1), `${command} > /dev/full`);
      expect(stderr).toBe(
        'error: standard output could not be written: the disk is full; the printed output is incomplete\n',
      );
      expect(status).toBe(1);
    },
  );

  test('keep the exit code of a command that was refused', async () => {
    const { status } = shell(await photoRig(1), 'plan nothing.yaml --json > /dev/full');
    expect(status).toBe(2);
  });
});

test('a reader that goes away at once is no failure', async () => {
  const rig = await photoRig(1);
  makePipe(rig.path('pipe'));
  const { status, stderr } = shell(
    rig,
    'plan pipeline.yaml > pipe & exec 3< pipe; exec 3<&-; wait $!',
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

describe('a checkout that cannot be written', () => {
  test('is planned without the cache of hashes, where its place is taken', async () => {
    const rig = await photoRig(2);
    mkdirSync(rig.privatePath('hashes.db'), { recursive: true });
    mkdirSync(rig.path('.shotlist'));
    const { code, stdout, stderr } = await rig.command(['plan', 'pipeline.yaml']);
    expect(stderr).toBe('');
    expect(stdout).toContain('2 items:');
    expect(code).toBe(0);
  });

  test.skipIf(!canMount)('is planned, and a run says why it cannot begin', async () => {
    const rig = await photoRig(2);
    makeReadOnly(rig.folder);
    const planned = await rig.command(['plan', 'pipeline.yaml']);
    expect(planned).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('2 items'),
    });
    const ran = await rig.command(['run', 'pipeline.yaml']);
    expect(ran.stderr).toContain('could not be written: the file system is read-only');
    expect(ran.code).toBe(2);
  });
});
