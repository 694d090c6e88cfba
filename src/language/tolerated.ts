// What a pipeline file says about failures: how much may go wrong before nothing more is bought.
import { isObject, type Json } from '../base/json.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Tolerated } from './pipeline.ts';
import type { PipelineDocument } from './schema.ts';
import type { Source } from './source.ts';

export function toleratedOf(document: PipelineDocument): Tolerated {
  const { on_failure: onFailure, max_failures: most, max_credits_lost: credits } = document;
  return {
    ...(typeof most === 'number' ? { items: most } : {}),
    ...(onFailure === 'stop' ? { items: 0 } : {}),
    ...(typeof most === 'string' ? { share: Number(most.slice(0, -1)) / 100 } : {}),
    ...(credits === undefined ? {} : { credits }),
  };
}

/** Two answers to one question are a mistake, even where they agree. */
export function checkTolerance(document: Json, source: Source): readonly Diagnostic[] {
  if (!isObject(document) || document['on_failure'] !== 'stop') return [];
  if (document['max_failures'] === undefined) return [];
  return [
    {
      severity: 'error',
      file: source.file,
      span: source.keySpanOf(['max_failures']),
      message: 'on_failure: stop allows no failure, so max_failures has nothing to say',
      hint: 'leave one of them out',
    },
  ];
}
