// What an editor shows in a pipeline file: the language server for YAML, with the published schema.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Field, fieldsOf } from '../../src/contract/catalogue/field.ts';
import { kindNamed, kinds, type StepKind } from '../../src/contract/kinds.ts';
import { validate } from '../../src/language/validate.ts';
import { type LanguageServer, startLanguageServer } from './language-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const schemaLine = '# yaml-language-server: $schema=pipeline.schema.json\n';

let editor: LanguageServer;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-editor-'));
  copyFileSync(join(root, 'schemas/pipeline.schema.json'), join(folder, 'pipeline.schema.json'));
  editor = await startLanguageServer(folder);
  return async () => {
    await editor.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});

/** A file with one step; `|` marks the cursor. */
const step = (lines: readonly string[]): string =>
  `${schemaLine}pipeline: p\nsteps:\n  one:\n${lines.map((line) => `    ${line}\n`).join('')}`;

/** The lines of `with:` down to a field, and what follows its name. */
function below(kind: StepKind, path: string, end: string): string {
  const parts = path === '' ? [] : path.split('.');
  const last = parts.pop() ?? '';
  const lines = parts.map((part, depth) => `${'  '.repeat(depth + 1)}${part}:`);
  const indent = '  '.repeat(parts.length + 1);
  return step([`uses: ${kind.name}`, 'with:', ...lines, `${indent}${last}${end}`]);
}

describe('completion', () => {
  test('after uses: are the step kinds', async () => {
    const names = kinds.map(({ name }) => name).sort();
    expect((await editor.completions(step(['uses: |']))).toSorted()).toEqual(names);
    const flow = `${schemaLine}pipeline: p\nsteps:\n  one: { uses: te| }\n`;
    expect(await editor.completions(flow)).toContain('text-to-video');
  });

  test.each(kinds)('below with: of $name are its fields, with their values', async (kind) => {
    const fields = fieldsOf(kind.with).filter(({ path }) => !path.includes('[]'));
    for (const group of new Set(fields.map(({ path }) => groupOf(path)))) {
      const shown = await editor.completions(below(kind, group === '' ? '' : `${group}.`, '|'));
      for (const { path } of fields.filter((field) => groupOf(field.path) === group))
        expect(shown, path).toContain(path.split('.').at(-1));
    }
    for (const field of fields) {
      const values = valuesOf(field);
      if (values.length === 0) continue;
      const shown = await editor.completions(below(kind, field.path, ': |'));
      expect(shown.toSorted(), field.path).toEqual(values.toSorted());
    }
  });

  const groupOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));
  const valuesOf = ({ type, values, known }: Field): readonly string[] =>
    type === 'boolean' ? ['true', 'false'] : (values ?? known ?? []).map(String);

  test.each([
    ['on_failure: |', ['continue', 'stop']],
    ['inputs:\n  size:\n    type: |', ['file', 'string', 'number', 'boolean']],
    ['steps:\n  one:\n    uses: text-to-video\n    keep: |', ['remote']],
  ])('of the values of %j', async (text, values) => {
    const shown = await editor.completions(`${schemaLine}pipeline: p\n${text}\n`);
    expect(shown.toSorted()).toEqual(values.toSorted());
  });

  test('of the fields of a file and of a step', async () => {
    const file = await editor.completions(`${schemaLine}pipeline: p\n|`);
    for (const field of ['items', 'budget', 'schedule', 'steps']) expect(file).toContain(field);
    const fields = await editor.completions(step(['uses: text-to-video', '|']));
    for (const field of ['with', 'if', 'needs', 'retry']) expect(fields).toContain(field);
  });
});

describe('hover', () => {
  test.each([
    ['the step kind', ['uses: text-to-v|ideo'], 'Make a video from a prompt'],
    ['a field', ['uses: text-to-video', 'with:', '  resol|ution: 480p'], 'Output resolution.'],
    ['a value', ['uses: text-to-video', 'with:', '  resolution: 48|0p'], '* `1080p`'],
    [
      'a field inside another',
      ['uses: ai-image-upscaler', 'with:', '  style:', '    mo|de: preserve'],
      'How freely the tool adds detail.',
    ],
    ['a field of the step', ['uses: text-to-video', 'time|out: 10m'], 'How long one run waits'],
    [
      'an expression',
      ['uses: text-to-video', 'with:', '  end_seconds: "${{ inputs.le|ngth }}"'],
      'The length of the video',
    ],
  ])('over %s', async (_, lines, words) => {
    expect(await editor.hover(step(lines))).toContain(words);
  });

  test.each([
    ['  re|solution: 480p', '#### resolution'],
    ['  mod|el: ltx-2.3', '#### model || model, another value'],
    ['  mod|el: ltx-9', '#### model, another value'],
    ['  end_|seconds: 3', '#### end_seconds'],
  ])('over %j begins with the name of the field', async (line, title) => {
    const shown = await editor.hover(step(['uses: text-to-video', 'with:', line]));
    expect(shown?.replaceAll('\\', '').split('\n')[0]).toBe(title);
  });
});

// An editor waits before it marks anything, so these wait together.
describe.concurrent('squiggles', () => {
  const clip = ['uses: text-to-video', 'keep: remote', 'with:'];
  const good = ['  end_seconds: 3', '  style: { prompt: a }'];
  const file = (first: string): string => step([...clip, ...good]).replace('pipeline: p', first);
  const cases: readonly (readonly [string, string])[] = [
    ['an unknown field of the file', file('pipeline: p\nbudgets: { credits: 5 }')],
    ['a missing name', file('description: nameless')],
    ['a missing part', `${schemaLine}pipeline: p\n`],
    ['a number out of its range', file('pipeline: p\nbudget: { credits: -5 }')],
    ['an unknown value', file('pipeline: p\non_failure: halt')],
    ['an unknown step kind', step(['uses: text-to-vdeo', ...clip.slice(1), ...good])],
    ['a step without with:', step(clip.slice(0, 2))],
    ['an unknown field of a step', step([...clip, ...good, 'retries: 3'])],
    ['a duration in words', step([...clip, ...good, 'timeout: soon'])],
    ['a list that is a text', step([...clip, ...good, 'needs: other'])],
    ['a step name with a space', step([...clip, ...good]).replace('one:', '"my one":')],
    ['a list of steps', `${schemaLine}pipeline: p\nsteps:\n  - uses: text-to-video\n`],
    ['an unknown field of a tool', step([...clip, ...good, '  resolutoin: 480p'])],
    [
      'an unknown field inside another',
      step([...clip, good[0] ?? '', '  style: { prompt: a, promt: b }']),
    ],
    ['a value that a field does not have', step([...clip, ...good, '  resolution: 490p'])],
    ['a text in place of a number', step([...clip, '  end_seconds: many', good[1] ?? ''])],
    ['a text in place of a boolean', step([...clip, ...good, '  audio: "yes"'])],
    ['a list in place of an object', step([...clip, good[0] ?? '', '  style: [a]'])],
    ['a list in place of a model', step([...clip, ...good, '  model: [ltx-2.3]'])],
    ['an empty text', step([...clip, good[0] ?? '', '  style: { prompt: "" }'])],
    ['a missing field', step([...clip, good[0] ?? ''])],
    [
      'a missing field inside another',
      step([...clip, good[0] ?? '', '  style: { quality_mode: quick }']),
    ],
    [
      'three mistakes',
      step([...clip, '  end_seconds: 99', '  resolution: 9k', '  style: { prompt: [] }']),
    ],
    [
      'a wrong step of a slider',
      step([
        'uses: ai-face-editor',
        'keep: remote',
        'with:',
        '  assets: { image_file_path: api-assets/a.png }',
        '  style: { mouth_smile: 7 }',
      ]),
    ],
  ];

  test.each(cases)('%s: at the same places as in validate', async (_, text) => {
    const own = validate('pipeline.yaml', text);
    const found = own.ok ? [] : own.error;
    expect(found.length).toBeGreaterThan(0);
    expect(places(await editor.squiggles(text))).toEqual(
      places(found.flatMap(({ span }) => (span === undefined ? [] : [span]))),
    );
  });

  const places = (found: readonly { readonly line: number; readonly column: number }[]) =>
    [...new Set(found.map(({ line, column }) => `${line}:${column}`))].sort();

  test('a typing mistake in a required name is one error in validate; an editor also marks the object', async () => {
    const text = step([...clip, good[0] ?? '', '  style: { promt: a }']);
    const own = validate('pipeline.yaml', text);
    expect(own.ok ? [] : own.error.map(({ span }) => span?.column)).toEqual([16]);
    expect((await editor.squiggles(text)).map(({ column }) => column)).toEqual([7, 16]);
  });

  test.each([
    ['the comment of yaml-language-server', schemaLine, 'one.yaml'],
    ['the comment of JetBrains', '# $schema: pipeline.schema.json\n', 'two.yaml'],
    ['the settings', '', 'mapped/three.yaml'],
  ])('come from a schema that %s names', async (_, firstLine, name) => {
    const found = await editor.squiggles(`${firstLine}pipeline: p\nsteps: {}\nodd: 1\n`, name);
    expect(found.map(({ message }) => message)).toContain('Property odd is not allowed.');
    expect(await editor.squiggles(`odd: 1\n`, `plain-${name.replace('/', '-')}`)).toEqual([]);
  });

  test('none in a valid file, with expressions in place of numbers, choices, booleans and objects', async () => {
    const lines = ['end_seconds', 'resolution', 'audio', 'style'].map(
      (field) => `  ${field}: "\${{ item.${field} }}"`,
    );
    expect(await editor.squiggles(step([...clip, ...lines]))).toEqual([]);
    const upscaler = kindNamed('ai-image-upscaler');
    if (upscaler === undefined) throw new Error('no ai-image-upscaler');
    expect(await editor.squiggles(below(upscaler, 'scale_factor', ': 3'))).not.toEqual([]);
    expect(
      (await editor.squiggles(below(upscaler, 'scale_factor', ': "${{ item.n }}"'))).map(
        ({ message }) => message,
      ),
    ).toEqual(['Missing property "assets".']);
  });

  test.each(readdirSync(join(root, 'pipelines')).filter((name) => name.endsWith('.yaml')))(
    'none in pipelines/%s',
    async (name) => {
      const text = readFileSync(join(root, 'pipelines', name), 'utf8');
      expect(await editor.squiggles(text.replace('../schemas/', ''))).toEqual([]);
    },
  );
});
