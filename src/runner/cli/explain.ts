// shotlist explain: what the code of a diagnostic means, with a wrong and a right example, or where a file comes from.

import { existsSync } from 'node:fs';
import { explanations, groups } from '../../contract/codes/all.ts';
import { textOf } from '../../contract/codes/explanation.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import { explainFile } from '../operations/explain-file.ts';
import { problem } from '../operations/pipeline/problem.ts';
import { codesText, explanationText } from '../report/explain-text.ts';
import { fileStoryText } from '../report/file-story-text.ts';
import { answer } from './command.ts';
import type { ExplainFlags } from './flags.ts';
import { caution, fail, print, printJson } from './terminal.ts';

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
    return fail(problem(what, 'shotlist explain', hint), json);
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
