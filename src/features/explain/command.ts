// shotlist explain: what the code of a diagnostic means, with a wrong and a right example.

import { explanations, groups } from '../../contract/codes/all.ts';
import { textOf } from '../../contract/codes/explanation.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import type { ExplainFlags } from '../../terminal/flags.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { refuse } from '../refuse.ts';
import { codesText, explanationText } from './explain-text.ts';

export function explainCommand(name: string | undefined, { json = false }: ExplainFlags): number {
  if (name === undefined) {
    if (json) printJson(groups.flatMap(({ codes }) => Object.keys(codes)).map(factsOf));
    else print(`${codesText()}\n\nshotlist explain <code> shows a wrong and a right example.`);
    return 0;
  }
  const code = codeNamed(name);
  const explanation = explanations.get(code);
  if (explanation === undefined) {
    const hint = suggestion(code, explanations.keys()) ?? 'shotlist explain lists all codes';
    refuse(`there is no code ${JSON.stringify(name)}`, hint, 'shotlist explain');
  }
  if (json) printJson(factsOf(code));
  else print(explanationText(code, explanation, process.stdout.columns));
  return 0;
}

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
