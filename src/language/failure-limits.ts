// The failure limits of a pipeline: how much may fail before a run stops buying.
import type { JsonObject } from '../base/json.ts';
import { type Diagnostic, errorAt } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { FailureLimits } from './pipeline.ts';
import type { PipelineDocument } from './schema.ts';

export function failureLimitsOf(document: PipelineDocument): FailureLimits {
  const { on_failure: onFailure, max_failures: limit, max_credits_lost: credits } = document;
  const items = typeof limit === 'number' ? limit : undefined;
  return {
    items: onFailure === 'stop' ? 0 : items,
    share: typeof limit === 'string' ? Number(limit.slice(0, -1)) / 100 : undefined,
    credits,
  };
}

/**
 * The reason to stop buying after so many failed items, or undefined. `total` is the number of
 * items in the run.
 */
export function tooManyFailed(
  { items, share }: FailureLimits,
  failed: number,
  total: number,
): string | undefined {
  const those = failed === 1 ? '1 item' : `${failed} items`;
  if (items !== undefined && failed > items)
    return `${those} failed, and on_failure or max_failures allows ${items}`;
  if (share !== undefined && failed > share * total)
    return `${those} of ${total} failed, and max_failures allows ${Number((share * 100).toFixed(4))}%`;
  return undefined;
}

/** Two settings for one question are a mistake, even if they agree. */
export function* checkFailureLimits(document: JsonObject, source: Source): Generator<Diagnostic> {
  if (document['on_failure'] === 'stop' && document['max_failures'] !== undefined)
    yield errorAt(source.file, source.keySpanOf(['max_failures']), {
      code: 'SL114',
      message: 'on_failure: stop allows no failure, so max_failures has no effect',
      hint: 'remove one of them',
    });
}
