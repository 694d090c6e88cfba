// shotlist tools: the step kinds, their prices and their parameters.
import { countedFps, priceOf } from '../../contract/api/price.ts';
import { priceExamples } from '../../contract/api/price-examples.ts';
import { priceList } from '../../contract/api/price-list.ts';
import { isObject, type Json } from '../../contract/base/json.ts';
import type { Schema } from '../../contract/base/schema.ts';
import { kindNamed, kinds } from '../../contract/kinds/all.ts';
import type { StepKind } from '../../contract/kinds/kind.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import { problem } from '../operations/pipeline/problem.ts';
import { duration, table } from '../report/text.ts';
import { fail, print, printJson } from './terminal.ts';

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
    return fail(
      problem(`there is no step kind ${JSON.stringify(name)}`, 'shotlist tools', hint),
      json,
    );
  }
  if (json) printJson({ ...factsOf(kind), with: kind.with, outputs: kind.outputs });
  else print(kindText(kind));
  return 0;
}

interface ShownPrice {
  /** `240`, `~150` for an estimate, `free`, or `?` if no price is published. */
  readonly credits: string;
  /** What the price is for: `5 s of kling-3.0 at 720p`. */
  readonly of: string;
}

function shownPrice({ tool }: StepKind): ShownPrice {
  if (tool === undefined) return { credits: 'free', of: '' };
  const { of, body } = priceExamples[tool.name] ?? { of: '', body: tool.examples[0] ?? {} };
  const price = priceOf(tool.name, body);
  if (!price.known) return { credits: '?', of };
  const exact = countedFps(tool.name, body) === undefined;
  return { credits: `${exact ? '' : '~'}${price.credits}`, of };
}

const factsOf = (kind: StepKind): Record<string, Json> => {
  if (kind.tool === undefined) return { name: kind.name, title: kind.title, paid: false };
  const { credits, of } = shownPrice(kind);
  return {
    name: kind.name,
    title: kind.title,
    paid: true,
    record: kind.tool.record,
    medianSeconds: kind.tool.medianSeconds,
    exampleCredits: credits,
    example: of,
  };
};

function listText(): string {
  const rows = kinds.map((kind) => {
    const { credits, of } = shownPrice(kind);
    const median = kind.tool === undefined ? '' : duration(kind.tool.medianSeconds * 1000);
    return [kind.name, kind.tool?.record ?? '', median, credits, of, kind.title];
  });
  return [
    table([['kind', 'makes', 'median', 'credits', 'for', ''], ...rows], [2, 3]),
    `Prices as published in ${priceList.date}, each for the example beside it. "~": the final charge follows the real`,
    'frame rate. "?": no price is published; a budget and a rehearsal then need an estimate:.',
    'shotlist tools <kind> lists the parameters of a kind.',
  ].join('\n');
}

function kindText(kind: StepKind): string {
  const fields = fieldsOf(kind.with, '');
  const outputs = Object.entries(kind.outputs);
  return [
    `${kind.name}: ${kind.title}`,
    ...(kind.tool === undefined ? [] : [priceLine(kind)]),
    'with:',
    table(fields),
    outputs.length === 0 ? 'no outputs' : 'outputs:',
    ...(outputs.length === 0 ? [] : [table(outputs)]),
  ].join('\n');
}

function priceLine(kind: StepKind): string {
  const { credits, of } = shownPrice(kind);
  return credits === '?'
    ? 'price: not published; a budget and a rehearsal need an estimate: under the step'
    : `price: ${of}: ${credits} ${credits === '1' ? 'credit' : 'credits'}`;
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
