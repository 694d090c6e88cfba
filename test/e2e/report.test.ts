// `shotlist report`: one HTML file that says what the state file and plan say, and nothing about the machine.
import { hostname, userInfo } from 'node:os';
import { describe, expect, test } from 'vitest';
import { dataIn, hostile, mixedRun } from '../reported.ts';
import { photoRig, Rig, service } from '../rig.ts';

describe('shotlist report', () => {
  test('shows what became of each item, with its files, its price and its remedy', async () => {
    const { rig } = await mixedRun();
    const { code, stderr } = await rig.command(['report', 'pipeline.yaml']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const data = dataIn(rig.read('out/report.html'));
    expect(data.items.map(({ key, state }) => [key, state])).toEqual([
      [hostile, 'doubt'],
      ['p1.png', 'failed'],
      ['p2.png', 'done'],
      ['p3.png', 'done'],
    ]);
    expect(data).toMatchObject({
      rehearsal: false,
      credits: { charged: 20, reserved: 10 },
      doubts: [{ item: 0, task: `swap:${hostile}`, reserved: 10 }],
      failures: [{ step: 3, code: 'no_source_face', items: [1], why: 'No face in p1.png.' }],
    });
    const [done] = data.items.slice(2);
    expect(done).toMatchObject({
      credits: 10,
      inputs: [
        { name: 'p2.png', medium: 'image', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
      outputs: [
        { name: 'p2.png', href: 'p2.png', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
    });
    const swap = done?.tasks.find(({ step }) => data.steps[step]?.name === 'swap');
    expect(swap).toMatchObject({ state: 'done', credits: 10, project: expect.any(String) });
    expect(swap?.parameters).toContainEqual({
      name: 'assets.target_file_path',
      value: 'photo → file_path',
    });
  });

  test('says nothing about the machine, the key or the service; --no-inputs leaves out pictures, hashes and parameters; it replaces its own report, and no other file', async () => {
    const { rig, local } = await mixedRun();
    await rig.command(['report', 'pipeline.yaml', '--out', 'sent.html']);
    const { items: _, ...page } = dataIn(rig.read('sent.html'));
    const html = rig.read('sent.html');
    for (const secret of [rig.folder, local.key, local.address, '127.0.0.1', '/srv/media'])
      expect(html).not.toContain(secret);
    for (const name of [hostname(), userInfo().username])
      expect(JSON.stringify(page)).not.toMatch(new RegExp(`\\b${name}\\b`));
    expect(rig.files('out')).not.toContain('report.html');

    const args = ['report', 'pipeline.yaml'];
    expect((await rig.command(args)).code).toBe(0);
    const { stdout } = await rig.command([...args, '--no-inputs', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ items: 4, pictures: { shown: 2, missing: 0 } });
    const data = dataIn(rig.read('out/report.html'));
    expect(data).toMatchObject({ inputs: false, shared: { inputs: [] } });
    expect(data.items.flatMap(({ inputs }) => inputs)).toEqual([]);
    expect(JSON.stringify(data)).not.toContain('parameters');

    rig.write('out/report.html', '<h1>mine</h1>');
    const refused = await rig.command(args);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('is not a report of shotlist');
    expect(rig.read('out/report.html')).toBe('<h1>mine</h1>');
    for (const own of ['pipeline.yaml', 'photos.state.jsonl']) {
      const before = rig.read(own);
      expect((await rig.command([...args, '--out', own])).code).toBe(2);
      expect(rig.read(own)).toBe(before);
    }
  });

  test('calls an item blocked, and not waiting, if a shared step failed', async () => {
    const fault = { fault: 'job-error', code: 'content_policy' } as const;
    const local = await service({ faults: { faults: [{ ...fault, on: 'ai-qr-code-generator' }] } });
    const make = 'uses: ai-qr-code-generator, with: { style: { art_style: plain }, content:';
    const rig = new Rig(`pipeline: codes
items: { values: [{ key: one }, { key: two }] }
output: out
steps:
  plan: { ${make} all } }
  make: { ${make} "\${{ item.key }} \${{ steps.plan.type }}" } }
  save: { uses: download, with: { of: make, to: "\${{ item.key }}.png" } }
`);
    await rig.run(local);
    await rig.command(['report', 'pipeline.yaml']);
    const { shared, items, steps } = dataIn(rig.read('out/report.html'));
    expect(shared.state).toBe('failed');
    expect(items.map(({ state, tasks }) => [state, tasks.map(({ why }) => why)])).toEqual(
      ['one', 'two'].map(() => [
        ...['blocked', ['waits for plan, which failed', 'waits for make, which is blocked']],
      ]),
    );
    expect(steps.map(({ tasks }) => tasks)).toEqual([
      ...[{ failed: 1 }, { blocked: 2 }, { blocked: 2 }],
    ]);
  });

  test('is no output: plan and prune do not see it', async () => {
    const local = await service();
    const rig = await photoRig(2);
    await rig.run(local);
    await rig.command(['report', 'pipeline.yaml']);
    const { credits } = await rig.run(local).then(({ summary }) => summary);
    expect(credits.charged).toBe(0);
    const pruned = await rig.command(['prune', 'pipeline.yaml', '--json']);
    expect(pruned.stdout).not.toContain('report.html');
    expect(rig.files('out')).toEqual(['p1.png', 'p2.png', 'report.html']);
  });

  test('needs a run first', async () => {
    const rig = await photoRig(1);
    const { code } = await rig.command(['report', 'pipeline.yaml']);
    expect(code).toBe(2);
  });
});
