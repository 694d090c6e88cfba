// A pipeline that nobody meant like this: the command says so in a few lines, and nothing is sent.
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { bill, envOf, photoPipeline, photoRig, Rig, service } from '../rig.ts';

const clip = (more = '', fields = ''): string => `pipeline: clip
steps:
  v: { uses: text-to-video, with: { end_seconds: 5, model: ltx-2.3, resolution: 480p, style: { prompt: x }${fields} }${more} }
`;
const save = '  save: { uses: download, with: { of: v, to: out/ } }\n';

describe('a field that is misspelt', () => {
  test('stops run before a request', async () => {
    const local = await service();
    const rig = new Rig(clip('', ', resolutoin: 720p') + save);
    const { code, stderr } = await rig.command(['run', rig.file], envOf(local));
    expect(code).toBe(2);
    expect(stderr).toContain('unknown key "resolutoin"');
    expect(stderr).toContain('did you mean "resolution"?');
    expect(bill(local.ledger()).size).toBe(0);
  });

  test('and comes from an item is not paid for', async () => {
    const local = await service();
    const rig = new Rig(
      `pipeline: clip\nitems: { values: [{ key: a, style: { prompt: x, promt: y } }] }\nsteps:\n` +
        `  v: { uses: text-to-video, with: { end_seconds: 5, style: "\${{ item.style }}" } }\n${save}`,
    );
    const { code, stdout, stderr } = await rig.command(['run', rig.file], envOf(local));
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('unknown key "promt"');
    expect(bill(local.ledger()).size).toBe(0);
  });
});

describe('extra:', () => {
  test('is sent, and is part of what a result depends on', async () => {
    const local = await service();
    const rig = new Rig(clip(', extra: { seed: 1, style: { glow: "${{ 1 + 1 }}" } }') + save);
    const charged = async () => (await rig.run(local)).summary.credits.charged;
    expect(await charged()).toBeGreaterThan(0);
    expect(await charged()).toBe(0);
    rig.write('pipeline.yaml', clip(', extra: { seed: 2, style: { glow: 2 } }') + save);
    expect(await charged()).toBeGreaterThan(0);
    rig.write(
      'pipeline.yaml',
      clip(', extra: { seed: 2, style: { glow: "${{ 3 - 1 }}" } }') + save,
    );
    expect(await charged()).toBe(0);
  });

  test('of a face detection leaves its target in place', async () => {
    const local = await service();
    const rig = await photoRig(
      1,
      photoPipeline.replace(
        'target_file_path: "${{ steps.photo.file_path }}" } }',
        'target_file_path: "${{ steps.photo.file_path }}" }, extra: { assets: { hint: 1 }, depth: 2 } }',
      ),
    );
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 1 } });
  });

  test('of a tool whose request is known in full reaches the local service too', async () => {
    const local = await service();
    const pipeline = photoPipeline.replace(
      '    with:\n      name',
      '    extra: { assets: { blend: 0.5 } }\n    with:\n      name',
    );
    const { summary } = await (await photoRig(1, pipeline)).run(local);
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 1 } });
  });
});

// A warning of validate, plan and run: see the transcripts of validate, plan and budget.
describe('a result that nobody downloads', () => {
  test('is none with keep: remote', async () => {
    const rig = new Rig(clip(', keep: remote'));
    expect(await rig.command(['validate', rig.file])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a file that is no pipeline', () => {
  const odd: readonly (readonly [string, string | Buffer, string])[] = [
    ['UTF-16', Buffer.from('\ufeffpipeline: p\n', 'utf16le'), 'the file is UTF-16'],
    [
      'Latin-1',
      Buffer.from('pipeline: p\ndescription: M\u00fcller\n', 'latin1'),
      '0xFC is not part of a character',
    ],
    ['with NUL', 'pipeline: p\ndescription: a\0b\n', 'control character NUL, at byte 26'],
    ['empty', '', 'the file is empty'],
    [
      'a picture',
      Buffer.from(Array.from({ length: 170_000 }, (_, index) => (index * 167 + 255) % 256)),
      'not UTF-8 text',
    ],
    [
      'a thousand mistakes',
      `pipeline: p\nsteps:\n${Array.from({ length: 1000 }, (_, index) => `  s${index}: { uses: uplod, with: { file: a.png } }\n`).join('')}`,
      'and 950 more',
    ],
    [
      'one long line',
      `pipeline: p\nsteps: { a: { uses: uplod, with: { file: ${'x'.repeat(200_000)} } } }\n`,
      'no step kind',
    ],
    ['brackets', '['.repeat(100_000), 'nested too deeply'],
    [
      'an unfinished merge',
      '<<<<<<< HEAD\npipeline: a\n=======\npipeline: b\n>>>>>>> x\n',
      'unfinished git merge, at line 1',
    ],
  ];

  // The corpus of odd.test.ts has each of them, as a command.
  test('is refused, with what is wrong', async () => {
    const rig = new Rig('');
    for (const [what, content, said] of odd) {
      writeFileSync(rig.file, content);
      const read = await resultOf(() => loadPipeline(rig.file));
      const text = read.ok ? '' : renderProblem(read.error);
      expect(text, what).toContain(said);
      expect(text, what).not.toMatch(/\n\s+at |call stack|YAML\.parse/);
    }
  });

  test('with thousands of mistakes is refused in a few lines', async () => {
    const rig = new Rig(Array.from({ length: 5000 }, (_, index) => `k${index}: 1\n`).join(''));
    const { code, stdout, stderr } = await rig.command(['plan', rig.file]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('more; --json lists them all');
    expect(stderr.split('\n').length).toBeLessThan(320);
    expect(stderr.length).toBeLessThan(30_000);
  });
});

test('an expression without end stops plan, with its place', async () => {
  const nested = Array.from({ length: 10 }, (_, index) => `[1,2,3,4,5,6,7,8,9].map(x${index}, `);
  const rig = new Rig(
    `pipeline: p\nsteps:\n  a: { uses: upload, if: '${nested.join('')}1${')'.repeat(10)} == []', with: { file: a.png } }\n`,
  );
  const { code, stdout, stderr } = await rig.command(['plan', rig.file]);
  expect(code).toBe(2);
  expect(stdout + stderr).toContain('the expression takes too long (over 100,000 steps)');
  expect(stderr).toContain('pipeline.yaml:3:');
});
