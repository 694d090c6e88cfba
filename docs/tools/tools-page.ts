// The pages of docs/tools: the catalogue as Markdown, one page for each step kind and an index.
import type { Entry } from '../../src/contract/catalogue/entry.ts';
import { type Field, takenBy } from '../../src/contract/catalogue/field.ts';
import { pricesPublished } from '../../src/contract/price-rule.ts';
import {
  clock,
  fieldsNote,
  modelRows,
  pricedExamples,
} from '../../src/features/tools/tools-text.ts';
import { code, listOf, marked, pageOf, tableOf, writtenFrom } from './markdown.ts';

const note = writtenFrom('the catalogue in src/contract');

/** The index: all step kinds in groups. */
export function toolIndex(groups: ReadonlyMap<string, readonly Entry[]>): string {
  const rows = (entries: readonly Entry[]): readonly (readonly string[])[] =>
    entries.map(({ name, title, price, medianSeconds }) => [
      `[\`${name}\`](tools/${name}.md)`,
      title,
      price.short,
      medianSeconds === undefined ? '' : clock(medianSeconds),
    ]);
  return pageOf([
    note,
    '# Step kinds',
    `\`uses:\` names one of these kinds. Prices are in credits, as published in ${pricesPublished}; times are observed medians. The command ` +
      '`shotlist tools <kind>` shows the same facts as the page of the kind.',
    ...[...groups].flatMap(([group, entries]) => [
      `## ${group}`,
      tableOf(['kind', 'what it does', 'credits', 'median time'], rows(entries)),
    ]),
    'Without a published price, a budget and a rehearsal need an `estimate:` on the step.',
  ]);
}

/** The page of one kind. */
export function toolPage(entry: Entry): string {
  const { price, fields, rules, plans, outputs, example } = entry;
  const examples = pricedExamples(entry);
  const made =
    entry.record === undefined
      ? []
      : [`Makes: ${entry.record}. Median time: ${clock(entry.medianSeconds ?? 0)}.`];
  return pageOf([
    note,
    `# ${entry.name}`,
    [marked(entry.description), ...made].join(' '),
    `\`\`\`yaml\n${example.text}\`\`\``,
    '## Price',
    marked(price.rule),
    ...(examples.length === 0 ? [] : [listOf(examples)]),
    '## Fields',
    tableOf(
      ['field under `with:`', 'takes', 'description'],
      fields.map((field) => [
        `\`${field.path}\`${field.required ? ', required' : ''}`,
        marked(takenBy(field)),
        marked(descriptionOf(field)),
      ]),
    ),
    marked(fieldsNote(entry)),
    ...(rules.length === 0 ? [] : ['## Rules', listOf(rules.map(marked))]),
    ...modelBlocks(entry),
    ...(plans.length === 0 ? [] : ['## Plans', listOf(plans.map(marked))]),
    '## Outputs',
    Object.keys(outputs).length === 0
      ? 'None.'
      : tableOf(
          ['output', 'description'],
          Object.entries(outputs).map(([name, text]) => [`\`${name}\``, marked(text)]),
        ),
  ]);
}

function modelBlocks({ models, modelNotes }: Entry): readonly string[] {
  if (models.length === 0) return [];
  const [head = [], ...rows] = modelRows(models);
  return [
    '## Models',
    tableOf(
      head,
      rows.map(([name, ...cells]) => [`\`${name}\``, ...cells]),
    ),
    listOf(modelNotes.map(marked)),
  ];
}

function descriptionOf({ description, values, known, default: usual }: Field): string {
  const codes = (list: readonly unknown[]): string =>
    list.map((one) => code(String(one))).join(', ');
  return [
    description,
    ...(values === undefined ? [] : [`One of ${codes(values)}.`]),
    ...(known === undefined ? [] : [`For example ${codes(known)}.`]),
    ...(usual === undefined ? [] : [`Default: ${code(JSON.stringify(usual))}.`]),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
