// The published schemas are those of the code, and they accept and refuse what shotlist does.
import { readdirSync, readFileSync } from 'node:fs';
import { registerSchema, validate as validator } from '@hyperjump/json-schema/draft-2020-12';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { published, textOf } from '../schemas/generate.ts';
import { vocabulary } from '../src/base/schema.ts';
import { exampleOf } from '../src/contract/catalogue/entry.ts';
import { kinds } from '../src/contract/kinds.ts';
import { tools } from '../src/contract/tools/all.ts';
import { validate } from '../src/language/validate.ts';
import { parseFaults } from '../src/service/faults/read.ts';

const root = new URL('..', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const faceSwap = read('pipelines/face-swap-photos.yaml');
const mistakes: readonly (readonly [string, string, string])[] = [
  ['a misspelt key', 'steps:', 'stps:'],
  ['an unknown tool', 'uses: face-swap-photo', 'uses: face-swap'],
  ['a missing field', 'with: { of: swap, to: ', 'with: { of: swap, too: '],
  ['an unknown mode', 'individual-faces', 'some-faces'],
];

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

let compiled: ValidateFunction | undefined;

/** Compiled once: the schema is large. */
function acceptsPipeline(): ValidateFunction {
  compiled ??= editor().compile(JSON.parse(read('schemas/pipeline.schema.json')));
  return compiled;
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

describe('another validator than ours', () => {
  const loaded = Promise.all(
    published.map(async ([path]) => {
      const schema = JSON.parse(read(`schemas/${path}`));
      registerSchema(schema);
      return [path, await validator(schema.$id)] as const;
    }),
  ).then((all) => new Map(all));
  const accepts = async (path: string, value: unknown): Promise<boolean> =>
    (await loaded).get(path)?.(JSON.parse(JSON.stringify(value))).valid === true;

  test.each(published)('finds that %s is a valid schema', async (path) => {
    const meta = await validator('https://json-schema.org/draft/2020-12/schema');
    expect(meta(JSON.parse(read(`schemas/${path}`)), 'BASIC')).toEqual({ valid: true });
    expect((await loaded).get(path)).toBeTypeOf('function');
  });

  test('accepts the examples of the catalogue, and no file with a mistake', async () => {
    for (const kind of kinds)
      expect(await accepts('pipeline.schema.json', parse(exampleOf(kind).text)), kind.name).toBe(
        true,
      );
    for (const { name, request, examples } of tools) {
      const id = `https://shotlist.dev/${name}`;
      registerSchema(JSON.parse(JSON.stringify({ ...request, $id: id })));
      const isValid = await validator(id);
      for (const body of examples)
        expect(isValid(JSON.parse(JSON.stringify(body))).valid, name).toBe(true);
    }
    for (const [name, from, to] of mistakes)
      expect(await accepts('pipeline.schema.json', parse(faceSwap.replace(from, to))), name).toBe(
        false,
      );
  });
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
      const accepts = acceptsPipeline();
      accepts(parse(text));
      expect(accepts.errors).toBeNull();
    },
  );

  test.each(mistakes)('the published schema refuses %s, as shotlist does', (_name, from, to) => {
    const text = faceSwap.replace(from, to);
    expect(acceptsPipeline()(parse(text))).toBe(false);
    expect(validate('pipeline.yaml', text).ok).toBe(false);
  });
});
