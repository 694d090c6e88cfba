// The texts of `shotlist tools`: the list of step kinds, and one kind in full, for a terminal of 80 columns.

import { count, table, wrapped } from '../../base/text.ts';
import type { Entry } from '../../contract/catalogue/entry.ts';
import { type Field, takenBy } from '../../contract/catalogue/field.ts';
import type { PricedExample } from '../../contract/catalogue/price.ts';
import { type Model, spansText } from '../../contract/models.ts';

const width = 80;
/** The most known values of an open list that the text shows; --json and the pages have all. */
const maxKnownValues = 24;

/** All kinds in groups, each with its price and its median time. */
export function toolList(groups: ReadonlyMap<string, readonly Entry[]>, date: string): string {
  const head = ['kind', 'credits', 'median', 'what it does'];
  const cellsOf = (entry: Entry): readonly string[] => [
    entry.name,
    entry.price.short,
    medianOf(entry),
    entry.title,
  ];
  const rows = [head, ...[...groups.values()].flat().map(cellsOf)];
  const widest = (column: number): number =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0));
  const widths = head.map((_, column) => widest(column));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    line(head),
    ...[...groups].flatMap(([group, entries]) => [
      '',
      group.toUpperCase(),
      ...entries.map((entry) => line(cellsOf(entry))),
    ]),
    '',
    ...wrapped(
      `Credits as published in ${date}; times are observed medians. Without a published price, a budget and a rehearsal need an estimate: on the step.`,
      width,
    ),
    'shotlist tools <kind> shows the fields, the models and an example of a kind.',
  ].join('\n');
}

const medianOf = ({ medianSeconds }: Entry): string =>
  medianSeconds === undefined ? '' : clock(medianSeconds);

/** As the service's documentation writes it: `12m 52s`. */
export function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m ${seconds % 60}s`;
}

/** Everything about one kind. */
export function toolText(entry: Entry): string {
  return [
    `${entry.name}: ${entry.title}`,
    '',
    ...(entry.description === `${entry.title}.` ? [] : indented(entry.description)),
    ...(entry.record === undefined
      ? []
      : indented(`Makes: ${entry.record}. Median time: ${medianOf(entry)}.`)),
    ...section('Price', [
      ...indented(entry.price.rule),
      ...pricedExamples(entry).map((example) => `    ${example}`),
    ]),
    ...section('Fields of with: (* = required)', [
      ...entry.fields.flatMap(fieldLines),
      ...indented(fieldsNote(entry)),
    ]),
    ...section('Rules', entry.rules.flatMap(indented)),
    ...section('Models', [
      ...(entry.models.length === 0 ? [] : table(modelRows(entry.models), [], width).split('\n')),
      ...entry.modelNotes.flatMap(indented),
    ]),
    ...section('Plans', entry.plans.flatMap(indented)),
    ...section(
      'Outputs',
      Object.keys(entry.outputs).length === 0
        ? ['  None.']
        : table(Object.entries(entry.outputs), [], width).split('\n'),
    ),
    ...section('Example', entry.example.text.trimEnd().split('\n').map(two)),
  ].join('\n');
}

/** What to know about all fields. */
export function fieldsNote({ fields }: Entry): string {
  const hasFiles = fields.some(({ type }) => /files?$/.test(type));
  const files = 'A file is the file_path of an upload step, or a direct URL. ';
  return `${hasFiles ? files : ''}Any value may be an expression.`;
}

/** The examples of a price that say more than its rule: `5 s of kling-3.0 at 720p: 240 credits`. */
export const pricedExamples = ({ price: { short, examples } }: Entry): readonly string[] =>
  examples.filter(({ credits }) => `${credits}` !== short).map(pricedExample);

function pricedExample({ of, credits, exact }: PricedExample): string {
  return credits === undefined
    ? `${of}: no published price`
    : `${of}: ${exact ? '' : 'about '}${count(credits, 'credit')}`;
}

const two = (line: string): string => `  ${line}`.trimEnd();
const indented = (text: string): readonly string[] => wrapped(text, width - 2).map(two);

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', title, ...lines];

function fieldLines(field: Field): readonly string[] {
  return [
    `  ${field.path}${field.required ? ' *' : ''}  (${takenBy(field)})`,
    ...wrapped(factsOf(field), width - 6)
      .filter((line) => line !== '')
      .map((line) => `      ${line}`),
  ];
}

/** The description of a field, its values and its default. */
function factsOf({ description, values, known, default: usual }: Field): string {
  const shown = known?.slice(0, maxKnownValues) ?? [];
  const rest = (known?.length ?? 0) - shown.length;
  return [
    description,
    ...(values === undefined ? [] : [`One of: ${values.join(', ')}.`]),
    ...(known === undefined
      ? []
      : [`For example: ${shown.join(', ')}${rest > 0 ? `, and ${rest} more (see --json)` : ''}.`]),
    ...(usual === undefined ? [] : [`Default: ${JSON.stringify(usual)}.`]),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** A heading and a row for each model; the longest cells are last. */
export function modelRows(models: readonly Model[]): readonly (readonly string[])[] {
  const has = (key: keyof Model): boolean => models.some((model) => model[key] !== undefined);
  const priced = [...new Set(models.flatMap(({ credits }) => Object.keys(credits)))];
  const perSecond = has('audio');
  const columns: readonly (readonly [string, (model: Model) => string])[] = [
    ['model', ({ name }) => name],
    ...(perSecond
      ? priced.map((resolution): readonly [string, (model: Model) => string] => [
          resolution,
          ({ credits }) => `${credits[resolution] ?? '–'}`,
        ])
      : priced.length === 0
        ? []
        : [['credits', lowestCredits] as const]),
    ...(has('audio') ? [['audio', audioOf] as const] : []),
    ...(has('images') ? [['images', ({ images = [] }: Model) => spansText(images)] as const] : []),
    ...(has('inputs') ? [['inputs', ({ inputs }: Model) => `1–${inputs}`] as const] : []),
    ['plans', ({ plans }) => plans],
    ...(perSecond
      ? []
      : [['resolutions', ({ resolutions }: Model) => resolutions.join(', ')] as const]),
    ...(has('seconds')
      ? [['seconds', ({ seconds = [] }: Model) => spansText(seconds)] as const]
      : []),
  ];
  return [
    columns.map(([title]) => title),
    ...models.map((model) => columns.map(([, cell]) => cell(model))),
  ];
}

const lowestCredits = ({ credits }: Model): string => `${Object.values(credits)[0] ?? '–'}`;

/** What sound costs beyond silence: `none`, `+0`, `+24`, `×2`, `+24, 4k +48`. */
function audioOf({ audio, credits }: Model): string {
  if (audio === undefined || audio === 'none') return 'none';
  if (audio === 'included') return '+0';
  const parts = Object.entries(credits).map(
    ([resolution, silent]) => [resolution, silent, audio[resolution] ?? silent] as const,
  );
  if (parts.every(([, silent, loud]) => loud === silent * 2)) return '×2';
  const added = parts.map(([resolution, silent, loud]) => [resolution, loud - silent] as const);
  const [first] = added;
  const usual = first?.[1] ?? 0;
  const others = added.filter(([, more]) => more !== usual);
  return [`+${usual}`, ...others.map(([resolution, more]) => `${resolution} +${more}`)].join(', ');
}
