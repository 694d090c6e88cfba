// Warns about tool steps whose paid result no step downloads or uses, which is probably a mistake.
import { isObject } from '../../contract/base/json.ts';
import type { Code } from '../../contract/codes/all.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { Source } from '../../contract/yaml/source.ts';
import { type Draft, plainField } from './draft.ts';

/** Warnings about tool steps without a use, and errors about `keep:` on other steps. */
export function checkKept(
  drafts: ReadonlyMap<string, Draft>,
  source: Source,
): readonly Diagnostic[] {
  const read = new Set<string>();
  const saved = new Set<string>();
  for (const draft of drafts.values()) {
    for (const { root, key } of draft.references)
      if (root === 'steps' && key !== undefined) read.add(key);
    const of = plainField(draft, 'of');
    if (draft.kind?.operation === 'download' && of !== undefined) saved.add(of);
  }
  return [...drafts.values()].flatMap((draft): readonly Diagnostic[] => {
    const { name, kind, raw } = draft;
    const about = (
      severity: Diagnostic['severity'],
      code: Code,
      key: readonly string[],
      message: string,
      hint: string,
    ): readonly Diagnostic[] => [
      {
        severity,
        code,
        file: source.file,
        span: source.keySpanOf(['steps', name, ...key]),
        message: `step "${name}": ${message}`,
        hint,
      },
    ];
    const kept = isObject(raw) && raw['keep'] === 'remote';
    if (kind === undefined) return [];
    if (kind.operation !== 'create')
      return kept
        ? about(
            'error',
            'SL111',
            ['keep'],
            `keep: is for tool steps, not for ${kind.name}`,
            'remove keep:',
          )
        : [];
    if (kept || draft.never || read.has(name) || saved.has(name)) return [];
    return about(
      'warning',
      'SL601',
      [],
      'no step downloads its result; the credits are spent, and the result stays at the service',
      `add a download step: { uses: download, with: { of: ${name}, to: … } }, or set keep: remote on the step`,
    );
  });
}
