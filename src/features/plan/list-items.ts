// The items that a command covers, or why there are none.
import type { Digest } from '../../base/digest.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Diagnostic, suggestion } from '../../contract/yaml/diagnostic.ts';
import type { Boundary } from '../../files/boundary.ts';
import type { FileStamps } from '../../files/file-stamps.ts';
import type { ItemListProblem } from '../../files/item-source.ts';
import { type ItemFilter, type ItemList, listItems } from '../../files/items.ts';
import { checkColumns } from '../../language/item-fields.ts';
import { measuredUses } from '../../language/item-fields.ts';
import type { MeasuredField } from '../../language/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { Refusal } from '../../language/load/refusal.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { Disk } from '../../run/jobs/ports.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { failedItems, patternProblem, type Selection } from './item-selection.ts';

export interface ListingFacts {
  readonly boundary: Boundary;
  readonly ledger: Ledger;
  /** Knows the hashes of files. */
  readonly disk?: Pick<Disk, 'input' | 'digest'>;
  /** The fields to read from the files; default: those that the pipeline uses. */
  readonly measured?: ReadonlySet<MeasuredField>;
  /** Of the files that are measured. */
  readonly stamps?: Pick<FileStamps, 'look'> | undefined;
}

export async function listSelected(
  bound: BoundPipeline,
  { output }: Pick<RunPaths, 'output'>,
  { filter, retryFailed }: Selection,
  { boundary, ledger, disk, stamps, measured = measuredUses(bound.pipeline) }: ListingFacts,
): Promise<ItemList> {
  const { pipeline, folder, file, base } = bound;
  const { items, source } = pipeline;
  const keys = retryFailed ? failedItems(ledger, pipeline) : undefined;
  const selected = keys === undefined ? filter : { ...filter, keys };
  const unusable = (items.kind === 'glob' ? items.patterns : [])
    .map((pattern) => patternProblem('items.glob', pattern))
    .find((why) => why !== undefined);
  const listed: Result<ItemList, readonly ItemListProblem[]> =
    unusable === undefined
      ? await listItems(items, folder, output, selected, {
          ...{ base, file, measured },
          onMeasure: (path) => stamps?.look(path),
          barred: (real) => boundary.folderRefusal(real),
          refusal: (path) => boundary.refusal(path),
          spanOf: (path) => source.spanOf(path),
          spanInside: (...place) => source.spanInside(...place),
          checkColumns: (columns) => checkColumns(pipeline, columns),
          ...(disk === undefined ? {} : { digest: (path) => digestBy(disk, path) }),
        })
      : err([{ code: 'SL106' as const, ...unusable }]);
  if (listed.ok) return listed.value;
  const span = source.spanOf(['items']);
  const diagnostics = listed.error.map((problem): Diagnostic => {
    const hint = stepMeant(problem.message, filter, pipeline) ?? problem.hint;
    return { severity: 'error', file, span, ...problem, hint };
  });
  throw new Refusal({ reason: 'input', text: source.text, diagnostics });
}

async function digestBy(
  disk: Pick<Disk, 'input' | 'digest'>,
  path: string,
): Promise<Result<Digest, string>> {
  const fact = disk.input(path);
  if (fact.is === 'absent') return err(fact.why);
  return fact.digest === undefined ? await disk.digest({ in: 'input', path }) : ok(fact.digest);
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
