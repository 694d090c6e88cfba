// Mutants: small changes to the core, each of which a test should notice.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { chanceOf } from '../src/base/chance.ts';

export interface Mutant {
  /** Relative to the root. */
  readonly file: string;
  readonly line: number;
  /** Where the change is in the file. */
  readonly at: number;
  readonly before: string;
  readonly after: string;
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
  const left = mutants.flatMap(({ fileName: file, location, replacement, status }) => {
    const text = texts.get(file);
    if (status === 'Ignored' || text === undefined || replacement === undefined) return [];
    const at = offsetOf(text, location.start);
    const before = text.slice(at, offsetOf(text, location.end));
    return [{ file, line: location.start.line + 1, at, before, after: replacement }];
  });
  const chance = chanceOf(seed, 0);
  const drawn: Mutant[] = [];
  while (drawn.length < count && left.length > 0) {
    const [mutant] = left.splice(Math.floor(chance() * left.length), 1);
    if (mutant !== undefined && isProgram(mutated(texts.get(mutant.file) ?? '', mutant)))
      drawn.push(mutant);
  }
  return drawn;
}

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
