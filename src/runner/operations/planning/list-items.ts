// The items that a command covers, or why there are none.
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { suggestion } from '../../../contract/yaml/diagnostic.ts';
import type { Boundary } from '../../adapters/files/boundary.ts';
import {
  type ItemFilter,
  type ItemList,
  type ItemListProblem,
  listItems,
} from '../../adapters/files/items.ts';
import type { Ledger } from '../../journal/ledger.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import type { RunPaths } from '../files/run-paths.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';
import type { Problem } from '../pipeline/problem.ts';
import { failedItems, patternProblem, type Selection } from './item-selection.ts';

export async function listSelected(
  { pipeline, folder, file }: BoundPipeline,
  { output }: RunPaths,
  { filter, retryFailed }: Selection,
  { boundary, ledger }: { readonly boundary: Boundary; readonly ledger: Ledger },
): Promise<Result<ItemList, Problem>> {
  const keys = retryFailed ? failedItems(ledger) : undefined;
  const selected = keys === undefined ? filter : { ...filter, keys };
  const unusable =
    pipeline.items.kind === 'glob'
      ? patternProblem('items.glob', pipeline.items.pattern)
      : undefined;
  const items: Result<ItemList, ItemListProblem> =
    unusable === undefined
      ? await listItems(pipeline.items, folder, output, selected, (real) =>
          boundary.folderRefusal(real),
        )
      : err({ code: 'SL106', ...unusable });
  if (items.ok) return ok(items.value);
  const { code, message } = items.error;
  const hint = stepMeant(message, filter, pipeline) ?? items.error.hint;
  const span = pipeline.source.spanOf(['items']);
  return err({
    reason: 'input',
    text: pipeline.source.text,
    diagnostics: [
      { severity: 'error', code, file, span, message, ...(hint === undefined ? {} : { hint }) },
    ],
  });
}

/** An `--exclude` that matches no item may be a misspelled step. */
function stepMeant(
  error: string,
  { except = [] }: ItemFilter,
  { steps }: Pipeline,
): string | undefined {
  const idle = except.find((pattern) => error.startsWith(`--exclude ${pattern}:`));
  const names = steps.map(({ name }) => name);
  return idle === undefined ? undefined : suggestion(idle, names);
}
