// YAML text that remembers where everything stands.
import { isMap, isNode, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type { Json } from '../base/json.ts';
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
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true });
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
  if (errors.length > 0) return err(errors);

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
      (item) => isPair(item) && isScalar(item.key) && item.key.value === last,
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
  return ok({
    file,
    text,
    value: document.toJS({ maxAliasCount: 1000 }) as Json,
    keySpanOf,
    spanOf(path) {
      const range = rangeOf(nodeAt(path));
      return range === undefined ? keySpanOf(path) : spanOfRange(range);
    },
    spanInside(path, part, start, end) {
      const range = rangeOf(nodeAt(path));
      if (range === undefined) return keySpanOf(path);
      const offset = text.slice(range[0], range[1]).indexOf(part);
      if (offset < 0) return spanOfRange(range);
      return spanOfRange([range[0] + offset + start, range[0] + offset + end]);
    },
  });
}

/** The commonest YAML trap here: a plain scalar cannot hold ": ", which a conditional needs. */
function yamlHint(text: string, position: number): string | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const line = text.slice(start, (text.indexOf('\n', start) + 1 || text.length + 1) - 1);
  return line.includes('${{') && !/:\s*["']/.test(line)
    ? 'quote it: a plain YAML value cannot hold ": " — write key: "${{ … }}"'
    : undefined;
}
