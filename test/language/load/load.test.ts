// Opening a pipeline file: its inputs and its environment become names that expressions see, or problems with places.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { boundPipeline } from '../../../src/language/load/bound-pipeline.ts';
import { type LoadOptions, loadPipeline } from '../../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../../src/language/load/refusal.ts';

const text = `pipeline: p
inputs:
  actor: { type: file, default: ../media/actor.jpg }
  mood: { type: string, default: calm }
  count: { type: number }
  loud: { type: boolean, default: false }
env: [USER]
steps:
  a: { uses: upload, with: { file: "\${{ inputs.actor }}" } }
`;

function written(content = text): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shotlist-load-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'pipelines'));
  writeFileSync(join(folder, 'pipelines', 'p.yaml'), content);
  return join(folder, 'pipelines', 'p.yaml');
}

const env = { USER: 'ada' };

async function loaded(options: LoadOptions = {}, content = text) {
  const file = written(content);
  const result = await loadPipeline(file, { inputs: { count: 3 }, env, ...options });
  const { folder, base, pipeline } = boundPipeline(result);
  return { folder, base, pipeline, file };
}

/** All problems, and their places. */
async function problems(options: LoadOptions, content = text): Promise<readonly string[]> {
  const result = await resultOf(() =>
    loadPipeline(written(content), { inputs: { count: 3 }, env, ...options }),
  );
  if (result.ok) return [];
  return result.error.diagnostics.map(
    ({ span, message, hint }) => `${span?.line ?? '-'}: ${message} (${hint ?? ''})`,
  );
}

test('a folder, an input and a variable that are wrong are reported together', async () => {
  const found = await problems({ inputs: {}, env: {} }, `output: ~/out\n${text}`);
  expect(found.map((one) => one.split(':')[0])).toEqual(['1', '6', '8']);
});

describe('"~"', () => {
  test('is not expanded: an output folder or a file that begins with it is refused', async () => {
    expect(await problems({}, `output: ~/out\n${text}`)).toEqual([
      '1: output: "~/out" begins with "~", which only a shell expands (write the whole path, or one relative to the pipeline file)',
    ]);
    const words = 'begins with "~", which the shell did not expand: write the whole path';
    expect(await problems({ inputs: { count: 3, actor: '~/a.jpg' } })).toEqual([
      `3: input "actor": "~/a.jpg" ${words} (set it with --input actor=<file>)`,
    ]);
    expect(await problems({}, text.replace('../media', '~ann'))).toEqual([
      `3: input "actor": "~ann/actor.jpg" ${words} (set it with --input actor=<file>)`,
    ]);
    expect(await problems({ inputs: { count: 3, actor: '~a.jpg' } })).toEqual([]);
  });
});

describe('a loaded pipeline', () => {
  test('knows where it stands, its inputs by type, and its environment', async () => {
    const { file, folder, base, pipeline } = await loaded({});
    expect(pipeline.name).toBe('p');
    expect(join(folder, 'p.yaml')).toBe(file);
    expect(base).toEqual({
      inputs: { actor: '../media/actor.jpg', mood: 'calm', count: 3n, loud: false },
      env: { USER: 'ada' },
    });
  });

  test.each<readonly [string, string | number | boolean, unknown]>([
    ['count', '3', 3n],
    ['count', '2.5', 2.5],
    ['count', 4, 4n],
    ['count', '-1e3', -1000n],
    ['loud', 'true', true],
    ['loud', false, false],
    ['mood', 'wild', 'wild'],
    ['mood', '', ''],
    ['mood', 5, '5'],
  ])('takes the input %s=%j as what it is declared', async (name, value, expected) => {
    const { base } = await loaded({ inputs: { count: 3, [name]: value } });
    expect(base.inputs).toMatchObject({ [name]: expected });
  });

  test('takes a file of the command line relative to the working folder, its default relative to the pipeline', async () => {
    const { base, folder } = await loaded({ inputs: { count: 3, actor: 'mine.jpg' } });
    expect(base.inputs).toMatchObject({ actor: relative(folder, join(process.cwd(), 'mine.jpg')) });
    const { base: other, folder: place } = await loaded({
      inputs: { count: 3, actor: '/abs/mine.jpg' },
    });
    expect(join(place, String(Object(other.inputs).actor))).toBe('/abs/mine.jpg');
  });
});

describe('an input', () => {
  test('that has no default must be set: the problem is at its declaration', async () => {
    expect(await problems({ inputs: {} })).toEqual([
      '5: input "count": it has no value and no default (set it with --input count=<number>)',
    ]);
  });

  test.each<readonly [string, string | number | boolean, string]>([
    ['count', 'three', '5: input "count": "three" is not a number'],
    ['count', '', '5: input "count": "" is not a number'],
    ['count', '  ', '5: input "count": "  " is not a number'],
    ['count', 'Infinity', '5: input "count": "Infinity" is not a number'],
    ['count', true, '5: input "count": true is not a number'],
    ['loud', 'yes', '6: input "loud": "yes" is neither true nor false'],
    ['actor', '', '3: input "actor": "" is not a path'],
    ['actor', 3, '3: input "actor": 3 is not a path'],
  ])('%s=%j is refused where it is declared', async (name, value, expected) => {
    expect(await problems({ inputs: { count: 3, [name]: value } })).toEqual([
      expect.stringContaining(expected),
    ]);
  });

  test.each([
    ['acter', 'did you mean "actor"?'],
    ['zzzzzzzz', 'inputs: actor, mood, count, loud'],
    ['constructor', 'inputs: actor, mood, count, loud'],
  ])('that is not declared is refused: %s', async (name, hint) => {
    expect(await problems({ inputs: { count: 3, [name]: 'x' } })).toEqual([
      `-: --input ${name}: the pipeline has no such input (${hint})`,
    ]);
  });

  test('of a pipeline that has none is refused', async () => {
    expect(
      await problems(
        { inputs: { x: 1 } },
        'pipeline: p\nsteps:\n  a: { uses: upload, with: { file: x.png } }\n',
      ),
    ).toEqual([expect.stringContaining('the pipeline declares no inputs')]);
  });

  test('with a default of another type is refused where it is declared', async () => {
    const wrong = text.replace('{ type: number }', '{ type: number, default: many }');
    expect(await problems({ inputs: {} }, wrong)).toEqual([
      expect.stringContaining('5: input "count": "many" is not a number'),
    ]);
  });

  test('problems are all told at once', async () => {
    expect(await problems({ inputs: { acter: 'x', loud: 'yes' } })).toHaveLength(3);
  });
});

describe('the environment', () => {
  test('is refused where a variable is not set, at its name', async () => {
    expect(await problems({ env: {} })).toEqual([
      '7: the environment variable USER is not set (set it before you call shotlist, or remove it from env:)',
    ]);
  });

  test('shows only what is listed', async () => {
    const { base } = await loaded({ env: { ...env, HOME: '/home/ada' } });
    expect(base.env).toEqual({ USER: 'ada' });
  });

  test.each([
    'SHOTLIST_API_KEY',
    'SHOTLIST_API_KEY_FILE',
    'SHOTLIST_WEBHOOK_SECRET',
    'SHOTLIST_BASE_URL',
    'Shotlist_Api_Key',
    'SHOTLIST_',
  ])('never shows what is meant for shotlist: %s', async (name) => {
    const secret = 'sk-secret-4711';
    const found = await problems(
      { env: { ...env, [name]: secret } },
      text.replace('[USER]', `[USER, ${name}]`),
    );
    expect(found).toEqual([
      expect.stringContaining(`7: env: no pipeline may read ${name}: the variables SHOTLIST_*`),
    ]);
    expect(found.join()).not.toContain(secret);
  });

  test('that is empty is set', async () => {
    const { base } = await loaded({ env: { USER: '' } });
    expect(base.env).toEqual({ USER: '' });
  });
});

describe('a file', () => {
  test('that is missing or a folder says so, with its name', async () => {
    const gone = await resultOf(() => loadPipeline('/nowhere/p.yaml'));
    expect(gone.ok ? '' : renderProblem(gone.error)).toBe(
      '/nowhere/p.yaml: error: the pipeline file does not exist',
    );
    const folder = await resultOf(() => loadPipeline(tmpdir()));
    expect(folder.ok ? '' : renderProblem(folder.error)).toContain('the pipeline file is a folder');
  });

  test('that is wrong is shown with its place and its lines', async () => {
    const result = await resultOf(() =>
      loadPipeline(
        written('pipeline: p\nouput: x\nsteps:\n  a: { uses: upload, with: { file: x } }\n'),
      ),
    );
    expect(result.ok ? '' : renderProblem(result.error)).toContain('> 2 | ouput: x');
  });
});
