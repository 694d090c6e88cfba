// The items and the steps that a command covers, or why there are none.
import type { Digest } from '../../base/digest.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Diagnostic, suggestion } from '../../contract/yaml/diagnostic.ts';
import type { Disk } from '../../core/ports.ts';
import { stepsExcludedBy } from '../../core/step-selection.ts';
import type { Boundary } from '../../files/boundary.ts';
import type { ItemListProblem } from '../../files/item-source.ts';
import { type ItemFilter, type ItemList, listItems } from '../../files/items.ts';
import { checkColumns, measuredUses } from '../../language/item-fields.ts';
import type { MeasuredField } from '../../language/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { Refusal } from '../../language/load/refusal.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { refuse } from '../refuse.ts';

export interface SelectionOptions {
  readonly items?: ItemFilter | undefined;
  /** `--only`: begin only these steps, and the free steps that they need. */
  readonly only?: readonly string[] | undefined;
  /** `--until`: these steps, and all steps that they need. */
  readonly until?: readonly string[] | undefined;
  /** `--exclude`: a step's name, else a glob of item keys. */
  readonly exclude?: readonly string[] | undefined;
}

interface Selection {
  /** Steps that `--only`, `--until` and `--exclude` exclude. */
  readonly excluded: ReadonlySet<string>;
  readonly filter: ItemFilter;
}

/** The matcher accepts no longer patterns. */
const maxPatternChars = 65_536;

/** Why a pattern cannot be matched, and what to do; undefined if it can. `where` names its source. */
function patternProblem(
  where: '--items' | '--exclude' | 'items.glob',
  pattern: string | undefined,
): { readonly message: string; readonly hint: string } | undefined {
  if (pattern === '')
    return {
      message: `${where}: the pattern is empty, so it matches nothing`,
      hint:
        where === 'items.glob'
          ? 'write a glob of files, such as "photos/*.jpg"'
          : 'write a glob of item keys, such as "2026/*.jpg", or omit the option',
    };
  if (pattern === undefined || pattern.length <= maxPatternChars) return undefined;
  return {
    message: `${where}: the pattern "${pattern.slice(0, 40)}…" has ${pattern.length} characters; at most ${maxPatternChars} are allowed`,
    hint: 'use a shorter pattern, with wildcards',
  };
}

const isDefined = (value: unknown): boolean => value !== undefined;

/** Separates excluded steps from excluded items. */
export function selectionOf(pipeline: Pipeline, options: SelectionOptions): Selection {
  const { items = {}, only, until, exclude = [] } = options;
  const names = new Set(pipeline.steps.map(({ name }) => name));
  const steps = exclude.filter((name) => names.has(name));
  const except = exclude.filter((name) => !names.has(name));
  const unusable =
    [items.only ?? []]
      .flat()
      .map((one) => patternProblem('--items', one))
      .find(isDefined) ?? except.map((one) => patternProblem('--exclude', one)).find(isDefined);
  if (unusable !== undefined) refuse(unusable.message, unusable.hint);
  const out = stepsExcludedBy(pipeline.steps, { only, until, exclude: steps });
  if (!out.ok) refuse(out.error);
  if (except.length > 0 && pipeline.items.kind === 'one')
    refuse(`--exclude ${except[0]}: there is no such step`, 'the pipeline has no items');
  return {
    excluded: out.value,
    filter: { ...items, ...(except.length > 0 ? { except } : {}) },
  };
}

export interface ListingFacts {
  readonly boundary: Boundary;
  /** Knows the hashes of files. */
  readonly disk?: Pick<Disk, 'input' | 'digest'>;
  /** The fields to read from the files; default: those that the pipeline uses. */
  readonly measured?: ReadonlySet<MeasuredField>;
}

export async function listSelected(
  bound: BoundPipeline,
  { output }: Pick<RunPaths, 'output'>,
  filter: ItemFilter,
  { boundary, disk, measured = measuredUses(bound.pipeline) }: ListingFacts,
): Promise<ItemList> {
  const { pipeline, folder, file, base } = bound;
  const { items, source } = pipeline;
  const unusable = (items.kind === 'glob' ? items.patterns : [])
    .map((pattern) => patternProblem('items.glob', pattern))
    .find((why) => why !== undefined);
  const listed: Result<ItemList, readonly ItemListProblem[]> =
    unusable === undefined
      ? await listItems(items, folder, output, filter, {
          base,
          file,
          measured,
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
