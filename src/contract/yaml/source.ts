// YAML text with the place of every value.
import { parseDocument } from 'yaml';
import type { Json } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Diagnostic } from './diagnostic.ts';
import { LineStarts } from './line-starts.ts';
import type { Path, Span } from './place.ts';
import { type OffsetRange, Places } from './places.ts';
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

/** Parses YAML 1.2. Errors: syntax, duplicate keys, and values that JSON does not have. */
export function parseSource(file: string, text: string): Result<Source, readonly Diagnostic[]> {
  const document = parseDocument(text, {
    uniqueKeys: false,
    logLevel: 'error',
  });
  const lines = new LineStarts(text);
  const spanOfRange = (range: OffsetRange): Span => lines.spanOf(range);
  const diagnose = ({ code, message, hint, range }: YamlProblem): Diagnostic => ({
    severity: 'error',
    code,
    file,
    span: spanOfRange(range),
    message,
    hint,
  });
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
  });
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
    if (lines.has(line)) return false;
    lines.add(line);
    return true;
  });
}
