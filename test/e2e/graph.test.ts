// `shotlist graph`: to standard output, as JSON, and into a file.
import { describe, expect, test } from 'vitest';
import { photoPipeline, photoRig, Rig } from '../rig.ts';

describe('shotlist graph', () => {
  test('prints Mermaid with the number of items, and needs no media', async () => {
    const rig = await photoRig(3);
    const { code, stdout, stderr } = await rig.command(['graph', 'pipeline.yaml']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^flowchart TD\n {2}items\[\["photos.*<br>3 items"\]\]\n/);
    const bare = await new Rig(photoPipeline).command(['graph', 'pipeline.yaml', '--json']);
    expect(JSON.parse(bare.stdout)).toMatchObject({
      ...{ pipeline: 'photos', items: { source: 'photos/**/*.png' } },
      steps: expect.arrayContaining([expect.objectContaining({ name: 'swap', stage: 'item' })]),
    });
  });

  test('writes a file, replaces it, and never the pipeline itself', async () => {
    const rig = new Rig(photoPipeline);
    for (const format of ['dot', 'svg']) {
      const to = ['--format', format, '--output', 'graph.out'];
      const { code, stdout } = await rig.command(['graph', 'pipeline.yaml', ...to]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Wrote graph.out.\n' });
      expect(rig.read('graph.out')).toMatch(format === 'dot' ? /^digraph "photos"/ : /^<svg /);
    }
    const own = await rig.command(['graph', 'pipeline.yaml', '--output', 'pipeline.yaml']);
    expect(own).toMatchObject({ code: 2, stdout: '' });
    expect(rig.read('pipeline.yaml')).toBe(photoPipeline);
    const none = await rig.command(['graph', 'pipeline.yaml', '--output', 'no/such/folder.svg']);
    expect(none.code).toBe(1);
    expect(rig.files('.')).toEqual(['graph.out', 'pipeline.yaml']);
  });
});
