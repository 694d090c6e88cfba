// The published schemas are those of the code, and they accept and refuse what shotlist does.
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { published, textOf } from '../schemas/generate.ts';
import { vocabulary } from '../src/contract/base/schema.ts';
import { validate } from '../src/runner/language/validate.ts';
import { parseFaults } from '../src/service/faults/read.ts';

const root = new URL('..', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

function editor(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
  });
  ajv.addVocabulary([...vocabulary]);
  return ajv;
}

describe('schemas/', () => {
  test.each(published)('%s is what the code says (else: npm run schemas)', (path, schema) => {
    expect(read(`schemas/${path}`)).toBe(textOf(schema));
  });

  test('holds nothing that the code does not know', () => {
    const files = readdirSync(new URL('schemas', root), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.json'))
      .sort();
    expect(files).toEqual(published.map(([path]) => path).sort());
  });

  test('every file compiles by itself, as an editor loads it', () => {
    const ajv = editor();
    for (const [path] of published) ajv.addSchema(JSON.parse(read(`schemas/${path}`)));
    for (const [path] of published) {
      const { $id }: { $id: string } = JSON.parse(read(`schemas/${path}`));
      expect(ajv.getSchema($id), path).toBeTypeOf('function');
    }
  });
});

test('the fragment that the documentation shows is valid for the published schema, and a field of a pipeline is not', () => {
  const text = /```yaml\n(# common[\s\S]*?)^```/m.exec(read('docs/reuse.md'))?.[1] ?? '';
  const accepts = editor().compile(JSON.parse(read('schemas/fragment.schema.json')));
  accepts(parse(text));
  expect(accepts.errors).toBeNull();
  expect(accepts(parse(`service: https://media.example\n${text}`))).toBe(false);
});

test('the pipelines that the page about reuse shows are valid for the published schema', () => {
  const accepts = editor().compile(JSON.parse(read('schemas/pipeline.schema.json')));
  for (const [, text = ''] of read('docs/reuse.md').matchAll(/```yaml\n([\s\S]*?)^```/gm))
    if (/^pipeline: /m.test(text)) {
      const value: unknown = parse(text, { merge: true });
      accepts(value);
      // The values of a default are not in the step, as an editor sees it.
      const wrong = accepts.errors?.filter(
        ({ keyword }) => keyword !== 'required' && keyword !== 'if',
      );
      expect(wrong ?? []).toEqual([]);
    }
});

test('docs/faults.yaml is valid for shotlist and for the published schema', () => {
  const text = read('docs/faults.yaml');
  expect(parseFaults('docs/faults.yaml', text).ok).toBe(true);
  const accepts = editor().compile(JSON.parse(read('schemas/faults.schema.json')));
  accepts(parse(text));
  expect(accepts.errors).toBeNull();
});

describe('pipelines/', () => {
  const files = readdirSync(new URL('pipelines', root)).filter((name) => name.endsWith('.yaml'));

  test.each(files)(
    '%s is valid for shotlist, without a warning, and for the published schema',
    (name) => {
      const text = read(`pipelines/${name}`);
      const own = validate(name, text);
      expect(own.ok && own.value.warnings).toEqual([]);
      const accepts = editor().compile(JSON.parse(read('schemas/pipeline.schema.json')));
      accepts(parse(text));
      expect(accepts.errors).toBeNull();
    },
  );

  const wrong: readonly (readonly [string, string, string])[] = [
    ['a misspelt key', 'steps:', 'stps:'],
    ['an unknown tool', 'uses: face-swap-photo', 'uses: face-swap'],
    ['a missing field', 'with: { of: swap, to: ', 'with: { of: swap, too: '],
    ['an unknown mode', 'individual-faces', 'some-faces'],
  ];
  test.each(wrong)('the published schema refuses %s, as shotlist does', (_name, from, to) => {
    const text = read('pipelines/face-swap-photos.yaml').replace(from, to);
    const accepts = editor().compile(JSON.parse(read('schemas/pipeline.schema.json')));
    expect(accepts(parse(text))).toBe(false);
    expect(validate('pipeline.yaml', text).ok).toBe(false);
  });
});
