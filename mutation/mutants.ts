// Mutants: small changes to the core, each of which a test should notice.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { digestOf } from '../src/base/digest.ts';

export interface Mutant {
  /** Relative to the root. */
  readonly file: string;
  readonly line: number;
  /** Where the change is in the file. */
  readonly at: number;
  readonly before: string;
  readonly after: string;
  /** The file, and the line around the change: what a list names it by, whatever is written above it. */
  readonly text: string;
}

const silent = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
};

/** Texts are left alone: most are messages, and a changed discriminant is a type error. */
const excludedMutations = ['StringLiteral'];

/** So many mutants of the files that a glob finds, all different, drawn by a seed. */
export async function drawMutants(
  glob: string,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<readonly Mutant[]> {
  const files = globSync(glob, { exclude: ['**/*-text.ts'] })
    .sort()
    .map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true }));
  const texts = new Map(files.map(({ name, content }) => [name, content]));
  const { mutants } = await new Instrumenter(silent).instrument(files, {
    plugins: null,
    excludedMutations,
    ignorers: [],
  });
  const seen = new Map<string, number>();
  const all = mutants.flatMap(({ fileName: file, location, replacement, status }): Mutant[] => {
    const content = texts.get(file);
    if (status === 'Ignored' || content === undefined || replacement === undefined) return [];
    const at = offsetOf(content, location.start);
    const before = content.slice(at, offsetOf(content, location.end));
    const shown = `${file}  ${inLine(content, at, before)}  →  ${oneLine(replacement)}`;
    const times = (seen.get(shown) ?? 0) + 1;
    seen.set(shown, times);
    const text = times === 1 ? shown : `${shown} (${times})`;
    return [{ file, line: location.start.line + 1, at, before, after: replacement, text }];
  });
  // A change of the sources moves only the mutants that it touches.
  const order = new Map(all.map((mutant) => [mutant, digestOf(`${seed} ${mutant.text}`)]));
  const sorted = all.sort((one, other) =>
    (order.get(one) ?? '') < (order.get(other) ?? '') ? -1 : 1,
  );
  const drawn: Mutant[] = [];
  for (const mutant of sorted) {
    if (drawn.length === count) break;
    if (isProgram(mutated(texts.get(mutant.file) ?? '', mutant))) drawn.push(mutant);
  }
  return drawn;
}

/** The line around the change, which stands in « ». */
function inLine(content: string, at: number, before: string): string {
  const [start = ''] = content.slice(0, at).split('\n').slice(-1);
  const [end = ''] = content.slice(at + before.length).split('\n');
  return `${start}«${oneLine(before)}»${end}`.trim();
}

const oneLine = (code: string): string => {
  const line = code.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
};

export const mutated = (text: string, { at, before, after }: Mutant): string =>
  text.slice(0, at) + after + text.slice(at + before.length);

/** Line and column count from 0. */
function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  let at = 0;
  for (let lines = 0; lines < line; lines++) at = text.indexOf('\n', at) + 1;
  return at + column;
}

function isProgram(text: string): boolean {
  try {
    stripTypeScriptTypes(text);
    return true;
  } catch {
    return false;
  }
}
