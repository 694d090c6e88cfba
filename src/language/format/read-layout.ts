// YAML text → Layout. Reads the tokens of the parser, because only they know where every comment stands.
import { CST, Parser } from 'yaml';
import { err, ok, type Result } from '../../base/result.ts';

// The layout: scalars as they are written, and every comment with the entry that it belongs to.

/** A comment on a line of its own. */
export interface CommentLine {
  /** With its "#". */
  readonly comment: string;
  /** A blank line precedes it. */
  readonly blank: boolean;
  /** Where the line begins in the source, in columns from 0. */
  readonly column: number;
}

/** An entry of a map or a list. */
export interface Entry {
  readonly lead: readonly CommentLine[];
  /** A blank line precedes it, after `lead`. */
  readonly blank: boolean;
  /** As it is written, with its anchor and tag. Absent in a list. */
  readonly key?: string;
  /** The comment on the line of the key or of the "-", before a value that begins below. */
  readonly headNote?: string;
  /** The comments between the key or the "-" and its value. */
  readonly between: readonly CommentLine[];
  /** Absent: nothing is written, which means null. */
  readonly value?: Value;
  /** The comment at the end of the value. */
  readonly note?: string;
}

interface Node {
  /** Its anchor and its tag, as they are written. */
  readonly props: readonly string[];
}

/** A plain or quoted scalar, or an alias: its lines, without the white space around them. */
export interface Scalar extends Node {
  readonly kind: 'scalar';
  readonly lines: readonly string[];
}

/** A block scalar. */
export interface TextBlock extends Node {
  readonly kind: 'text';
  /** `|`, `>-`, `|2+`. */
  readonly header: string;
  /** Without their indentation. */
  readonly lines: readonly string[];
}

export interface Collection extends Node {
  readonly kind: 'collection';
  readonly type: 'map' | 'list';
  /** Written as `{ … }` or `[…]`. */
  readonly flow: boolean;
  readonly entries: readonly Entry[];
  /** The comments after the last entry. */
  readonly tail: readonly CommentLine[];
}

export type Value = Scalar | TextBlock | Collection;

/** A whole file. */
export interface Layout {
  /** The comments that belong to the file: those above the first entry and its own comments. */
  readonly header: readonly CommentLine[];
  /** A blank line follows the header. */
  readonly gap: boolean;
  /** Directives and `---`, as they are written. */
  readonly start: readonly string[];
  readonly root: Entry;
  readonly tail: readonly CommentLine[];
}

/** `text` must be one valid YAML document that ends with a line feed. The error is the end of a sentence about the file. */
export function readLayout(text: string): Result<Layout, string> {
  const start: string[] = [];
  const above: CST.SourceToken[] = [];
  const below: CST.SourceToken[] = [];
  let document: CST.Document | undefined;
  for (const token of new Parser().parse(text)) {
    if (token.type === 'document') document = token;
    else if (token.type === 'directive') start.push(token.source);
    else if (token.type === 'doc-end') below.push(...(token.end ?? []));
    else if (CST.isCollection(token) || CST.isScalar(token) || token.type === 'error')
      return err('has a structure that fmt does not know');
    else (document === undefined ? above : below).push(token);
  }
  const marks = document?.start ?? [];
  if (marks.some(({ type }) => type === 'doc-start')) start.push('---');
  const reader = new Reader();
  const lead = triviaOf([...above, ...marks], true);
  const { header, own } = headerOf(lead);
  const { value, carry } = reader.value(document?.value, lead.props, -1, own);
  if (reader.unknown) return err('has a key that is not a single line, which fmt cannot write');
  const after = [...carry.lines, ...triviaOf([...(document?.end ?? []), ...below], true).lines];
  const entry: Entry = {
    lead: isBlock(document?.value) ? [] : own,
    blank: false,
    between: [],
    value,
    note: carry.note,
  };
  const gap = own.length > 0 ? own[0]?.blank === true : lead.blank;
  return ok({ header, gap, start, root: entry, tail: after });
}

/** The comments directly above the first entry are its own, except what editors read. */
function headerOf({ lines, blank }: Trivia): {
  readonly header: readonly CommentLine[];
  readonly own: readonly CommentLine[];
} {
  const gap = blank ? lines.length : lines.findLastIndex((line) => line.blank);
  const mark = lines.findLastIndex(({ comment }) => /^#\s*yaml-language-server:/.test(comment));
  const end = Math.max(gap, mark + 1, 0);
  return { header: lines.slice(0, end), own: lines.slice(end) };
}

interface Read {
  readonly value: Value | undefined;
  /** What follows the value and belongs to what comes next; `note` belongs to the value itself. */
  readonly carry: Trivia;
}

class Reader {
  unknown = false;

  /** `outer` is the column of the collection around it; `lead` are comments of its first entry. */
  value(
    token: CST.Token | null | undefined,
    props: readonly string[],
    outer: number,
    lead: readonly CommentLine[] = [],
  ): Read {
    switch (token?.type) {
      case 'alias':
      case 'scalar':
      case 'single-quoted-scalar':
      case 'double-quoted-scalar':
        return {
          value: { kind: 'scalar', props, lines: linesOf(token.source) },
          carry: triviaOf(token.end ?? [], false),
        };
      case 'block-scalar':
        return textBlock(token, props);
      case 'block-map':
      case 'block-seq':
        return this.#block(token, props, outer, lead);
      case 'flow-collection':
        return this.#flow(token, props, outer);
      case undefined:
        return { value: undefined, carry: noTrivia };
      default:
        this.unknown = true;
        return { value: undefined, carry: noTrivia };
    }
  }

  #block(
    token: CST.BlockMap | CST.BlockSequence,
    props: readonly string[],
    outer: number,
    first: readonly CommentLine[],
  ): Read {
    const entries: Entry[] = [];
    let carry: Trivia = { ...noTrivia, lines: first };
    for (const item of token.items) {
      const dash = item.start.findIndex(({ type }) => type === 'seq-item-ind');
      const lead = triviaOf(dash < 0 ? item.start : item.start.slice(0, dash), true);
      const before = joined(carry, lead);
      if (item.key === undefined && item.value === undefined && dash < 0) {
        carry = before;
        continue;
      }
      const sep = dash < 0 ? (item.sep ?? []) : item.start.slice(dash + 1);
      const head = triviaOf(sep, false);
      // Comments above the first entry of a block belong to that entry.
      const [inner, between] = isBlock(item.value) ? [head.lines, []] : [[], head.lines];
      const read = this.value(item.value, head.props, token.indent, inner);
      entries.push({
        lead: before.lines,
        blank: before.blank,
        ...(dash < 0 ? { key: this.#key(item.key, lead.props) } : {}),
        headNote: head.note,
        between,
        value: read.value,
        note: read.carry.note,
      });
      carry = {
        ...read.carry,
        blank: read.carry.blank || (read.value === undefined && head.blank),
      };
    }
    // A comment further left than the entries belongs to what comes next. So does one in the column of a list that is
    // not indented.
    const least = Math.max(token.indent, outer + 1);
    const left = carry.lines.findIndex(({ column }) => column < least);
    const own = left < 0 ? carry.lines : carry.lines.slice(0, left);
    const type = token.type === 'block-map' ? 'map' : 'list';
    return {
      value: { kind: 'collection', type, flow: false, props, entries, tail: own },
      carry: { lines: carry.lines.slice(own.length), blank: carry.blank, props: [] },
    };
  }

  #flow(token: CST.FlowCollection, props: readonly string[], outer: number): Read {
    const type = token.start.type === 'flow-map-start' ? 'map' : 'list';
    const entries: Entry[] = [];
    let carry: Trivia = noTrivia;
    for (const item of token.items) {
      const lead = triviaOf(item.start, false);
      const last = entries.pop();
      if (last !== undefined) entries.push(last.note === undefined ? noted(last, lead) : last);
      const early = last === undefined || last.note !== undefined ? noteLines(lead) : [];
      const before = joined(carry, { ...lead, lines: [...early, ...lead.lines] });
      if (item.key === undefined && item.value === undefined && item.sep === undefined) {
        carry = before;
        continue;
      }
      const pair = item.key !== undefined || item.sep !== undefined;
      const head = triviaOf(item.sep ?? [], false);
      const read = this.value(item.value, pair ? head.props : lead.props, outer);
      const [inKey, inValue] = [endOf(item.key), read.carry];
      const entry: Entry = {
        lead: before.lines,
        blank: before.blank,
        ...(pair ? { key: this.#key(item.key, lead.props) } : {}),
        between: [...noteLines(inKey), ...inKey.lines, ...noteLines(head), ...head.lines],
        value: read.value,
        note: inValue.note,
      };
      entries.push(type === 'list' && pair ? single(entry) : type === 'map' ? keyed(entry) : entry);
      carry = { lines: inValue.lines, blank: inValue.blank, props: [] };
    }
    const end = triviaOf(token.end.slice(1), false);
    const { lines: tail } = carry;
    return { value: { kind: 'collection', type, flow: true, props, entries, tail }, carry: end };
  }

  #key(token: CST.Token | null | undefined, props: readonly string[]): string {
    if (token === undefined || token === null) return props.join(' ');
    if (!CST.isScalar(token) || token.source.includes('\n')) {
      this.unknown = true;
      return '';
    }
    // A ":" directly after an alias would be part of its name.
    const source = token.type === 'alias' ? `${token.source} ` : token.source;
    return [...props, source].join(' ');
  }
}

/** In `{ a }`, the parser reads a value; it is a key without a value. */
function keyed(entry: Entry): Entry {
  const { key, value, ...rest } = entry;
  if (key !== undefined || value?.kind !== 'scalar') return entry;
  return { ...rest, key: [...value.props, ...value.lines].join(' ') };
}

/** `[a: b]` is a list of a map. */
function single({ lead, blank, note, ...pair }: Entry): Entry {
  const inner = { ...pair, lead: [], blank: false };
  const value: Value = {
    kind: 'collection',
    type: 'map',
    flow: true,
    props: [],
    entries: [inner],
    tail: [],
  };
  return { lead, blank, between: [], value, note };
}

const isBlock = (token: CST.Token | null | undefined): boolean =>
  token?.type === 'block-map' || token?.type === 'block-seq';

const endOf = (token: CST.Token | null | undefined): Trivia =>
  token !== undefined && token !== null && 'end' in token && CST.isScalar(token)
    ? triviaOf(token.end ?? [], false)
    : noTrivia;

const noted = (entry: Entry, { note }: Trivia): Entry =>
  note === undefined ? entry : { ...entry, note };

const noteLines = ({ note }: Trivia): readonly CommentLine[] =>
  note === undefined ? [] : [{ comment: note, blank: false, column: 0 }];

/** A blank line before the comments of `after` belongs to the first of them. */
function joined(before: Trivia, after: Trivia): Trivia {
  const [first, ...rest] = after.lines;
  if (first === undefined)
    return { lines: before.lines, blank: before.blank || after.blank, props: after.props };
  const led = { ...first, blank: first.blank || before.blank };
  return { lines: [...before.lines, led, ...rest], blank: after.blank, props: after.props };
}

const linesOf = (source: string): readonly string[] =>
  source.split('\n').map((line, index, all) => {
    const begun = index === 0 ? line : line.trimStart();
    // In double quotes, "\" keeps the space after it.
    const ended = begun.trimEnd();
    return index === all.length - 1 || ended.endsWith('\\') ? begun : ended;
  });

function textBlock(
  { props: tokens, source, indent }: CST.BlockScalar,
  props: readonly string[],
): Read {
  const mark = tokens.find(({ type }) => type === 'block-scalar-header');
  const written = mark !== undefined && 'source' in mark ? mark.source : '|';
  const digit = /\d/.exec(written)?.[0];
  const lines = source.split('\n').slice(0, -1);
  const first = lines.find((line) => /[^ ]/.test(line));
  const inner =
    digit === undefined ? (/^ */.exec(first ?? '')?.[0].length ?? 0) : indent + Number(digit);
  const bare = lines.map((line) =>
    first === undefined ? '' : line.slice(Math.min(inner, /^ */.exec(line)?.[0].length ?? 0)),
  );
  while (!written.includes('+') && /^ *$/.test(bare.at(-1) ?? 'end')) bare.pop();
  const comment = tokens.find(({ type }) => type === 'comment');
  const note = comment !== undefined && 'source' in comment ? comment.source.trimEnd() : undefined;
  return {
    value: { kind: 'text', props, header: written.replace(/\d/, '2'), lines: bare },
    carry: { ...noTrivia, note },
  };
}

// Sorts the tokens between two values: comments, blank lines, anchors and tags.

interface Trivia {
  /** A comment on the line that the tokens begin on. */
  readonly note?: string;
  readonly lines: readonly CommentLine[];
  /** A blank line follows the last comment, or there is no comment and a blank line. */
  readonly blank: boolean;
  readonly props: readonly string[];
}

const noTrivia: Trivia = { lines: [], blank: false, props: [] };

/** `fresh`: the tokens begin at the start of a line. */
function triviaOf(tokens: readonly CST.SourceToken[], fresh: boolean): Trivia {
  const lines: CommentLine[] = [];
  const props: string[] = [];
  let note: string | undefined;
  let blank = false;
  let atStart = fresh;
  for (const { type, source, indent } of tokens)
    switch (type) {
      case 'newline':
        if (atStart) blank = true;
        atStart = true;
        break;
      case 'comment':
        if (atStart || note !== undefined || lines.length > 0) {
          lines.push({ comment: source.trimEnd(), blank, column: indent });
          blank = false;
        } else note = source.trimEnd();
        atStart = false;
        break;
      case 'anchor':
      case 'tag':
        props.push(source);
        atStart = false;
        break;
      case 'space':
        break;
      default:
        atStart = false;
    }
  return { note, lines, blank, props };
}
