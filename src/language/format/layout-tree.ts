// A YAML text as `fmt` sees it: scalars as they are written, and every comment with the entry that it belongs to.

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
