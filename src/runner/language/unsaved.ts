// A tool step is paid for: a result that nobody fetches or uses is most likely a slip.
import { isObject } from '../../contract/base/json.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { Source } from '../../contract/yaml/source.ts';
import { type Draft, plainField } from './draft.ts';

/** Warnings about tool steps at the end of their branch, and errors about `keep:` where it says nothing. */
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
    const onEvent = (
      severity: Diagnostic['severity'],
      key: readonly string[],
      message: string,
      hint: string,
    ): readonly Diagnostic[] => [
      {
        severity,
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
        ? onEvent(
            'error',
            ['keep'],
            `keep: is for tool steps, not for ${kind.name}`,
            'remove keep:',
          )
        : [];
    if (kept || draft.never || read.has(name) || saved.has(name)) return [];
    return onEvent(
      'warning',
      [],
      'nothing downloads its result; the credits are spent and the result stays at the service',
      `add a download step: { uses: download, with: { of: ${name}, to: … } }, or say keep: remote on the step`,
    );
  });
}
