// Where a pipeline's environment variables go, told from its expressions alone.
import { expect, test } from 'vitest';
import { envUses } from '../../src/core/env-uses.ts';
import { validate } from '../../src/language/validate.ts';

test('each variable has the steps that send it, and those that use it here', () => {
  const validated = validate(
    'p.yaml',
    `pipeline: p
env: [A, B, C, D]
inputs: { which: { type: string } }
steps:
  photo: { uses: upload, with: { file: "\${{ env.A }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" }, extra: { tag: "\${{ env['B'] }}" } }
  clip:
    uses: text-to-video
    if: env.A != "" && size(steps.faces.faces) > 0
    with: { end_seconds: 3, orientation: landscape, style: { prompt: "\${{ env.A }} \${{ env.B }}" } }
  any:
    uses: text-to-video
    with: { end_seconds: 3, orientation: landscape, style: { prompt: "\${{ env[inputs.which] }}" } }
  save: { uses: download, with: { of: clip, to: "\${{ env.C }}.mp4" } }
  save2: { uses: download, with: { of: any, to: "x.mp4" } }
`,
  );
  if (!validated.ok) throw new Error(validated.error.map(({ message }) => message).join());
  expect(envUses(validated.value.pipeline)).toEqual([
    { name: 'A', sent: ['clip', 'any'], local: ['photo', 'clip'] },
    { name: 'B', sent: ['faces', 'clip', 'any'], local: [] },
    { name: 'C', sent: ['any'], local: ['save'] },
    { name: 'D', sent: ['any'], local: [] },
  ]);
});
