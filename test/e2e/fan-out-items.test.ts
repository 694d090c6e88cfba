// Fan-outs and fan-ins with what else the language has: tables, matrices, fields of files, fragments, late values.
import { describe, expect, test } from 'vitest';
import { bill, envOf, photo, Rig, service } from '../rig.ts';

const qr = (list: string, content: string): string =>
  `code: { for_each: ${list}, uses: ai-qr-code-generator, with: { content: "${content}", style: { art_style: plain } } }`;
const save = (to: string): string => `save: { uses: download, with: { of: code, to: "${to}" } }`;

const pipeline = (items: string, ...steps: readonly string[]): string =>
  [
    'pipeline: p',
    `items: ${items}`,
    'output: out',
    'steps:',
    ...steps.map((step) => `  ${step}`),
    '',
  ].join('\n');

const links = 'name,tags,photo\nann,a;b,faces/ann.png\nbob,c,faces/bob.png\n';

describe('a row of a table', () => {
  const tagged = pipeline(
    '{ csv: people.csv, key: name, matrix: { style: [oil, ink] } }',
    qr('"${{ item.tags.split(\';\') }}"', '${{ item.name }} ${{ each.value }} ${{ matrix.style }}'),
    save('${{ item.name }}-${{ matrix.style }}-${{ each.index }}.png'),
  );

  test('times a matrix has elements of its own, each paid for once', async () => {
    const rig = new Rig(tagged);
    rig.write('people.csv', links);
    const local = await service();
    const { stdout } = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(stdout).toMatch(/code +ai-qr-code-generator +6 +to create, 1–2 × each/);
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { total: 4 } });
    expect(rig.files('out')).toEqual([
      ...['ann-ink-0.png', 'ann-ink-1.png', 'ann-oil-0.png', 'ann-oil-1.png'],
      ...['bob-ink-0.png', 'bob-oil-0.png'],
    ]);
    const bought = bill(local.ledger());
    expect(bought.size).toBe(6);
    expect([...bought.keys()]).toContain('p code:ann/oil[1]');
    expect((await rig.run(local)).summary).toMatchObject({ credits: { charged: 0 } });
  });

  test('has its place in a problem with the list', async () => {
    const rig = new Rig(tagged.replace("item.tags.split(';')", '[item.tags][int(item.name)]'));
    rig.write('people.csv', links);
    const { stderr, code } = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(code).toBe(2);
    expect(stderr).toContain('people.csv:2:1: error SL313: code:ann/oil: in the expression');
    expect(stderr).toContain('step "code" uses the value: pipeline.yaml:5:38');
  });

  test('has the columns that the list reads', async () => {
    const rig = new Rig(tagged.replace('item.tags', 'item.tgas'));
    rig.write('people.csv', links);
    const { stderr } = await rig.command(['validate', 'pipeline.yaml']);
    expect(stderr).toContain('people.csv has no column "tgas"');
    expect(stderr).toContain('did you mean "tags"?');
  });
});

test('a list may be of what the header of a file says', async () => {
  const rig = new Rig(
    pipeline(
      '{ glob: "*.png" }',
      qr('"${{ [item.width, item.height] }}"', '${{ string(each.value) }}'),
      save('${{ item.stem }}-${{ each.value }}-${{ each.index }}.png'),
    ),
  );
  rig.write('cat.png', await photo(1));
  const local = await service();
  expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done' });
  expect(rig.files('out')).toHaveLength(2);
});

describe('a fan-in over a matrix', () => {
  const step = (name: string, fields: string): string =>
    `${name}: { uses: ai-image-editor, ${fields}`;
  const board = pipeline(
    '{ values: [{ key: cat }], matrix: { style: [oil, ink] } }',
    step(
      'draw',
      'with: { image_count: 1, model: qwen-edit, resolution: 640px, style: { prompt: "${{ matrix.style }}" }, assets: { image_file_paths: [https://x.example/a.png] } } }',
    ),
    step(
      'board',
      'with: { image_count: 1, model: qwen-edit, resolution: 640px, style: { prompt: a board }, assets: { image_file_paths: "${{ steps.draw.all.map(d, d.url) }}" } } }',
    ),
    'save: { uses: download, with: { of: draw, to: "${{ matrix.style }}.png" } }',
    'save-board: { uses: download, with: { of: board, to: board.png } }',
  );

  test('gathers every combination, because a step that reads matrix is of the items', async () => {
    const rig = new Rig(board);
    const { stdout, stderr } = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(stderr).not.toContain('error');
    expect(stdout).toMatch(/draw +ai-image-editor +2 +to create/);
    expect(stdout).toMatch(/board +ai-image-editor +1 +(?:to create|perhaps)/);
  });
});

describe('a fragment', () => {
  test('may have a fan-out over a list that its includer gives', async () => {
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
    const { stdout, stderr } = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(stderr).toBe('');
    expect(stdout).toMatch(/my-code +ai-qr-code-generator +2 +to create, 2 × each/);
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done' });
    expect(rig.files('out')).toEqual(['0.png', '1.png']);
  });
});

describe('values that only the run knows', () => {
  const faces = [
    'photo: { uses: upload, with: { file: "${{ item.path }}" } }',
    'faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }',
  ];

  test('of elements are named in the plan, with the step that finds them', async () => {
    const rig = new Rig(
      pipeline(
        '{ glob: "*.png" }',
        ...faces,
        'head: { for_each: "${{ steps.faces.faces.take(3) }}", keep: remote, uses: ai-headshot-generator, with: { assets: { image_file_path: "${{ each.path }}" } } }',
      ),
    );
    rig.write('cat.png', await photo(1));
    const local = await service();
    const { stdout } = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(stdout).toContain('known at run time: head: assets.image_file_path, from faces');
  });

  test('are not taken for missing in all of a step', async () => {
    const rig = new Rig(
      pipeline(
        '{ glob: "*.png" }',
        ...faces,
        'sheet: { uses: ai-qr-code-generator, keep: remote, with: { content: "${{ json(steps.faces.all.map(f, size(default(f.faces, [])))) }}", style: { art_style: plain } } }',
      ),
    );
    rig.write('cat.png', await photo(1));
    const local = await service();
    const { stdout } = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(stdout).toMatch(/sheet +ai-qr-code-generator +1 +perhaps/);
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done' });
  });
});
