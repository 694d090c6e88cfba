// Globs for folders of media: case is ignored, "(1)" is part of a name, and "/" is the only separator.
import picomatch from 'picomatch';
import { err, ok, type Result } from '../base/result.ts';

/** Whether the glob matches a path, with "/" between its names. */
export type Match = (path: string) => boolean;

interface GlobOptions {
  /** "*" also matches a name that begins with a dot. */
  readonly dot?: boolean;
}

/** The error is the end of a sentence about the glob. */
export function matchOf(glob: string, { dot = false }: GlobOptions = {}): Result<Match, string> {
  if (glob === '') return err('is empty');
  try {
    const matches = picomatch(literalParentheses(glob), {
      dot,
      nocase: true,
      windows: false,
      nonegate: true,
    });
    return ok((path) => matches(path));
  } catch (error) {
    return err(`is not a glob: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A pattern, and how many paths it has matched. */
export interface CountedPattern {
  readonly pattern: string;
  readonly matches: Match;
  hits: number;
}

/** True if a pattern matches. Counts a hit of every one that does. */
export function matchesOne(path: string, patterns: readonly CountedPattern[]): boolean {
  const by = patterns.filter(({ matches }) => matches(path));
  for (const one of by) one.hits += 1;
  return by.length > 0;
}

/** Splits a glob at its slashes, but not inside groups. */
export function partsOf(glob: string): readonly string[] {
  const { parts = [] } = picomatch.scan(glob, { parts: true });
  return parts.length > 0 ? parts : [glob];
}

/**
 * Escapes parentheses that do not belong to `@(…)`, `+(…)`, `*(…)`, `?(…)` or `!(…)`. Cameras and browsers write
 * parentheses into names. The library would read them as a regular expression, and a crafted name could keep that
 * expression busy for hours.
 */
function literalParentheses(glob: string): string {
  const groups: boolean[] = [];
  return glob.replace(/\\.|\[[^\]]*\]|([@+*?!]?)\(|\)/gs, (found, before: string | undefined) => {
    if (found === ')') return groups.pop() === true ? ')' : '\\)';
    if (!found.endsWith('(') || found.startsWith('\\') || found.startsWith('[')) return found;
    groups.push(before !== '');
    return before === '' ? '\\(' : found;
  });
}
