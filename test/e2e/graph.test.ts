// `shotlist graph` into a file.
import { describe, expect, test } from 'vitest';
import { photoPipeline, Rig } from '../rig.ts';

describe('shotlist graph', () => {
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
    const deep = await rig.command(['graph', 'pipeline.yaml', '--output', 'a/new/folder.md']);
    expect(deep.code).toBe(0);
    expect(rig.files('.')).toEqual(['a/new/folder.md', 'graph.out', 'pipeline.yaml']);
  });
});
