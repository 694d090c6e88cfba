// A store of results in a bucket. A store in a folder: test/stories/output-store.test.ts.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Planned, plan } from '../../src/features/plan/plan.ts';
import { runWith } from '../../src/features/run/run.ts';
import { trust } from '../../src/features/trust/trust.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import { type Bucket, openBucket } from '../../torture/bucket.ts';
import { envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';

const state = 'photos.state.jsonl';
const stored = (store: string, pipeline = photoPipeline): string =>
  pipeline.replace('output: out\n', `output: out\noutputs: { store: ${store} }\n`);
type Env = Readonly<Record<string, string>>;

async function bucketOfTest(): Promise<{ readonly bucket: Bucket; readonly env: Env }> {
  const bucket = await openBucket();
  onTestFinished(() => bucket.close());
  const home = mkdtempSync(join(tmpdir(), 'shotlist-state-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { bucket, env: { ...bucket.env, XDG_STATE_HOME: home } };
}

function trusted(rig: Rig, env: Env): void {
  trust(rig.file, { env });
}

async function planOf(rig: Rig, local: LocalService, env: Env = {}): Promise<Planned> {
  const loaded = await loadPipeline(rig.file);
  const planned = await plan(loaded, { env: { ...envOf(local), ...env } });
  return planned;
}

const tasksOf = ({ plan }: Planned, step: string): unknown =>
  plan.rows.find((row) => row.step === step)?.tasks;

test('a store outside the repository needs permission', async () => {
  const rig = await photoRig(1, stored('../store'));
  const refused = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('outputs.store');
});

describe('a store in a bucket', () => {
  test('that does not answer leaves the file here, the project alive, and the run with a failure', async () => {
    const local = await service();
    const { bucket, env } = await bucketOfTest();
    const rig = await photoRig(1, stored(bucket.store));
    trusted(rig, env);
    // The first PUT shows that the bucket can be written.
    let puts = 0;
    bucket.fail((method) =>
      method === 'PUT' && ++puts > 1 ? { is: 'status', status: 503 } : undefined,
    );
    const { summary } = await rig.run(local, { env });
    expect(summary).toMatchObject({ outcome: 'failed', tasks: { pending: 1, blocked: 1 } });
    expect(summary.problems[0]?.why).toMatch(
      /^out\/p1\.png is saved here, but not in the store: .* answered 503/,
    );
    expect(rig.read(state)).toContain('"complete"');
    bucket.fail(() => undefined);
    const asked = { ...local.requests() };
    expect(tasksOf(await planOf(rig, local, env), 'save')).toEqual({ store: 1 });
    expect((await rig.run(local, { env })).summary).toMatchObject({ outcome: 'done' });
    const after = Object.entries(local.requests()).filter(([route, n]) => asked[route] !== n);
    expect(after.map(([route]) => route).filter((route) => !route.includes('account'))).toEqual([
      'DELETE /v1/image-projects/:id',
    ]);
    expect(rig.read(state)).not.toContain(env['AWS_SECRET_ACCESS_KEY']);
  });

  test('gets what another checkout has saved and not stored, as long as its project is there', async () => {
    const local = await service();
    const { bucket, env } = await bucketOfTest();
    const one = await photoRig(1, stored(bucket.store));
    const two = await photoRig(1, stored(bucket.store));
    trusted(one, env);
    let puts = 0;
    bucket.fail((method) =>
      method === 'PUT' && ++puts > 1 ? { is: 'status', status: 503 } : undefined,
    );
    await one.run(local, { env });
    bucket.fail(() => undefined);
    two.write(state, one.read(state));
    trusted(two, env);
    expect((await two.run(local, { env })).summary).toMatchObject({ outcome: 'done' });
    expect(two.read(state)).toContain('"stored"');
    expect(local.requests()['POST /v1/face-swap-photo']).toBe(1);
  });

  test('that cannot be written is reported before anything is bought', async () => {
    const local = await service();
    const { bucket, env } = await bucketOfTest();
    const rig = await photoRig(1, stored(bucket.store));
    trusted(rig, env);
    const wrong = { ...env, AWS_SECRET_ACCESS_KEY: 'not-the-secret-of-this-bucket' };
    const loaded = await loadPipeline(rig.file);
    const ran = await resultOf(() => runWith(loaded, { env: { ...envOf(local), ...wrong } }, {}));
    expect(ran).toMatchObject({
      error: { diagnostics: [{ message: expect.stringContaining('SignatureDoesNotMatch') }] },
    });
    expect(local.ledger().filter(({ kind }) => kind === 'charge')).toEqual([]);
  });

  test('needs the user’s consent to the file, and credentials', async () => {
    const local = await service();
    const { bucket, env } = await bucketOfTest();
    const rig = await photoRig(1, stored(bucket.store));
    const run = async (given: Env) => {
      const loaded = await loadPipeline(rig.file);
      return await runWith(loaded, { env: { ...envOf(local), ...given } }, {});
    };
    const messageOf = async (given: Env): Promise<string> => {
      const ran = await resultOf(() => run(given));
      return ran.ok ? 'it ran' : (ran.error.diagnostics[0]?.message ?? '');
    };
    expect(await messageOf(env)).toContain('you have not agreed to use it');
    trusted(rig, env);
    expect(await messageOf({ ...env, AWS_ACCESS_KEY_ID: '' })).toContain('no credentials');
    expect(await messageOf(env)).toBe('it ran');
    rig.write('pipeline.yaml', `${rig.read('pipeline.yaml')}# changed\n`);
    expect(await messageOf(env)).toContain('you have not agreed to use it');
    expect(local.requests()['POST /v1/face-swap-photo']).toBe(1);
  });

  test('is left alone by a rehearsal, which says so once', async () => {
    const rig = await photoRig(1, stored('s3://nobodys-bucket/shots'));
    const { code, stdout, stderr } = await rig.command(['run', 'pipeline.yaml', '--rehearse']);
    expect(code).toBe(0);
    const told = `${stdout}${stderr}`.match(/a rehearsal does not use s3:\/\/nobodys-bucket/g);
    expect(told).toHaveLength(1);
    const below = '.shotlist/rehearsal/photos/store';
    expect(existsSync(rig.path(below)) && readdirSync(rig.path(below))).toHaveLength(1);
  });
});
