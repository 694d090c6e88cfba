// Values that no file system, no call stack and no library takes: a sentence with its place, for its item alone.
import { expect, test } from 'vitest';
import { envOf, photo, Rig, service } from '../rig.ts';

const upload = (file: string): string =>
  `steps:\n  up: { uses: upload, with: { file: "${file}" } }\n`;

test.each([
  ['output: "o\\0ut"', 2],
  ['outputs: { store: "a\\0b" }', 2],
  ['items: { csv: "a\\0.csv" }', 2],
  ['items: { jsonl: "a\\0.jsonl" }', 2],
  ['items: { glob: ["a\\0/*.png"] }', 2],
])('a null character in %s is a problem at its place', async (field, line) => {
  const rig = new Rig(`pipeline: p\n${field}\n${upload('b.png')}`);
  const planned = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
  expect(planned.code).toBe(2);
  expect(planned.stderr).toMatch(new RegExp(`^pipeline.yaml:${line}:\\d+: error .*null character`));
});

test('a null character in a path that a step or an input names is a problem of its task', async () => {
  for (const text of [
    upload('a\\0.png'),
    `inputs: { a: { type: file, default: "a\\0.png" } }\n${upload('${{ inputs.a }}')}`,
  ]) {
    const rig = new Rig(`pipeline: p\n${text}`);
    const planned = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(planned.code).toBe(2);
    expect(planned.stderr).toMatch(/pipeline.yaml:\d+:\d+: error SL507: up: .*null character/);
  }
});

test('rows with odd values fail alone, each with its place', async () => {
  const rig = new Rig(
    `pipeline: p\nitems: { jsonl: rows.jsonl }\nsteps:\n` +
      `  up: { uses: upload, if: size(item.deep) == 0, with: { file: "\${{ item.file }}" } }\n`,
  );
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  rig.write('a.png', await photo(1));
  rig.write(
    'rows.jsonl',
    [
      '{"key":"null","file":"a\\u0000.png","deep":[]}',
      `{"key":"deep","file":"a.png","deep":${deep}}`,
      '{"key":"odd","file":"a.png","deep":[],"constructor":"x","__proto__":"y","toString":"z"}',
      '{"key":"fine","file":"a.png","deep":[]}',
    ].join('\n'),
  );
  const local = await service();
  const ran = await rig.command(['run', 'pipeline.yaml', '--json'], envOf(local));
  expect(ran.stderr).toBe('');
  const last: unknown = JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({
    summary: {
      tasks: { failed: 2 },
      items: { done: 2 },
      problems: expect.arrayContaining([
        expect.objectContaining({
          task: 'up:null',
          why: expect.stringContaining('null character'),
        }),
        expect.objectContaining({
          task: 'up:deep',
          why: expect.stringContaining('nested more than 200 levels deep'),
        }),
      ]),
    },
  });
});

test('columns may have any name', async () => {
  const rig = new Rig(
    `pipeline: p\nitems: { csv: rows.csv, key: constructor }\nsteps:\n` +
      `  up: { uses: upload, if: 'item.constructor == "x" && has(item.file)', with: { file: "\${{ item.file }}" } }\n`,
  );
  rig.write('a.png', await photo(1));
  rig.write('rows.csv', 'file,constructor,__proto__\na.png,x,y\n');
  const ran = await rig.command(['run', 'pipeline.yaml'], envOf(await service()));
  expect(ran.stdout + ran.stderr).toContain('1 of 1 finished');
});
