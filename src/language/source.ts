// YAML text that remembers where everything stands.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { asJson, type Json } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Diagnostic, Span } from './diagnostic.ts';

/** A place inside the document: keys and indexes from the root. */
export type Path = readonly (string | number)[];

export interface Source {
  readonly file: string;
  readonly text: string;
  readonly value: Json;
  /** Where the value at a path stands; where it is missing, its nearest parent's key. */
  spanOf(path: Path): Span;
  /** Where the key at a path stands. */
  keySpanOf(path: Path): Span;
  /** Where a part of the text inside the scalar at a path stands. */
  spanInside(path: Path, part: string, start: number, end: number): Span;
}

type Range = readonly [number, number];

/** Parses YAML 1.2. Errors: syntax, duplicate keys, and values that JSON does not have. */
export function parseSource(file: string, text: string): Result<Source, readonly Diagnostic[]> {
  const counter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: counter,
    uniqueKeys: true,
    logLevel: 'error',
  });
  const spanOfRange = ([start, end]: Range): Span => {
    const from = counter.linePos(start);
    const to = counter.linePos(Math.max(end, start));
    return { line: from.line, column: from.col, endLine: to.line, endColumn: to.col };
  };
  const errors = document.errors.map((error): Diagnostic => {
    const hint = yamlHint(text, error.pos[0]);
    return {
      severity: 'error',
      file,
      span: spanOfRange(error.pos),
      message: (error.message.split('\n')[0] ?? error.message).replace(
        / at line \d+, column \d+:?$/,
        '',
      ),
      ...(hint === undefined ? {} : { hint }),
    };
  });
  if (errors.length > 0) return err(oneALine(errors));

  const nodeAt = (path: Path): Node | undefined => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    return isNode(node) ? node : undefined;
  };
  const rangeOf = (node: Node | null | undefined): Range | undefined =>
    node?.range ? [node.range[0], node.range[1]] : undefined;
  const keyRange = (path: Path): Range | undefined => {
    const parent = nodeAt(path.slice(0, -1));
    const last = path.at(-1);
    if (!isMap(parent)) return rangeOf(nodeAt(path));
    const pair = parent.items.find(
      (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(last),
    );
    return isNode(pair?.key) ? rangeOf(pair.key) : undefined;
  };
  const keySpanOf = (path: Path): Span => {
    for (let length = path.length; length > 0; length--) {
      const range = keyRange(path.slice(0, length));
      if (range !== undefined) return spanOfRange(range);
    }
    return spanOfRange([0, 0]);
  };
  const value = plainValue(document);
  if (!value.ok) {
    const alias =
      value.error.alias === undefined ? undefined : firstAlias(document, value.error.alias);
    const span = spanOfRange(rangeOf(alias) ?? [0, 0]);
    return err([{ severity: 'error', file, span, message: value.error.message }]);
  }
  return ok({
    file,
    text,
    value: value.value,
    keySpanOf,
    spanOf(path) {
      const range = rangeOf(nodeAt(path));
      return range === undefined ? keySpanOf(path) : spanOfRange(range);
    },
    spanInside(path, part, start, end) {
      const range = rangeOf(nodeAt(path));
      if (range === undefined) return keySpanOf(path);
      const offset = offsetOf(part, text.slice(range[0], range[1]));
      if (offset === undefined) return spanOfRange(range);
      return spanOfRange([range[0] + offset + start, range[0] + offset + end]);
    },
  });
}

/** Where an expression stands in a scalar's text: behind a `${{` if there is one, not at equal words before it. */
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

interface NoValue {
  readonly message: string;
  /** The name of the alias that is to blame, where there is one. */
  readonly alias?: string;
}

/** The document as plain data: aliases resolved, nothing that holds itself, nothing that explodes. */
function plainValue(document: Document): Result<Json, NoValue> {
  const names = new Set<string>();
  let unknown: string | undefined;
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node) && !names.has(node.source)) unknown ??= node.source;
      else if ('anchor' in node && typeof node.anchor === 'string') names.add(node.anchor);
    },
  });
  if (unknown !== undefined)
    return err({ message: `there is no anchor &${unknown} before this alias`, alias: unknown });
  try {
    const value = asJson(document.toJS({ maxAliasCount: 1000 }));
    return holdsItself(value, new Set())
      ? err({ message: 'an alias makes a value hold itself' })
      : ok(value);
  } catch (error) {
    if (error instanceof RangeError) return err({ message: 'an alias makes a value hold itself' });
    if (error instanceof ReferenceError)
      return err({ message: `the aliases cannot be resolved: ${error.message}` });
    throw error;
  }
}

function firstAlias(document: Document, name: string): Node | undefined {
  let found: Node | undefined;
  visit(document, {
    Alias: (_key, node) => {
      if (node.source === name) found ??= node;
    },
  });
  return found;
}

function holdsItself(value: Json, above: Set<Json>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (above.has(value)) return true;
  above.add(value);
  const inner = Object.values(value).some((part) => holdsItself(part, above));
  above.delete(value);
  return inner;
}

/** One mistake in a line makes the parser stumble several times: the first says it. */
function oneALine(errors: readonly Diagnostic[]): readonly Diagnostic[] {
  const lines = new Set<number>();
  return errors.filter(({ span }) => {
    const line = span?.line ?? 0;
    if (lines.has(line)) return false;
    lines.add(line);
    return true;
  });
}

/** The commonest YAML trap here: a plain scalar cannot hold ": ", which a conditional needs. */
function yamlHint(text: string, position: number): string | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const line = text.slice(start, (text.indexOf('\n', start) + 1 || text.length + 1) - 1);
  return /:\s+\$\{\{/.test(line)
    ? 'quote it: a plain YAML value cannot hold ": " — write key: "${{ … }}"'
    : undefined;
}
