// The order in which the problems of a pipeline are shown: the pipeline file first, then what it
// includes, from top to bottom.
import { type Diagnostic, located } from '../../contract/yaml/diagnostic.ts';

/** With the file that each problem is in. `file`: the pipeline file. */
export function inOrder(diagnostics: readonly Diagnostic[], file: string): readonly Diagnostic[] {
  return once(diagnostics.map(located)).toSorted(
    (a, b) =>
      Number(a.file !== file) - Number(b.file !== file) ||
      (a.file === b.file ? 0 : a.file < b.file ? -1 : 1) ||
      (a.span?.line ?? 0) - (b.span?.line ?? 0) ||
      (a.span?.column ?? 0) - (b.span?.column ?? 0),
  );
}

/** A mistake in a default or an anchor is in every step that gets the value, and is one mistake. */
function once(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ file, span, message, hint }) => {
    if (span === undefined) return true;
    const said = message.replace(/^step "[^"]*"/, '');
    const key = JSON.stringify([file, span, said, hint]);
    return !seen.has(key) && seen.add(key);
  });
}
