// The command line: places, interruptions, and a key that appears nowhere. What is refused before anything is sent:
// test/transcripts/nothing-sent.txt.
import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canBeNobody, nobody } from '../nobody.ts';
import { ended, envOf, photoRig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

describe('run', () => {
  test('--items and --limit choose items, --output and --state choose places', async () => {
    const local = await service();
    const rig = await photoRig(4);
    const where = ['--output', 'elsewhere', '--state', 'kept/state.jsonl'];
    const picked = await rig.command(
      ['run', 'pipeline.yaml', '--items', 'p[134].png', '--limit', '2', ...where],
      envOf(local),
    );
    expect(picked.code).toBe(0);
    expect(rig.files('elsewhere')).toEqual(['p1.png', 'p3.png']);
    expect(rig.files('kept').filter((name) => !name.startsWith('.'))).toEqual(['state.jsonl']);
  });

  longTest('a second run on one state file is told who holds it and exits 2', async () => {
    const local = await service({ speed: 'realtime' });
    const rig = await photoRig(1);
    const first = rig.start(['run', 'pipeline.yaml'], envOf(local));
    const death = ended(first);
    await until(
      'the first run has begun',
      () => (local.requests()['POST /v1/face-detection'] ?? 0) > 0,
    );
    const second = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(second.code).toBe(2);
    first.kill('SIGKILL');
    await death;
  });
});

describe('the API key', () => {
  test('appears in no log, no state file, no output and no error, also when everything goes wrong', async () => {
    const secret = 'sk-VERY-secret-0123456789';
    const local = await service({ key: secret, credits: 15 });
    const rig = await photoRig(3);
    const env = { ...envOf(local), SHOTLIST_API_KEY: secret };
    const run = await rig.command(['run', 'pipeline.yaml', '--log', 'run.log'], env);
    const json = await rig.command(['run', 'pipeline.yaml', '--json', '--log', '-'], env);
    const status = await rig.command(['status', 'pipeline.yaml'], env);
    const refused = await rig.command(
      ['run', 'pipeline.yaml', '--service', `http://other.example/${secret}`],
      env,
    );
    await local.close();
    const gone = await rig.command(
      ['run', 'pipeline.yaml', '--limit', '1', '--items', 'p3.png'],
      env,
    );
    expect(run.code).toBe(3);
    for (const { stdout, stderr } of [run, json, status, gone])
      expect(stdout + stderr).not.toContain(secret);
    expect(refused.code).toBe(2);
    for (const file of rig.files('.')) expect(rig.read(file), file).not.toContain(secret);
  });
});

test.skipIf(!canBeNobody)(
  'an unreadable file is refused before anything is sent (needs a checkout that nobody may read)',
  async () => {
    const [local, rig] = [await service(), await photoRig(1)];
    chmodSync(rig.path('photos/p1.png'), 0);
    chmodSync(rig.folder, 0o777);
    const { code } = await ended(rig.start(['run', 'pipeline.yaml'], envOf(local), nobody));
    expect(code).toBe(2);
    expect(Object.keys(local.requests())).toEqual([]);
  },
);

longTest('serve starts a service that a run in another process uses', async () => {
  const rig = await photoRig(1);
  const server = rig.start(['serve', '--json', '--data', 'service-data']);
  const line = await new Promise<string>((resolve) =>
    server.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  );
  const { address, key }: { address: string; key: string } = JSON.parse(line);
  const env = { SHOTLIST_BASE_URL: address, SHOTLIST_API_KEY: key };
  const ran = await rig.command(['run', 'pipeline.yaml'], env);
  expect(ran.code).toBe(0);
});
