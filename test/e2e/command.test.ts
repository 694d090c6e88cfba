// The command line as a new user meets it: credits, places, interruptions, and refusals before anything is sent.
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type LocalService, startService } from '../../src/service/start.ts';
import { canBeNobody, nobody } from '../nobody.ts';
import { bill, ended, envOf, photoPipeline, photoRig, type Rig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

describe('run', () => {
  test('an account without credits ends with exit code 3, and what was paid is saved', async () => {
    const local = await service({ credits: 20 });
    const rig = await photoRig(4);
    const { code, stdout } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(stdout).toContain('Add credits to the account');
    expect(code).toBe(3);
    expect(bill(local.ledger()).size).toBe(2);
    expect(rig.files('out')).toHaveLength(2);
  });

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
    expect(second.stderr).toContain(`process ${first.pid}`);
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
    const run = await rig.command(['run', 'pipeline.yaml', '--verbose', '--log', 'run.log'], env);
    const json = await rig.command(['run', 'pipeline.yaml', '--json', '--verbose'], env);
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

describe('named before any credit is spent', () => {
  const cases: readonly (readonly [string, (rig: Rig) => void, string])[] = [
    [
      'a wrong pipeline',
      (rig) => rig.write('pipeline.yaml', photoPipeline.replace('output: out', 'outptu: out')),
      'SL101',
    ],
    ['a missing file', (rig) => rmSync(rig.path('actor.png')), 'actor.png does not exist'],
    [
      'a folder in place of a file',
      (rig) => {
        rmSync(rig.path('actor.png'));
        mkdirSync(rig.path('actor.png'));
      },
      'actor.png is not a file',
    ],
    [
      'a link that cannot be read',
      (rig) => {
        rmSync(rig.path('actor.png'));
        symlinkSync('actor.png', rig.path('actor.png'));
      },
      'actor.png is a link that leads back to itself',
    ],
    [
      'a link that leads nowhere',
      (rig) => {
        rmSync(rig.path('actor.png'));
        symlinkSync('nowhere.png', rig.path('actor.png'));
      },
      'actor.png does not exist',
    ],
    ['an empty file', (rig) => rig.write('actor.png', ''), 'actor.png is empty'],
    ['an empty glob', (rig) => rmSync(rig.path('photos'), { recursive: true }), 'finds no file'],
    [
      'an unknown extension',
      (rig) => rig.write('pipeline.yaml', photoPipeline.replace('actor.png', 'pipeline.yaml')),
      'takes no .yaml file',
    ],
    ['an output folder that is a file', (rig) => rig.write('out', 'in the way'), 'out'],
    [
      'two items that would write one file',
      (rig) =>
        rig.write(
          'pipeline.yaml',
          photoPipeline.replace('${{ item.dir }}/${{ item.stem }}.png', 'same.png'),
        ),
      'would both write',
    ],
    [
      'a path that leaves the output folder',
      (rig) => rig.write('pipeline.yaml', photoPipeline.replace('${{ item.dir }}/', '../')),
      'would leave the output folder',
    ],
    [
      'results among the items',
      (rig) => rig.write('pipeline.yaml', photoPipeline.replace('output: out', 'output: photos')),
      'in the output folder',
    ],
  ];
  let local: LocalService;
  beforeAll(async () => {
    local = await startService();
    return () => local.close();
  });

  test.each(cases)('%s', async (_name, change, words) => {
    const rig = await photoRig(2);
    change(rig);
    const { code, stderr } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(stderr).toContain(words);
    expect(code).toBe(2);
    expect(Object.keys(local.requests())).toEqual([]);
  });

  test.skipIf(!canBeNobody)(
    'an unreadable file (needs a checkout that nobody may read)',
    async () => {
      const rig = await photoRig(1);
      chmodSync(rig.path('photos/p1.png'), 0);
      chmodSync(rig.folder, 0o777);
      const { code, stderr } = await ended(
        rig.start(['run', 'pipeline.yaml'], envOf(local), nobody),
      );
      expect(stderr).toContain('photos/p1.png cannot be read or written (permission denied)');
      expect(code).toBe(2);
      expect(Object.keys(local.requests())).toEqual([]);
    },
  );
});

test('plan asks for nothing but the balance, and for nothing at all where all is reused', async () => {
  const local = await service();
  const rig = await photoRig(1);
  await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(Object.keys(local.requests())).toEqual(['GET /v1/account']);
  await rig.run(local);
  const asked = JSON.stringify(local.requests());
  const after = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(after.stdout).toContain('Nothing to pay.');
  expect(JSON.stringify(local.requests())).toBe(asked);
});

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
  expect(ran.stdout).not.toContain('Rehearsal');
});
