// explain tells where a file comes from, by its content.
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { photoRig, type Rig, service } from '../rig.ts';

async function ran(): Promise<Rig> {
  const local = await service();
  const rig = await photoRig(2);
  await rig.run(local);
  await local.close();
  return rig;
}

async function storyOf(rig: Rig, ...args: readonly string[]) {
  const { stdout, code } = await rig.command(['explain', ...args, '--json']);
  return { ...JSON.parse(stdout), code };
}

test('an output that was moved and renamed is found by its content', async () => {
  const rig = await ran();
  mkdirSync(rig.path('sent/to'), { recursive: true });
  renameSync(rig.path('out/p1.png'), rig.path('sent/to/client.png'));
  const { results, code } = await storyOf(rig, 'sent/to/client.png');
  expect(results).toMatchObject([{ task: 'save:p1.png', path: 'out/p1.png', here: false }]);
  expect(code).toBe(0);
});

test('an input says that it was uploaded', async () => {
  const rig = await ran();
  const { stdout } = await rig.command(['explain', 'photos/p1.png']);
  expect(stdout).toContain('An input of the pipeline photos (photos.state.jsonl): uploaded as');
  expect(stdout).toContain('photo:p1.png');
});

test('a file that was changed, and one that nobody recorded, say so', async () => {
  const rig = await ran();
  rig.write('out/p1.png', 'retouched');
  const changed = await rig.command(['explain', 'out/p1.png']);
  expect(changed.stdout).toContain('No state file records this content, so the file was changed.');
  expect(changed.stdout).toContain('save:p1.png');
  expect(changed.code).toBe(1);
  rig.write('other.png', 'something');
  const unknown = await rig.command(['explain', 'other.png']);
  expect(unknown.stdout).toContain('Nobody recorded this file');
  expect(unknown.code).toBe(1);
});

test('without manifests, explain tells the rest and says what is missing', async () => {
  const rig = await ran();
  rmSync(rig.path('.shotlist'), { recursive: true });
  const { stdout, code } = await rig.command(['explain', 'out/p1.png']);
  expect(stdout).toMatch(/made by +face-swap-photo/);
  expect(stdout).toContain('Its inputs and parameters are not known');
  expect(code).toBe(0);
});

test('a file of a rehearsal is found, and a state file can be named', async () => {
  const rig = await ran();
  await rig.command(['run', 'pipeline.yaml', '--rehearse', '--speed', 'instant']);
  const out = '.shotlist/rehearsal/photos/out/p2.png';
  const { stdout } = await rig.command(['explain', out]);
  expect(stdout).toContain('the local service, in a rehearsal');
  copyFileSync(rig.path('photos.state.jsonl'), rig.path('copy.jsonl'));
  const named = await storyOf(rig, 'out/p1.png', '--state', 'copy.jsonl');
  expect(named.results).toMatchObject([{ state: 'copy.jsonl' }]);
  rig.write('copy.jsonl', '{}');
  const broken = await rig.command(['explain', 'out/p1.png', '--state', 'copy.jsonl']);
  expect(broken.code).toBe(2);
});

test('the name decides between a code and a file', async () => {
  const rig = await ran();
  rig.write('12', 'a file');
  expect((await rig.command(['explain', '12'])).stdout).toContain('SL012');
  expect((await rig.command(['explain', './12'])).stdout).toContain('Nobody recorded this file');
  const missing = await rig.command(['explain', 'out/none.png']);
  expect(missing.stderr).toContain('does not exist');
  expect(missing.code).toBe(2);
  expect((await rig.command(['explain', 'nothing'])).stderr).toContain('no code and no file');
});
