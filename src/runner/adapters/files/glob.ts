// A glob as people mean it in a folder of media: case is ignored, "(1)" is a part of a name, "/" is the only separator.
import picomatch from 'picomatch';
import { err, ok, type Result } from '../../../contract/base/result.ts';

/** Whether a path with "/" between its names is meant. */
export type Match = (path: string) => boolean;

export interface GlobOptions {
  /** "*" matches a name that begins with a dot too. */
  readonly dot?: boolean;
}

/** Errors: the end of a sentence about the glob. */
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

/** A glob between its slashes; groups keep theirs. */
export function partsOf(glob: string): readonly string[] {
  const { parts = [] } = picomatch.scan(glob, { parts: true });
  return parts.length > 0 ? parts : [glob];
}

/**
 * Escapes parentheses that belong to no `@(…)`, `+(…)`, `*(…)`, `?(…)` or `!(…)`. Cameras and browsers write them into
 * names, and the library would take them for a regular expression, which a name can make run for hours.
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
