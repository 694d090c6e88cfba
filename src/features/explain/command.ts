// shotlist explain: what the code of a diagnostic means, with a wrong and a right example, or where a file comes from.
import { existsSync } from 'node:fs';
import { isObject, type Json } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { count, size, table } from '../../base/text.ts';
import { explanations, groups } from '../../contract/codes/all.ts';
import { textOf } from '../../contract/codes/explanation.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import { valueOfJob } from '../../model/manifest.ts';
import type { ExplainFlags } from '../../terminal/flags.ts';
import { caution, print, printJson } from '../../terminal/terminal.ts';
import { answer } from '../command.ts';
import type { OriginInput } from '../provenance/origin.ts';
import { refuse } from '../refuse.ts';
import type { FileStory, ResultStory, UploadStory } from './explain-file.ts';
import { explainFile } from './explain-file.ts';
import { codesText, explanationText } from './explain-text.ts';

export async function explainCommand(
  name: string | undefined,
  flags: ExplainFlags,
): Promise<number> {
  const json = flags.json === true;
  if (name !== undefined && isFile(name)) {
    const story = await explainFile(name, { state: flags.state, onWarning: caution });
    return answer(story, json, {
      text: fileStoryText,
      exitCode: ({ results, uploads }) => (results.length + uploads.length > 0 ? 0 : 1),
    });
  }
  if (name === undefined) {
    if (json) printJson(groups.flatMap(({ codes }) => Object.keys(codes)).map(factsOf));
    else print(`${codesText()}\n\nshotlist explain <code> shows a wrong and a right example.`);
    return 0;
  }
  const code = codeNamed(name);
  const explanation = explanations.get(code);
  if (explanation === undefined) {
    const hint = suggestion(code, explanations.keys()) ?? 'shotlist explain lists all codes';
    const what = `there is no code ${looksLikeCode(name) ? '' : 'and no file '}${JSON.stringify(name)}`;
    refuse(what, hint, 'shotlist explain');
  }
  if (json) printJson(factsOf(code));
  else print(explanationText(code, explanation, process.stdout.columns));
  return 0;
}

/** A name that looks like a code is one: `./12` is the file. */
const isFile = (name: string): boolean =>
  !looksLikeCode(name) && (/[./\\]/.test(name) || existsSync(name));

const looksLikeCode = (name: string): boolean => /^(?:sl)?\d{1,3}$/i.test(name);

/** `SL012`, however it is written: `sl012`, `12`. */
function codeNamed(name: string): string {
  const number = /^(?:sl)?(\d{1,3})$/i.exec(name)?.[1];
  return number === undefined ? name : `SL${number.padStart(3, '0')}`;
}

function factsOf(code: string): object {
  const explanation = explanations.get(code);
  if (explanation === undefined) throw new Error(`bug: there is no code ${code}`);
  const { title, meaning, warning = false, wrong, right } = explanation;
  const severity = warning ? 'warning' : 'error';
  return { code, severity, title, meaning, wrong: textOf(wrong), right: textOf(right) };
}

// The story of a file as text.

/** More results or inputs than this are only counted. */
const maxListed = 20;

function fileStoryText(story: FileStory): string {
  const { file, bytes, sha256, results, uploads, formerly, searched } = story;
  const head = `${file}: ${size(bytes)}, sha256 ${sha256}`;
  const parts = [
    ...results.slice(0, maxListed).map(resultText),
    ...more(results.length, 'result'),
    ...uploads.slice(0, maxListed).map(uploadText),
    ...more(uploads.length, 'upload'),
  ];
  if (parts.length === 0) parts.push(unknownText(formerly, searched));
  return printable([head, ...parts].join('\n\n'), true);
}

const more = (n: number, noun: string): readonly string[] =>
  n <= maxListed
    ? []
    : [`… and ${count(n - maxListed, noun)} more with this content (--json lists all)`];

function unknownText(formerly: readonly ResultStory[], searched: number): string {
  const [first] = formerly;
  if (first !== undefined)
    return (
      `No state file records this content, so the file was changed. ${first.state} records ` +
      `${first.task} under this name, with sha256 ${first.sha256}.\n\n${resultText(first)}`
    );
  return searched === 0
    ? 'Nobody recorded this file: there is no state file in this folder, the folders of the file, or above them. Name one with --state <file>.'
    : `Nobody recorded this file: ${searched === 1 ? 'the only state file' : `none of ${searched} state files`} in these folders has this content.`;
}

const uploadText = ({ pipeline, state, tasks, at }: UploadStory): string =>
  `An input of the pipeline ${pipeline} (${state}): uploaded as ${listed(tasks)}, last ${at}.`;

function resultText(story: ResultStory): string {
  const { pipeline, state, service, task, item, path, here, index, uses, tasks } = story;
  const { fingerprint, project, credits, attempts, past, run, origin } = story;
  const rehearsed = service === 'rehearsal';
  const rows: (readonly string[])[] = [
    ['pipeline', `${pipeline} (${state})`],
    ['service', rehearsed ? 'the local service, in a rehearsal' : service],
    ['made by', `${uses}, for ${listed(tasks)}`],
    ...(item === undefined ? [] : [['item', item]]),
    ['saved by', `${task}, as ${path}${here ? '' : ' (another name, the same content)'}`],
    ...(story.pruned === undefined ? [] : [['pruned', story.pruned]]),
    ...(index === 0 ? [] : [['download', `number ${index + 1} of the project`]]),
    ['project', `${project ?? 'none'}: ${story.status} since ${story.at}`],
    ...(run === undefined ? [] : [['run', `${run.number}, which began ${run.at}`]]),
    ['credits', `${credits}${rehearsed ? ', none of them real' : ''}`],
    ['attempts', attempts === 1 ? '1' : `${attempts}`],
    ...past.map(({ name, credits: cost, project: of }) => [
      '',
      `earlier: ${JSON.stringify(name)}${of === undefined ? '' : `, project ${of}`}, ${count(cost, 'credit')}`,
    ]),
    ['take', `${origin?.take ?? 1}`],
    ['fingerprint', fingerprint],
  ];
  return [
    table(origin === undefined ? rows.filter(([name]) => name !== 'take') : rows),
    madeOf(story),
  ].join('\n\n');
}

function madeOf({ origin }: ResultStory): string {
  if (origin === undefined)
    return '  Its inputs and parameters are not known: this checkout has no record of them. Each run keeps that record in .shotlist.';
  const parameters = valuesIn(origin.parameters);
  return [
    origin.inputs.length === 0
      ? '  It has no inputs.'
      : table([['inputs'], ...inputRows(origin.inputs, 0)]),
    ...(parameters.length === 0 ? [] : ['', table([['parameters'], ...parameters])]),
  ].join('\n');
}

function inputRows(inputs: readonly OriginInput[], depth: number): readonly (readonly string[])[] {
  const rows = inputs.slice(0, maxListed).flatMap((input) => {
    const { field, uses, file, sha256, output, fingerprint } = input;
    const made = uses === undefined ? `job ${fingerprint}` : `${output} of ${uses}`;
    const what = sha256 === undefined ? made : `${file ?? 'a file'}  sha256 ${sha256}`;
    const row = [`${'  '.repeat(depth)}${field}`, what];
    return [row, ...(depth < 4 ? inputRows(input.inputs ?? [], depth + 1) : [])];
  });
  const rest = inputs.length - maxListed;
  return rest <= 0 ? rows : [...rows, [`… and ${rest} more`]];
}

/** The values that the user set, or their defaults; those of other jobs are inputs. */
function valuesIn(value: Json | undefined, field = ''): readonly (readonly string[])[] {
  if (value === undefined) return [];
  if (typeof value === 'string' && valueOfJob(value) !== undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((entry, index) => valuesIn(entry, `${field}[${index}]`));
  if (isObject(value))
    return Object.entries(value).flatMap(([name, entry]) =>
      valuesIn(entry, field === '' ? name : `${field}.${name}`),
    );
  const text = JSON.stringify(value);
  return [[field, text.length > maxValueChars ? `${text.slice(0, maxValueChars)}…` : text]];
}

/** --json has the whole text. */
const maxValueChars = 200;

/** Hundreds of tasks can share one job. */
const listed = (tasks: readonly string[]): string =>
  tasks.length <= 3
    ? tasks.join(', ')
    : `${tasks.slice(0, 3).join(', ')} and ${tasks.length - 3} more`;
