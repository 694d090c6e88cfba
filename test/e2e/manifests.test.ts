// What a run keeps about the fingerprints of its jobs.
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../src/model/fingerprint.ts';
import { readManifests } from '../../src/state/manifests.ts';
import { photoRig, service } from '../rig.ts';

const file = '.shotlist/photos.state.jsonl.manifests.jsonl';

test('a run keeps what each fingerprint was made of, and the path of each upload', async () => {
  const rig = await photoRig(2);
  await rig.run(await service());
  const manifests = [...(await readManifests(rig.path(file))).values()];
  for (const { job, at: _, file: __, ...manifest } of manifests)
    expect(fingerprintOf(manifest)).toBe(job);
  const kinds = manifests.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'face-swap-photo')).toHaveLength(2);
  expect(manifests.flatMap(({ file = [] }) => file).sort()).toContain('actor.png');
});

test('a second run adds nothing, and a lost file is written again without a credit', async () => {
  const rig = await photoRig(2);
  const started = await service();
  await rig.run(started);
  const before = rig.read(file);
  await rig.run(started);
  expect(rig.read(file)).toBe(before);
  rmSync(rig.path(file));
  const again = await rig.run(started);
  expect(again.summary.credits.charged).toBe(0);
  const jobs = async () => [...(await readManifests(rig.path(file))).keys()].length;
  expect(await jobs()).toBe(before.trim().split('\n').length);
});

test('a line that was cut off harms neither the lines after it nor the reader', async () => {
  const rig = await photoRig(1);
  const started = await service();
  await rig.run(started);
  const whole = rig.read(file);
  writeFileSync(rig.path(file), whole.slice(0, -20));
  await rig.run(started);
  const kept = await readManifests(rig.path(file));
  expect(kept.size).toBe(whole.trim().split('\n').length);
  expect(readFileSync(rig.path(file), 'utf8').trim().split('\n')).toHaveLength(kept.size);
});

test('a manifest that has another fingerprint than it says is none', async () => {
  const rig = await photoRig(1);
  await rig.run(await service());
  const before = await readManifests(rig.path(file));
  const [swap] = [...before.values()].filter(({ kind }) => kind === 'face-swap-photo');
  const line = JSON.stringify({ job: swap?.job, kind: 'photo-colorizer', body: {}, at: swap?.at });
  writeFileSync(rig.path(file), `${rig.read(file)}\n${line}\n`);
  const found = await readManifests(rig.path(file));
  expect([...found]).toEqual([...before]);
});

test('what a run could not write, the next one writes', async () => {
  const rig = await photoRig(2);
  const started = await service();
  await rig.run(started);
  rmSync(rig.path(file));
  mkdirSync(rig.path(file));
  const ran = await rig.run(started);
  expect(ran.summary.outcome).toBe('done');
  expect(ran.events).toContainEqual({
    type: 'warning',
    message: expect.stringContaining('plan --explain cannot say'),
  });
  rmdirSync(rig.path(file));
  const again = await rig.run(started);
  expect(again.summary.credits.charged).toBe(0);
  expect((await readManifests(rig.path(file))).size).toBeGreaterThan(2);
});
