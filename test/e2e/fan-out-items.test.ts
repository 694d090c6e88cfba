// Fan-outs and fan-ins with what else the language has: tables, matrices, fields of files, fragments, late values.
import { expect, test } from 'vitest';
import { envOf, Rig, service } from '../rig.ts';

const qr = (list: string, content: string): string =>
  `code: { for_each: ${list}, uses: ai-qr-code-generator, with: { content: "${content}", style: { art_style: plain } } }`;

test('a fragment may have a fan-out over a list that its includer gives', async () => {
  const rig = new Rig(
    [
      'pipeline: p',
      'output: out',
      "include: [{ file: each.yaml, as: my, with: { list: \"${{ ['a', 'b'] }}\" } }]",
      'steps:',
      '  save: { uses: download, with: { of: my-code, to: "${{ each.index }}.png" } }',
      '',
    ].join('\n'),
  );
  rig.write(
    'each.yaml',
    `inputs: { list: { type: string } }\nsteps:\n  ${qr('"${{ inputs.list }}"', '${{ each.value }}')}\n`,
  );
  const local = await service();
  const { stderr } = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(stderr).toBe('');
  expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done' });
  expect(rig.files('out')).toEqual(['0.png', '1.png']);
});
