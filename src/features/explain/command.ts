// shotlist explain: what the code of a diagnostic means, and what to do about it.

import { wrapped } from '../../base/text.ts';
import { codeGroups, type Explanation, explanations } from '../../contract/codes.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import type { ExplainFlags } from '../../terminal/flags.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { refuse } from '../refuse.ts';

export function explainCommand(name: string | undefined, { json = false }: ExplainFlags): number {
  if (name === undefined) {
    if (json) printJson([...explanations].map(([code, facts]) => ({ code, ...facts })));
    else print(`${codesText()}\n\nshotlist explain <code> says what to do.`);
    return 0;
  }
  const code = codeNamed(name);
  const explanation = explanations.get(code);
  if (explanation === undefined) {
    const hint = suggestion(code, explanations.keys()) ?? 'shotlist explain lists all codes';
    refuse(`there is no code ${JSON.stringify(name)}`, hint, 'shotlist explain');
  }
  if (json) printJson({ code, ...explanation });
  else print(explanationText(code, explanation));
  return 0;
}

/** `SL012`, however it is written: `sl012`, `12`. */
function codeNamed(name: string): string {
  const number = /^(?:sl)?(\d{1,3})$/i.exec(name)?.[1];
  return number === undefined ? name : `SL${number.padStart(3, '0')}`;
}

/** All codes with their titles, by group. */
const codesText = (): string =>
  codeGroups
    .map(({ title, codes }) =>
      [title, ...[...codes].map(([code, entry]) => `  ${code}  ${entry.title}`)].join('\n'),
    )
    .join('\n\n');

function explanationText(code: string, { title, remedy }: Explanation): string {
  const width = Math.min(process.stdout.columns ?? 80, 100);
  return [`${code}: ${title}`, ...wrapped(remedy, width)].join('\n');
}
