// The order of the keys that `fmt` writes: at the top of a pipeline file, and in a step. Names that are not listed keep
// their order, after the listed ones.
import type { Collection, Entry, Layout, Value } from './layout-tree.ts';

/** `x-` stands for all keys that begin so: they hold anchors, which must come before their aliases. */
export const topKeys = [
  'pipeline',
  'description',
  'x-',
  'include',
  'inputs',
  'env',
  'items',
  'schedule',
  'budget',
  'confirm_above',
  'on_failure',
  'max_failures',
  'max_credits_lost',
  'limits',
  'defaults',
  'profiles',
  'output',
  'outputs',
  'provenance',
  'reuse',
  'service',
  'on_finish',
  'on_doubt',
  'steps',
] as const;

export const stepKeys = [
  '<<',
  'description',
  'for_each',
  'uses',
  'if',
  'needs',
  'on_missing',
  'estimate',
  'with',
  'extra',
  'keep',
  'retry',
  'timeout',
] as const;

/** The same file with its keys in order. Comments stay with their keys. */
export function inKeyOrder(layout: Layout): Layout {
  const root = layout.root.value;
  if (!isMap(root)) return layout;
  const entries = spaced(sorted(root.entries, topKeys), root.entries).map((entry) =>
    nameOf(entry) === 'steps' ? { ...entry, ...mapped(entry.value, stepsInOrder) } : entry,
  );
  return { ...layout, root: { ...layout.root, value: { ...root, entries } } };
}

const stepsInOrder = (steps: Collection): Collection => ({
  ...steps,
  entries: steps.entries.map((step) => ({
    ...step,
    ...mapped(step.value, (fields) => ({ ...fields, entries: sorted(fields.entries, stepKeys) })),
  })),
});

const isMap = (value: Value | undefined): value is Collection =>
  value?.kind === 'collection' && value.type === 'map';

const mapped = (
  value: Value | undefined,
  change: (map: Collection) => Collection,
): { readonly value?: Value } =>
  value === undefined ? {} : { value: isMap(value) ? change(value) : value };

function sorted(entries: readonly Entry[], keys: readonly string[]): readonly Entry[] {
  const rank = (entry: Entry): number => {
    const name = nameOf(entry);
    const at = keys.indexOf(name.startsWith('x-') ? 'x-' : name);
    return at < 0 ? keys.length : at;
  };
  return entries.toSorted((one, other) => rank(one) - rank(other));
}

const nameOf = ({ key = '' }: Entry): string => key.replace(/^(['"])(.*)\1$/, '$2');

/**
 * The first entry has no blank line before it, because nothing is above it. If it moves down among sections, it gets one.
 */
function spaced(entries: readonly Entry[], written: readonly Entry[]): readonly Entry[] {
  const [first] = written;
  if (entries[0] === first || !written.some(startsSection)) return entries;
  return entries.map((entry) => (entry === first ? asSection(entry) : entry));
}

const startsSection = ({ lead, blank }: Entry): boolean => lead[0]?.blank ?? blank;

function asSection(entry: Entry): Entry {
  const [first, ...rest] = entry.lead;
  return first === undefined
    ? { ...entry, blank: true }
    : { ...entry, lead: [{ ...first, blank: true }, ...rest] };
}
