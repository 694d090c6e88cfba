// explain tells where a file comes from, by its content.
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { photoRig, type Rig, service } from '../rig.ts';
import { longTest } from '../sweep.ts';

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

test('a file is known by its content: an input, an output that was moved, one that was changed, and one that nobody recorded', async () => {
  const rig = await ran();
  const input = await rig.command(['explain', 'photos/p1.png']);
  expect(input.stdout).toContain('An input of the pipeline photos (photos.state.jsonl): uploaded');
  expect(input.stdout).toContain('photo:p1.png');

  mkdirSync(rig.path('sent/to'), { recursive: true });
  renameSync(rig.path('out/p1.png'), rig.path('sent/to/client.png'));
  const { results, code } = await storyOf(rig, 'sent/to/client.png');
  expect(results).toMatchObject([{ task: 'save:p1.png', path: 'out/p1.png', here: false }]);
  expect(code).toBe(0);

  rig.write('out/p2.png', 'retouched');
  const changed = await rig.command(['explain', 'out/p2.png']);
  expect(changed.stdout).toContain('No state file records this content, so the file was changed.');
  expect(changed.stdout).toContain('save:p2.png');
  expect(changed.code).toBe(1);

  // The name decides between a code and a file.
  rig.write('12', 'a file');
  expect((await rig.command(['explain', '12'])).stdout).toContain('SL012');
  const unknown = await rig.command(['explain', './12']);
  expect(unknown.stdout).toContain('Nobody recorded this file');
  expect(unknown.code).toBe(1);
  const missing = await rig.command(['explain', 'out/none.png']);
  expect(missing.stderr).toContain('does not exist');
  expect(missing.code).toBe(2);
  expect((await rig.command(['explain', 'nothing'])).stderr).toContain('no code and no file');
});

longTest(
  'a file of a rehearsal is found, a state file can be named, and without manifests the rest is told',
  async () => {
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
    rmSync(rig.path('copy.jsonl'));

    rmSync(rig.path('.shotlist'), { recursive: true });
    const without = await rig.command(['explain', 'out/p1.png']);
    expect(without.stdout).toMatch(/made by +face-swap-photo/);
    expect(without.stdout).toContain('Its inputs and parameters are not known');
    expect(without.code).toBe(0);
  },
);
