// Checks `limits:` beyond its shape.
import { isObject, type Json } from '../../contract/base/json.ts';
import { kindNamed, kinds } from '../../contract/kinds/all.ts';
import { type Diagnostic, suggestion } from '../../contract/yaml/diagnostic.ts';
import type { Source } from '../../contract/yaml/source.ts';

/** `limits.steps` names step kinds, not steps. A wrong name would silently limit nothing. */
export function checkLimits(document: Json, source: Source): readonly Diagnostic[] {
  const limits =
    isObject(document) && isObject(document['limits']) ? document['limits']['steps'] : undefined;
  const names = isObject(limits) ? Object.keys(limits) : [];
  return names
    .filter((name) => kindNamed(name) === undefined)
    .map((name): Diagnostic => {
      const hint =
        suggestion(
          name,
          kinds.map((kind) => kind.name),
        ) ?? 'shotlist tools lists the step kinds';
      const span = source.keySpanOf(['limits', 'steps', name]);
      const message = `limits.steps: ${JSON.stringify(name)} is not a step kind`;
      return { severity: 'error', code: 'SL110', file: source.file, span, message, hint };
    });
}
