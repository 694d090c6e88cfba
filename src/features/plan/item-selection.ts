// Which items and which steps a command covers.
import type { ItemFilter, ItemList } from '../../files/items.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { standingFailures } from '../../model/failures.ts';
import type { Ledger } from '../../model/ledger.ts';
import { fannedOutIn, itemOf } from '../../model/task.ts';
import { stepsExcludedBy } from '../../plan/step-selection.ts';

export interface SelectionOptions {
  readonly items?: ItemFilter | undefined;
  /** `--only`: begin only these steps, and the free steps that they need. */
  readonly only?: readonly string[] | undefined;
  /** `--until`: these steps, and all steps that they need. */
  readonly until?: readonly string[] | undefined;
  /** `--exclude`: a step's name, else a glob of item keys. */
  readonly exclude?: readonly string[] | undefined;
  /** `--retry-failed`: only items with tasks that failed. */
  readonly retryFailed?: boolean | undefined;
}

export interface Selection {
  /** Steps that `--only`, `--until` and `--exclude` exclude. */
  readonly excluded: ReadonlySet<string>;
  readonly filter: ItemFilter;
  /** Only items with tasks that failed. */
  readonly retryFailed: boolean;
}

/** In characters: the matcher accepts no longer patterns. */
const longestPattern = 65_536;

/** Why a pattern cannot be matched, and what to do; undefined if it can. `where` names its source. */
export function patternProblem(
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
  if (pattern === undefined || pattern.length <= longestPattern) return undefined;
  return {
    message: `${where}: the pattern "${pattern.slice(0, 40)}…" has ${pattern.length} characters; at most ${longestPattern} are allowed`,
    hint: 'use a shorter pattern, with wildcards',
  };
}

/** Separates excluded steps from excluded items. */
export function selectionOf(pipeline: Pipeline, options: SelectionOptions): Selection {
  const { items = {}, only, until, exclude = [] } = options;
  const names = new Set(pipeline.steps.map(({ name }) => name));
  const steps = exclude.filter((name) => names.has(name));
  const except = exclude.filter((name) => !names.has(name));
  const unusable =
    patternProblem('--items', items.only) ??
    except.map((one) => patternProblem('--exclude', one)).find((why) => why !== undefined);
  if (unusable !== undefined)
    throw new Refusal(problem(unusable.message, 'shotlist', unusable.hint));
  const out = stepsExcludedBy(pipeline.steps, { only, until, exclude: steps });
  if (!out.ok) throw new Refusal(problem(out.error));
  if (except.length > 0 && pipeline.items.kind === 'one')
    throw new Refusal(
      problem(
        `--exclude ${except[0]}: there is no such step`,
        'shotlist',
        'the pipeline has no items',
      ),
    );
  return {
    excluded: out.value,
    filter: { ...items, ...(except.length > 0 ? { except } : {}) },
    retryFailed: options.retryFailed ?? false,
  };
}

/**
 * The keys of the items with tasks that failed. Undefined if a shared task failed, because that concerns every item.
 */
export function failedItems(
  ledger: Ledger,
  { steps }: Pick<Pipeline, 'steps'>,
): ReadonlySet<string> | undefined {
  const isFannedOut = fannedOutIn(steps);
  const keys = new Set<string>();
  for (const task of standingFailures(ledger).flatMap(({ tasks }) => tasks)) {
    const key = itemOf(task, isFannedOut(task));
    if (key === undefined) return undefined;
    keys.add(key);
  }
  return keys;
}

/** With `--retry-failed` and no failed item, the shared steps are not begun either. */
export function excludedSteps(
  { steps }: Pipeline,
  { excluded: out, retryFailed }: Selection,
  { count }: ItemList,
): ReadonlySet<string> {
  return retryFailed && count === 0 ? new Set(steps.map(({ name }) => name)) : out;
}
