// shotlist tools: the step kinds, their prices and what they take.
import { priceOf } from '../api/price.ts';
import { isObject, type Json } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import { kindNamed, kinds } from '../kinds/all.ts';
import type { StepKind } from '../kinds/kind.ts';
import { suggestion } from '../language/diagnostic.ts';
import { duration, table } from '../report/text.ts';
import { problem } from '../workspace/problem.ts';
import { print, printJson, refuse } from './terminal.ts';

export function toolsCommand(name: string | undefined, flags: { readonly json?: boolean }): number {
  const json = flags.json === true;
  if (name === undefined) {
    if (json) printJson(kinds.map(factsOf));
    else print(listText());
    return 0;
  }
  const kind = kindNamed(name);
  if (kind === undefined) {
    const hint = suggestion(
      name,
      kinds.map((known) => known.name),
    );
    return refuse(
      problem(`there is no step kind ${JSON.stringify(name)}`, 'shotlist tools', hint),
      json,
    );
  }
  if (json) printJson({ ...factsOf(kind), with: kind.with, outputs: kind.outputs });
  else print(kindText(kind));
  return 0;
}

const examplePrice = (kind: StepKind): string => {
  if (kind.tool === undefined) return 'free';
  const price = priceOf(kind.tool.name, kind.tool.examples[0] ?? {});
  if (!price.known) return '?';
  return `${price.estimate ? '~' : ''}${price.credits}`;
};

const factsOf = (kind: StepKind): Record<string, Json> => ({
  name: kind.name,
  title: kind.title,
  paid: kind.tool !== undefined,
  ...(kind.tool === undefined
    ? {}
    : {
        record: kind.tool.record,
        median_seconds: kind.tool.medianSeconds,
        example_credits: examplePrice(kind),
      }),
});

function listText(): string {
  const rows = kinds.map((kind) => [
    kind.name,
    kind.tool?.record ?? '',
    kind.tool === undefined ? '' : duration(kind.tool.medianSeconds * 1000),
    examplePrice(kind),
    kind.title,
  ]);
  return [
    table([['kind', 'makes', 'median', 'credits', ''], ...rows], [2, 3]),
    'Credits are those of each kind’s first example; "~" is an estimate, "?" is not published.',
    'shotlist tools <kind> says what it takes.',
  ].join('\n');
}

function kindText(kind: StepKind): string {
  const fields = fieldsOf(kind.with, '');
  const outputs = Object.entries(kind.outputs);
  return [
    `${kind.name}: ${kind.title}`,
    'with:',
    table(fields),
    outputs.length === 0 ? 'no outputs' : 'outputs:',
    ...(outputs.length === 0 ? [] : [table(outputs)]),
  ].join('\n');
}

function fieldsOf(schema: Schema, prefix: string): readonly (readonly string[])[] {
  const properties = schema['properties'];
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([key, field]) => {
    if (!isObject(field)) return [];
    const path = `${prefix}${key}`;
    const values = Array.isArray(field['enum'])
      ? field['enum'].join(' | ')
      : String(field['type'] ?? '');
    const note = typeof field['description'] === 'string' ? field['description'] : '';
    const row = [`${path}${required.includes(key) ? ' *' : ''}`, values, note];
    const items = field['items'];
    const inner = isObject(items) ? fieldsOf(items, `${path}[].`) : fieldsOf(field, `${path}.`);
    return [row, ...inner];
  });
}
