// A value with the places where its parts were written. Included fragments, profiles and defaults
// are merged as such values, so that a problem in a merged value is shown where the value comes
// from.
import { isObject, type Json } from '../../base/json.ts';
import {
  type Diagnostic,
  errorAt,
  type Finding,
  type Path,
  type Span,
} from '../../contract/yaml/diagnostic.ts';
import type { Source } from '../../contract/yaml/source.ts';

interface Origin {
  readonly source: Source;
  /** In the source. */
  readonly path: Path;
}

export type Placed =
  /** Written as it is; the parts of the value are at the same paths below `path`. */
  | (Origin & { readonly kind: 'part'; readonly value: Json })
  | (Origin & { readonly kind: 'object'; readonly members: Members })
  | (Origin & { readonly kind: 'list'; readonly items: readonly Placed[] });

export type Members = ReadonlyMap<string, Placed>;

export const placedRoot = (source: Source): Placed => partAt(source, [], source.value);

const partAt = (source: Source, path: Path, value: Json): Placed => ({
  kind: 'part',
  source,
  path,
  value,
});

/** An object with these members; it is at the place of another value. */
export const objectAt = ({ source, path }: Placed, members: Members): Placed => ({
  kind: 'object',
  source,
  path,
  members,
});

/** Another value at the same place. */
export const valueAt = ({ source, path }: Placed, value: Json): Placed =>
  partAt(source, path, value);

/** The members of an object; undefined for other values. */
export function membersOf(placed: Placed | undefined): Members | undefined {
  if (placed?.kind === 'object') return placed.members;
  if (placed?.kind !== 'part' || !isObject(placed.value)) return undefined;
  const { source, path, value } = placed;
  return new Map(
    Object.entries(value).map(([key, member]) => [key, partAt(source, [...path, key], member)]),
  );
}

/** The entries of a list; undefined for other values. */
export function itemsOf(placed: Placed | undefined): readonly Placed[] | undefined {
  if (placed?.kind === 'list') return placed.items;
  if (placed?.kind !== 'part' || !Array.isArray(placed.value)) return undefined;
  const { source, path, value } = placed;
  return value.map((item: Json, index) => partAt(source, [...path, index], item));
}

export const memberOf = (
  placed: Placed | undefined,
  ...keys: readonly string[]
): Placed | undefined =>
  keys.reduce<Placed | undefined>((outer, key) => membersOf(outer)?.get(key), placed);

export function jsonOf(placed: Placed): Json {
  switch (placed.kind) {
    case 'part':
      return placed.value;
    case 'object':
      return Object.fromEntries([...placed.members].map(([key, member]) => [key, jsonOf(member)]));
    case 'list':
      return placed.items.map(jsonOf);
  }
}

const isNull = (placed: Placed): boolean => placed.kind === 'part' && placed.value === null;

/** The value if it is a text. */
export const textOf = (placed: Placed | undefined): string | undefined =>
  placed?.kind === 'part' && typeof placed.value === 'string' ? placed.value : undefined;

/**
 * One value over another. Objects are merged key by key; other values and lists replace what is
 * below. `null` removes what is below; where nothing is below, it stays as it was written. A merged
 * object is at the place of `home`.
 */
export function merged(below: Placed, over: Placed, home: 'below' | 'over'): Placed {
  const [base, more] = [membersOf(below), membersOf(over)];
  if (base === undefined || more === undefined) return over;
  const members = new Map(base);
  for (const [key, value] of more) {
    const own = base.get(key);
    if (own !== undefined && isNull(value)) members.delete(key);
    else members.set(key, own === undefined ? value : merged(own, value, home));
  }
  return objectAt(home === 'over' ? over : below, members);
}

/** Changes texts; a value without a changed text stays the same value. */
export function mapTexts(
  placed: Placed,
  change: (text: string, at: Placed, within: Path) => Placed,
  within: Path = [],
): Placed {
  const text = textOf(placed);
  if (text !== undefined) return change(text, placed, within);
  let changed = false;
  const inner = (member: Placed, key: string | number): Placed => {
    const after = mapTexts(member, change, [...within, key]);
    if (after !== member) changed = true;
    return after;
  };
  const items = itemsOf(placed)?.map(inner);
  if (items !== undefined)
    return changed ? { kind: 'list', source: placed.source, path: placed.path, items } : placed;
  const members = membersOf(placed);
  if (members === undefined) return placed;
  const after = new Map([...members].map(([key, member]) => [key, inner(member, key)]));
  return changed ? objectAt(placed, after) : placed;
}

/** An error at a value, or at its key. In a diagnostic about another file, the place has the name of its own file. */
export function errorAtPlaced(
  { source, path }: Placed,
  what: 'value' | 'key',
  finding: Finding,
  main: Source = source,
): Diagnostic {
  const span = what === 'key' ? source.keySpanOf(path) : source.spanOf(path);
  return errorAt(main.file, inFile(span, source, main), finding);
}

const inFile = (span: Span, source: Source, main: Source): Span =>
  source === main ? span : { ...span, file: source.file };

/** A source with the merged value, and the places where its parts were written. */
export function sourceOf(root: Placed, main: Source): Source {
  return {
    file: main.file,
    text: main.text,
    value: jsonOf(root),
    spanOf: (path) => {
      const { source, path: at } = originOf(root, path);
      return inFile(source.spanOf(at), source, main);
    },
    keySpanOf: (path) => {
      const { source, path: at } = originOf(root, path);
      return inFile(source.keySpanOf(at), source, main);
    },
    spanInside: (path, part, start, end) => {
      const { source, path: at } = originOf(root, path);
      return inFile(source.spanInside(at, part, start, end), source, main);
    },
  };
}

/** Where the value at a path was written, or would have been. */
function originOf(root: Placed, path: Path): Origin {
  let placed = root;
  for (const [depth, key] of path.entries()) {
    const next =
      placed.kind === 'object'
        ? placed.members.get(String(key))
        : placed.kind === 'list'
          ? placed.items[Number(key)]
          : undefined;
    if (next === undefined)
      return { source: placed.source, path: [...placed.path, ...path.slice(depth)] };
    placed = next;
  }
  return placed;
}
