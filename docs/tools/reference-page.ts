// docs/reference.md: the schema of pipeline files, and the codes of diagnostics, as Markdown.
import { isObject } from '../../src/base/json.ts';
import type { Schema } from '../../src/base/schema.ts';
import { type Field, fieldsOf, takenBy } from '../../src/contract/catalogue/field.ts';
import { codeGroups } from '../../src/contract/codes.ts';
import { meaningOf } from '../../src/language/schema.ts';
import { code, listOf, marked, pageOf, tableOf, writtenFrom } from './markdown.ts';
import { type Section, sections } from './reference-sections.ts';

export function referencePage(schema: Schema): string {
  return pageOf([
    writtenFrom('the schema in src/language'),
    '# Reference of the pipeline format',
    'A pipeline file is YAML, in UTF-8. These are all its fields. [pipelines.md](pipelines.md) explains how they work together, and [editors.md](editors.md) how your editor completes them.',
    listOf(
      [...sections.map(({ title }) => title), codesTitle].map(
        (title) => `[${title}](#${anchorOf(title)})`,
      ),
    ),
    '## Values',
    listOf([
      'A **path** is relative to the pipeline file, uses `/` on every platform, and stays inside the [repository](hosted-service.md#pipelines-from-other-people).',
      'A **duration** is a number with a unit: `500ms`, `90s`, `10m`, `1h`, `7d`.',
      '**Credits** are numbers; `estimate` and the caps of `budget` count them.',
      'An **expression** is CEL in `${{ }}`. Any value below `with` and `extra` may be one. `if` and `when` are expressions, and need no `${{ }}` ([expressions.md](expressions.md)).',
    ]),
    ...sections.flatMap((section) => sectionOf(section, schema)),
    `## ${codesTitle}`,
    'Every error and warning about a pipeline file has a code, a place, a sentence and a remedy. A code keeps its meaning. `npx shotlist explain SL012` says what to do, and the JSON of all commands contains the codes. `validate` finds what the pipeline file alone can show; `plan` and `run` also look at the items, the files and the account. In GitHub Actions (`GITHUB_ACTIONS=true`), `validate` prints its problems as annotations of the changed lines, too.',
    ...codeGroups.flatMap(({ title, codes }) => [
      `### ${title}`,
      tableOf(
        ['code', 'meaning'],
        [...codes].map(([code, explanation]) => [`\`${code}\``, marked(explanation.title)]),
      ),
    ]),
  ]);
}

const codesTitle = 'Codes of diagnostics';

function sectionOf(section: Section, schema: Schema): readonly string[] {
  const { title, at, about, example } = section;
  const fields = fieldsOf(partAt(schema, at)).filter(({ path }) => isOwn(section, path));
  return [
    `## ${title}`,
    about,
    ...(example === undefined ? [] : [`\`\`\`yaml\n${example}\`\`\``]),
    tableOf(
      ['field', 'takes', 'default', 'meaning'],
      fields.map((field) => rowOf(field, section)),
    ),
  ];
}

/** Other sections show what is below a field of a whole file, and below `defaults.kinds`. */
const isOwn = ({ at }: Section, path: string): boolean =>
  at.length === 0 ? !/\W/.test(path) : !path.startsWith('kinds.');

function rowOf(field: Field, { at, takes = {} }: Section): readonly string[] {
  const { path, required, default: usual, description } = field;
  const below =
    at.length > 0
      ? undefined
      : sections.find((one) => one.at[1] === path || one.title.split(' and ').includes(path));
  return [
    below === undefined ? code(path) : `[${code(path)}](#${anchorOf(below.title)})`,
    takes[path] ?? marked(takenIn(field)),
    required ? 'required' : usual === undefined ? '' : code(String(usual)),
    marked(description),
  ];
}

function takenIn(field: Field): string {
  const { values, pattern } = field;
  // A tab is invisible.
  if (values !== undefined)
    return values.map((value) => code(JSON.stringify(value).replace(/^"|"$/g, ''))).join(', ');
  return meaningOf(pattern) ?? takenBy(field);
}

function partAt(schema: Schema, at: readonly string[]): Schema {
  return at.reduce((part, key) => {
    const below = part[key];
    if (!isObject(below)) throw new Error(`bug: the schema has no ${at.join('.')}`);
    return below;
  }, schema);
}

/** The anchor that a heading gets on GitHub. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
