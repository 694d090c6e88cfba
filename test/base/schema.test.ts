// Schemas are walked at first, and compiled by ajv only for errors: both must agree, about changed values, too.
import { globSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptanceOf } from '../../src/base/acceptance.ts';
import { asJson, isObject, type Json } from '../../src/base/json.ts';
import { type Schema, validatorOf, vocabulary, withDefaults } from '../../src/base/schema.ts';
import { kinds } from '../../src/contract/kinds.ts';
import { tools } from '../../src/contract/tools/all.ts';
import { parseSource } from '../../src/contract/yaml/source.ts';
import { pipelineSchema } from '../../src/language/schema.ts';
import { stateSchema } from '../../src/model/record/schemas.ts';
import { root } from '../examples.ts';
import { partOf } from '../sweep.ts';

function compiled(schema: Schema, useDefaults = false): (value: Json) => boolean {
  const options = { strict: false, allowUnionTypes: true, validateSchema: false, useDefaults };
  const validate = new Ajv2020(options).addVocabulary([...vocabulary]).compile(schema);
  return (value) => validate(value);
}

const files = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root }).map((name) => readFileSync(`${root}/${name}`, 'utf8'));

const pipelines = files('pipelines/*.yaml').flatMap((text) => {
  const parsed = parseSource('p.yaml', text);
  return parsed.ok ? [parsed.value.value] : [];
});

const stateLines = files('test/golden/formats/state.jsonl')
  .flatMap((text) => text.trim().split('\n'))
  .map((line): Json => JSON.parse(line));

const samples: readonly (readonly [string, Schema, readonly Json[]])[] = [
  ...tools.map(({ name, request, examples }) => [name, request, examples] as const),
  ['a pipeline', pipelineSchema(kinds), pipelines],
  ['a line of a state file', stateSchema, stateLines],
];

const odd = fc.oneof(
  fc.constantFrom<Json>(...[null, '', 'x', '${{ item.path }}', '😀', 0, -1, 0.5, 1e21, true]),
  fc.constantFrom<Json>(...[[], {}, ['x', 'x'], { x: 1 }, { constructor: 1 }]),
  fc
    .constantFrom('', 'a', 'A', 'g', '\n', '😀', '\u0130')
    .map((end) => '0af9'.repeat(16).slice(0, -1) + end),
  fc.jsonValue({ maxDepth: 1 }).map(asJson),
);

/** A value with one change somewhere: another value, or one member less. */
function changed(value: Json, [turn = 0, ...rest]: readonly number[], to: Json): Json {
  const members: readonly Json[] = isObject(value) ? Object.values(value) : listOf(value);
  const at = turn % (members.length + 1);
  const member = members[at];
  if (member === undefined) return to;
  const inside = rest.length === 0 ? [] : [changed(member, rest, to)];
  if (!isObject(value)) return members.toSpliced(at, 1, ...inside);
  const entries = Object.entries(value);
  return Object.fromEntries([
    ...entries.filter((_, index) => index !== at),
    ...inside.map((one) => [entries[at]?.[0] ?? '', one] as const),
  ]);
}

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

describe('validatorOf', () => {
  test('decides in the same way after thousands of values, and still words the errors', () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } };
    const validate = validatorOf(schema);
    for (let value = 0; value < 3_000; value++) {
      expect(validate({ a: value })).toBe(true);
      expect(validate({ a: `${value}` })).toBe(false);
      expect(validate.errors).toMatchObject([{ keyword: 'type', instancePath: '/a' }]);
    }
    expect(validate({ a: 1 })).toBe(true);
    expect(validate.errors).toBeNull();
  });
});

describe('acceptanceOf', () => {
  test.each(samples)('agrees with ajv about %s', (_, schema, values) => {
    const validate = compiled(schema);
    expect(values.some(validate)).toBe(true);
    for (const value of values) expect(acceptanceOf(schema)(value)).toBe(validate(value));
    fc.assert(
      fc.property(
        fc.constantFrom(...values),
        fc.array(fc.nat(50), { maxLength: 6 }),
        odd,
        (value, route, to) => {
          const other = changed(value, route, to);
          expect(acceptanceOf(schema)(other)).toBe(validate(other));
        },
      ),
      { numRuns: partOf(100) },
    );
  });

  test('leaves to ajv what it does not know', () => {
    expect(acceptanceOf({ format: 'date' })('x')).toBe(false);
    expect(acceptanceOf({ enum: [{}] })(1)).toBe(false);
  });
});

describe('withDefaults', () => {
  test.each(tools)('fills in what ajv does: $name', ({ request, examples }) => {
    const fill = compiled(request, true);
    for (const example of examples) {
      const expected = structuredClone(example);
      fill(expected);
      expect(withDefaults(request, example)).toStrictEqual(expected);
    }
  });
});
