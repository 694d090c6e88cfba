// docs/reference.md is what the schema says, and the schema says something about every field.
import { describe, expect, test } from 'vitest';
import { reference } from '../../docs/tools/generate.ts';
import { isObject } from '../../src/base/json.ts';
import type { Schema } from '../../src/base/schema.ts';
import { kinds } from '../../src/contract/kinds.ts';
import { pipelineSchema } from '../../src/language/schema.ts';
import { validate } from '../../src/language/validate.ts';
import { blocksIn, read } from '../examples.ts';

const page = 'docs/reference.md';
const schema = pipelineSchema(kinds);

/** Every property of a schema and of all schemas in it, with its place. */
function propertiesOf(schema: unknown, at = ''): readonly (readonly [string, Schema])[] {
  if (Array.isArray(schema))
    return schema.flatMap((part, index) => propertiesOf(part, `${at}/${index}`));
  if (!isObject(schema)) return [];
  const { properties, ...rest } = schema;
  const own = isObject(properties)
    ? Object.entries(properties).flatMap(
        ([name, property]): readonly (readonly [string, Schema])[] =>
          isObject(property) ? [[`${at}/${name}`, property]] : [],
      )
    : [];
  const below = Object.entries(rest).flatMap(([keyword, part]) =>
    // A condition repeats properties that are described elsewhere.
    ['if', 'then', 'else', 'not', 'allOf'].includes(keyword)
      ? []
      : propertiesOf(part, `${at}/${keyword}`),
  );
  return [...own, ...own.flatMap(([place, property]) => propertiesOf(property, place)), ...below];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

describe(page, () => {
  test('is what the schema says (else: npm run pages)', () => {
    expect(read(page)).toBe(reference);
  });

  test('every property in the schema has a description, and the page has it', () => {
    const definitions = isObject(schema['$defs']) ? schema['$defs'] : {};
    const all = propertiesOf(schema);
    expect(all.length).toBeGreaterThan(100);
    for (const [place, property] of all) {
      const target = definitions[textOf(property['$ref']).replace('#/$defs/', '')];
      const described = isObject(target) ? target : property;
      expect(textOf(described['description']), place).toMatch(/^[A-Z`].{5,}[.)]$/s);
      // The fields of a kind are on the page of the kind.
      if (place.startsWith('/$defs/') && !place.startsWith('/$defs/kind-defaults/')) continue;
      const said = textOf(property['description']).replaceAll('|', '\\|');
      expect(reference, place).toContain(said.split(/`|</)[0]);
    }
  });

  const minimal = `pipeline: p
items: { glob: "*.jpg" }
steps: { photo: { uses: upload, with: { file: a.jpg } } }
`;

  test('names the values that a pipeline has when it says nothing', () => {
    const text = `${minimal}schedule: { cron: "0 7 * * *" }\n`;
    const checked = validate('p.yaml', text);
    if (!checked.ok) throw new Error('bug: the pipeline is not valid');
    const { limits, schedule, steps } = checked.value.pipeline;
    expect({
      'limits.items': limits.items,
      'limits.outage': limits.outageMs / 60_000,
      attempts: steps.map(({ attempts }) => attempts),
      'schedule.time_zone': schedule?.timeZone,
    }).toEqual({
      'limits.items': 16,
      'limits.outage': 15,
      attempts: [3],
      'schedule.time_zone': 'UTC',
    });
    for (const row of [
      '`items` | integer, 1 to 100,000 | `16`',
      '| `15m` |',
      '| `3` |',
      '| `UTC` |',
    ])
      expect(reference).toContain(row);
  });

  const examples = blocksIn(page, 'yaml');

  test.each(examples.map(({ text }) => [text.slice(0, text.indexOf(':')), text]))(
    'has a valid example of %s',
    (name, text) => {
      const rest =
        name === 'pipeline' ? [] : minimal.split('\n').filter((line) => !line.startsWith(name));
      const whole = [...rest, text].join('\n');
      const checked = validate('p.yaml', whole);
      expect(checked.ok ? [] : checked.error, whole).toEqual([]);
    },
  );
});
