// Results are kept in a store as well, and fetched from there by whoever needs their bytes.

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { digestOfBytes } from '../../src/base/digest.ts';
import { type Planned, plan } from '../../src/features/plan/plan.ts';
import { runWith } from '../../src/features/run/run.ts';
import { trust } from '../../src/features/trust/trust.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import { type Bucket, openBucket } from '../../torture/bucket.ts';
import { bill, envOf, photoPipeline, photoRig, Rig, service } from '../rig.ts';

const state = 'photos.state.jsonl';
const stored = (store: string, pipeline = photoPipeline): string =>
  pipeline.replace('output: out\n', `output: out\noutputs: { store: ${store} }\n`);
const inFolder = stored('store');
const untidy = (pipeline: string): string => pipeline.replace(/ {2}tidy:.*\n/, '');
/** A step that needs the bytes of a result whose project is deleted. */
const colorized = (pipeline: string, from = 'steps.swap.url'): string =>
  `${pipeline}  color: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ ${from} }}" } } }
  save2: { uses: download, with: { of: color, to: "colored/\${{ item.stem }}.png" } }
`;

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

/** A checkout with git's content: everything but the outputs and our own folder. */
function cloneOf(rig: Rig, pipeline?: string): Rig {
  const clone = new Rig('');
  const gits = (name: string): boolean => !/\/(out|\.shotlist)(\/|$)/.test(name);
  cpSync(rig.folder, clone.folder, { recursive: true, filter: gits });
  if (pipeline !== undefined) clone.write('pipeline.yaml', pipeline);
  return clone;
}

async function planOf(rig: Rig, local: LocalService, env: Env = {}): Promise<Planned> {
  const loaded = await loadPipeline(rig.file);
  const planned = await plan(loaded, { env: { ...envOf(local), ...env } });
  return planned;
}

const tasksOf = ({ plan }: Planned, step: string): unknown =>
  plan.rows.find((row) => row.step === step)?.tasks;

const outputs = (rig: Rig): readonly { readonly sha256: string; readonly stored?: string }[] =>
  rig
    .read(state)
    .split('\n')
    .filter((line) => line.includes('"outputs"'))
    .flatMap((line) => JSON.parse(line).outputs);

const projects = (local: LocalService): number => bill(local.ledger()).size;

describe('a store in a folder', () => {
  test('has each result before its project is deleted, and a second run is free', async () => {
    const local = await service();
    const rig = await photoRig(2, inFolder);
    const first = await rig.run(local);
    expect(first.summary).toMatchObject({ outcome: 'done', tasks: { failed: 0 } });
    const hashes = outputs(rig).map(({ sha256 }) => sha256);
    const kept = rig.files('store').map((path) => path.split('/'));
    expect(kept).toEqual(hashes.toSorted().map((hash) => [hash.slice(0, 2), hash]));
    for (const { stored } of outputs(rig)) expect(stored).toMatch(/^[0-9a-f]{16}$/);
    const before = rig.read(state);
    expect(before).not.toContain('"complete"');
    const requests = { ...local.requests() };
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', tasks: { done: 0 } });
    expect(rig.read(state)).toBe(before);
    expect(local.requests()).toEqual(requests);
  });

  test('that is set later gets what is already here, and the plan says so', async () => {
    const local = await service();
    const rig = await photoRig(2, untidy(photoPipeline));
    await rig.run(local);
    rig.write('pipeline.yaml', inFolder);
    const planned = await planOf(rig, local);
    expect(tasksOf(planned, 'save')).toEqual({ store: 2 });
    expect(tasksOf(planned, 'tidy')).toEqual({ begin: 2 });
    const downloads = local.requests()['GET /downloads/*'];
    expect(downloads).toBe(2);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({
      outcome: 'done',
      tasks: { failed: 0 },
      credits: { charged: 0 },
    });
    expect(local.requests()['GET /downloads/*']).toBe(downloads);
    expect(rig.files('store')).toHaveLength(2);
  });

  test('in a fresh checkout, nothing is fetched that no step needs', async () => {
    const local = await service();
    const rig = await photoRig(2, inFolder);
    await rig.run(local);
    const clone = cloneOf(rig);
    const { summary } = await clone.run(local);
    expect(summary).toMatchObject({ outcome: 'done', tasks: { done: 0, failed: 0 } });
    expect(clone.files('out')).toEqual([]);
    expect(clone.read(state)).toBe(rig.read(state));
    const words = '2 files are elsewhere: in the output store.\n';
    const shown = await clone.command(['status', 'pipeline.yaml']);
    expect(shown.stdout).toContain(words);
    expect(shown.stdout).not.toContain('another checkout');
    const planned = await clone.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(planned.stdout).toContain(words);
    // Also if this checkout saved them.
    rmSync(rig.path('out'), { recursive: true });
    expect((await rig.command(['status', 'pipeline.yaml'])).stdout).toContain(words);
  });

  test.each([
    ['reads the result', colorized(inFolder)],
    [
      'uploads the saved file',
      `${colorized(inFolder, 'steps.again.file_path')}  again: { uses: upload, with: { file: "\${{ steps.save.path }}" } }\n`,
    ],
  ])('gives a later step that %s the bytes, although the project is deleted', async (_, later) => {
    const local = await service();
    const rig = await photoRig(1, inFolder);
    await rig.run(local);
    const clone = cloneOf(rig, later);
    const { summary } = await clone.run(local);
    expect(summary).toMatchObject({ outcome: 'done', tasks: { failed: 0 } });
    expect(clone.files('out')).toEqual(['colored/p1.png', 'p1.png']);
    expect(projects(local)).toBe(2);
  });

  test('fills another place, and every place with --require-outputs', async () => {
    const local = await service();
    const rig = await photoRig(2, inFolder);
    await rig.run(local);
    const moved = cloneOf(rig, inFolder.replace('"${{ item.dir }}/', '"moved/'));
    expect((await moved.run(local)).summary).toMatchObject({ outcome: 'done' });
    expect(moved.files('out')).toEqual(['moved/p1.png', 'moved/p2.png']);
    const whole = cloneOf(rig);
    const { summary } = await whole.run(local, { requireOutputs: true });
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(whole.files('out')).toEqual(['p1.png', 'p2.png']);
    expect(outputs(whole).map(({ sha256 }) => sha256)).toEqual(
      ['p1', 'p2'].map((name) => digestOfBytes(readFileSync(whole.path(`out/${name}.png`)))),
    );
  });

  test('that holds other bytes gives nothing away', async () => {
    const local = await service();
    const rig = await photoRig(1, inFolder);
    await rig.run(local);
    const clone = cloneOf(rig);
    const [file = ''] = clone.files('store');
    clone.write(`store/${file}`, Buffer.alloc(Buffer.byteLength(clone.read(`store/${file}`)), 7));
    const { summary } = await clone.run(local, { requireOutputs: true });
    expect(summary.outcome).toBe('failed');
    expect(summary.problems[0]?.why).toContain('could not be fetched');
    expect(clone.files('out')).toEqual([]);
  });

  test('lets a checkout that has no files delete a project, if the store really has them', async () => {
    const local = await service();
    const rig = await photoRig(2, untidy(inFolder));
    await rig.run(local);
    const clone = cloneOf(rig, inFolder);
    const [, last = ''] = clone.files('store');
    rmSync(clone.path(`store/${last}`));
    const { summary } = await clone.run(local);
    expect(summary.tasks).toMatchObject({ done: 1, pending: 1, failed: 0 });
    expect(summary.problems[0]?.why).toMatch(/^kept: .* the store no longer has it$/);
  });

  test('outside the repository needs permission', async () => {
    const rig = await photoRig(1, stored('../store'));
    const refused = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('outputs.store: "../store" is outside the repository');
  });
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
