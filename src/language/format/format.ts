// `fmt`: the one layout of a pipeline file. Two spaces, the keys in order, everything else as it is written. There are no
// options. A formatter may change no meaning, so the result is checked: it has the same value and the same comments, and
// formatting it again changes nothing.

import { Lexer } from 'yaml';
import { canonical } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { parseSource } from '../../contract/yaml/source.ts';
import { printLayout } from './print-layout.ts';
import { type Collection, type Entry, type Layout, readLayout, type Value } from './read-layout.ts';

/** The error has the mistakes in the YAML. `file` is only for messages. */
export function format(file: string, text: string): Result<string, readonly Diagnostic[]> {
  const parsed = parseSource(file, text);
  if (!parsed.ok) return parsed;
  const plain = plainText(text);
  // Nothing but comments.
  if (parsed.value.value === null) return ok(asWritten(plain, text));
  const layout = readLayout(plain);
  if (!layout.ok) return err([unable(file, layout.error)]);
  const meaning = canonical(parsed.value.value);
  // An alias can be before its anchor only in another order.
  for (const arranged of [inKeyOrder(layout.value), layout.value]) {
    const printed = printLayout(arranged);
    if (isSame(file, plain, printed, meaning) && isStable(printed, arranged !== layout.value))
      return ok(asWritten(printed, text));
  }
  return err([unable(file, 'has a layout that fmt cannot keep')]);
}

const unable = (file: string, why: string): Diagnostic => ({
  severity: 'error',
  code: 'SL026',
  file,
  message: `the file ${why}; it was left as it is`,
  hint: 'write the values as plain maps and lists, and comments on lines of their own',
});

/** Line feeds only, and one at the end. The parser reports the mark at the beginning by itself. */
function plainText(text: string): string {
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  return plain.endsWith('\n') ? plain : `${plain}\n`;
}

/** The mark at the beginning and the line ends stay: editors and git choose them. */
function asWritten(printed: string, text: string): string {
  const ends = /\r\n/.test(text) ? printed.replaceAll('\n', '\r\n') : printed;
  return text.startsWith('\ufeff') ? `\ufeff${ends}` : ends;
}

function isSame(file: string, before: string, after: string, meaning: string): boolean {
  const parsed = parseSource(file, after);
  if (!parsed.ok || canonical(parsed.value.value) !== meaning) return false;
  return commentsIn(after).toSorted().join('\n') === commentsIn(before).toSorted().join('\n');
}

function isStable(printed: string, ordered: boolean): boolean {
  const again = readLayout(printed);
  if (!again.ok) return false;
  const arranged: Layout = ordered ? inKeyOrder(again.value) : again.value;
  return printLayout(arranged) === printed;
}

// The comments of a YAML text, in order.

const commentsIn = (text: string): readonly string[] =>
  [...new Lexer().lex(text)]
    .filter((token) => token.startsWith('#'))
    .map((comment) => comment.trimEnd());

// The order of the keys that `fmt` writes: at the top of a pipeline file, and in a step. Names that are not listed keep
// their order, after the listed ones.

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
function inKeyOrder(layout: Layout): Layout {
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
