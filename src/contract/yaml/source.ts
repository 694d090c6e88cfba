// YAML text with the place of every value.
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
} from 'yaml';
import type { Json } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Diagnostic, errorAt, type Path, type Span } from './diagnostic.ts';
import { plainValue } from './plain-value.ts';
import { type YamlProblem, yamlProblemsOf } from './yaml-problem.ts';

export interface Source {
  readonly file: string;
  readonly text: string;
  readonly value: Json;
  /** The place of a value; if the value is missing, the place of its nearest parent's key. */
  spanOf(path: Path): Span;
  /** The place of a key. */
  keySpanOf(path: Path): Span;
  /** The place of a part of a scalar's text. */
  spanInside(path: Path, part: string, start: number, end: number): Span;
}

/** A text or a number without quotation marks. */
export interface PlainScalar {
  readonly path: Path;
  readonly value: string | number;
  /** As it is written. */
  readonly text: string;
  readonly span: Span;
  /** What follows it on its line and begins with `#`. */
  readonly comment: { readonly text: string; readonly span: Span } | undefined;
}

export interface ParsedSource extends Source {
  /** In the order of the text. */
  plainScalars(): readonly PlainScalar[];
}

/** Parses YAML 1.2. Errors: syntax, duplicate keys, and values that JSON does not have. */
export function parseSource(
  file: string,
  text: string,
): Result<ParsedSource, readonly Diagnostic[]> {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error' });
  const lines = new LineStarts(text);
  const spanOfRange = (range: OffsetRange): Span => lines.spanOf(range);
  const diagnose = (problem: YamlProblem): Diagnostic =>
    errorAt(file, spanOfRange(problem.range), problem);
  if (document.errors.length > 0)
    return err(oneALine(yamlProblemsOf(document.errors, text).map(diagnose)));

  const plain = plainValue(document);
  if (!plain.ok) return err(plain.error.map(diagnose));
  const { value, targets } = plain.value;
  const places = new Places(document, targets);
  // Not the comment in the first line, where the file names its schema.
  const start = document.contents?.range?.[0] ?? 0;
  const keySpanOf = (path: Path): Span => {
    for (let length = path.length; length > 0; length--) {
      const range = places.ofKey(path.slice(0, length));
      if (range !== undefined) return spanOfRange(range);
    }
    return spanOfRange([start, start]);
  };
  return ok({
    file,
    text,
    value,
    keySpanOf,
    spanOf(path) {
      const range = places.of(path);
      return range === undefined ? keySpanOf(path) : spanOfRange(range);
    },
    spanInside(path, part, start, end) {
      const range = places.of(path);
      if (range === undefined) return keySpanOf(path);
      const offset = offsetOf(part, text.slice(range[0], range[1]));
      if (offset === undefined) return spanOfRange(range);
      return spanOfRange([range[0] + offset + start, range[0] + offset + end]);
    },
    plainScalars: () =>
      plainScalarsIn(document.contents, []).map(({ path, value, range: [start, end] }) => {
        const [after = '', comment] = /^[ \t]+(#[^\r\n]*)/.exec(text.slice(end, end + 1000)) ?? [];
        const until = end + after.length;
        return {
          path,
          value,
          text: text.slice(start, end),
          span: spanOfRange([start, end]),
          comment:
            comment === undefined
              ? undefined
              : { text: comment.trimEnd(), span: spanOfRange([until - comment.length, until]) },
        };
      }),
  });
}

type ScalarAt = Pick<PlainScalar, 'path' | 'value'> & { readonly range: OffsetRange };

/** What an alias stands for is found where it is written. */
function plainScalarsIn(node: Node | null | undefined, path: Path): readonly ScalarAt[] {
  if (isCollection(node))
    return membersOf(node).flatMap(([key, { value }]) => plainScalarsIn(value, [...path, key]));
  const range = rangeOf(node ?? undefined);
  if (!isScalar(node) || node.type !== 'PLAIN' || range === undefined) return [];
  const { value } = node;
  return typeof value === 'string' || typeof value === 'number' ? [{ path, value, range }] : [];
}

/**
 * The offset of an expression in a scalar's text: after `${{` if there is one, not at the same
 * words before it.
 */
function offsetOf(part: string, scalar: string): number | undefined {
  for (const mark of scalar.matchAll(/\$\{\{\s*/g)) {
    const start = mark.index + mark[0].length;
    if (scalar.startsWith(part, start)) return start;
    const raw = mark.index + 3;
    if (scalar.startsWith(part, raw)) return raw;
  }
  const anywhere = scalar.indexOf(part);
  return anywhere < 0 ? undefined : anywhere;
}

/** Keeps the first error of each line: one mistake often causes several. */
function oneALine(errors: readonly Diagnostic[]): readonly Diagnostic[] {
  const lines = new Set<number>();
  return errors.filter(({ span }) => {
    const line = span?.line ?? 0;
    return !lines.has(line) && lines.add(line);
  });
}

// Converts offsets in a text to lines and columns. The counter of the YAML library misses the line ends inside what the
// library could not read.

class LineStarts {
  readonly #length: number;
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#length = text.length;
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** Offsets outside of the text are moved to its ends. */
  spanOf([start, end]: readonly [number, number]): Span {
    const from = this.#placeOf(start);
    const to = this.#placeOf(Math.max(start, end));
    return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  }

  #placeOf(offset: number): { readonly line: number; readonly column: number } {
    const inside = Math.min(Math.max(offset, 0), this.#length);
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= inside) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: inside - (this.#starts[low] ?? 0) + 1 };
  }
}

// Finds the place of a value in a YAML document by its keys, in constant time per key.

type OffsetRange = readonly [number, number];

interface Member {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

class Places {
  readonly #document: Document;
  readonly #targets: ReadonlyMap<Alias, Node>;
  readonly #members = new WeakMap<Node, ReadonlyMap<string, Member>>();

  /** `targets`: the node that each alias stands for. */
  constructor(document: Document, targets: ReadonlyMap<Alias, Node>) {
    this.#document = document;
    this.#targets = targets;
  }

  /** The value at a path. */
  of(path: Path): OffsetRange | undefined {
    return rangeOf(this.#nodeAt(path));
  }

  /** The key at a path; for a member of a list, its value. */
  ofKey(path: Path): OffsetRange | undefined {
    const parent = this.#nodeAt(path.slice(0, -1));
    if (!isMap(parent)) return this.of(path);
    return rangeOf(this.#membersOf(parent).get(String(path.at(-1)))?.key);
  }

  #nodeAt(path: Path): Node | undefined {
    let node: Node | undefined = this.#document.contents ?? undefined;
    for (const part of path) {
      if (!isCollection(node)) return undefined;
      const value = this.#membersOf(node).get(String(part))?.value;
      node = isAlias(value) ? this.#targets.get(value) : value;
    }
    return node;
  }

  #membersOf(collection: Node): ReadonlyMap<string, Member> {
    let members = this.#members.get(collection);
    if (members === undefined) {
      members = new Map(membersOf(collection));
      this.#members.set(collection, members);
    }
    return members;
  }
}

function membersOf(collection: Node): readonly (readonly [string, Member])[] {
  if (isSeq(collection))
    return collection.items.map((item, index) => [
      String(index),
      { key: undefined, value: isNode(item) ? item : undefined },
    ]);
  if (!isMap(collection)) return [];
  return collection.items.flatMap((pair): (readonly [string, Member])[] => {
    if (!isPair(pair) || !isScalar(pair.key)) return [];
    const value = isNode(pair.value) ? pair.value : undefined;
    return [[String(pair.key.value), { key: pair.key, value }]];
  });
}

const rangeOf = (node: Node | undefined): OffsetRange | undefined =>
  node?.range ? [node.range[0], node.range[1]] : undefined;
