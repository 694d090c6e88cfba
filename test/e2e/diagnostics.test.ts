// The codes of diagnostics in every output of the real command, and what `explain` says about them.
import { describe, expect, test } from 'vitest';
import { Rig } from '../rig.ts';

const photo = 'photo: { uses: upload, with: { file: "${{ item.path }}" } }';
const wrong = `pipeline: p
ouput: x
items: { glob: "photos/*.png" }
steps:
  ${photo}
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.foto.file_path }}" } }
`;
const right = `pipeline: q\nitems: { glob: "photos/*.png" }\nsteps:\n  ${photo}\n`;

describe('validate', () => {
  const files = ['pipeline.yaml', 'right.yaml', 'none.yaml'];
  const checked = async (flags: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const rig = new Rig(wrong);
    rig.write('right.yaml', right);
    return await rig.command(['validate', ...files, ...flags], env);
  };

  test('--json prints one object for each file, also in GitHub Actions', async () => {
    const json = await checked(['--json'], { GITHUB_ACTIONS: 'true' });
    const [first, second] = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first.diagnostics).toMatchObject([{ code: 'SL101' }, { code: 'SL201' }]);
    expect(second).toMatchObject({ file: 'right.yaml', valid: true, warnings: [] });
  });
});

describe('plan and run', () => {
  test('name the codes of what they refuse', async () => {
    const rig = new Rig(right.replace('*.png', '*.gif'));
    rig.write('photos/a.png', 'a photo');
    for (const command of ['plan', 'run']) {
      const { stderr, code } = await rig.command([command, 'pipeline.yaml', '--rehearse']);
      expect(stderr).toContain('pipeline.yaml:2:8: error SL501');
      expect(code).toBe(2);
    }
    const { stdout } = await rig.command(['run', 'pipeline.yaml', '--rehearse', '--json']);
    const [last = ''] = stdout.trimEnd().split('\n').slice(-1);
    expect(JSON.parse(last)).toMatchObject({ type: 'refused', diagnostics: [{ code: 'SL501' }] });
  });

  test('name the code of an item that cannot run', async () => {
    const rig = new Rig(right);
    rig.write('photos/a.png', 'a photo');
    rig.write('photos/b.png', '');
    const planned = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(planned.stdout).toContain('SL508');
    const { stdout } = await rig.command(['run', 'pipeline.yaml', '--rehearse', '--json']);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === 'planned').plan.notes).toMatchObject([
      { task: 'photo:b.png', code: 'SL508' },
    ]);
    expect(events.find(({ task }) => task === 'photo:b.png')).toMatchObject({ code: 'SL508' });
    expect(events.at(-1).summary.problems).toMatchObject([{ task: 'photo:b.png', code: 'SL508' }]);
  });
});
