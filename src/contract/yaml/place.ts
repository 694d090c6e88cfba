// Places: in a document by keys, and in its text by lines and columns.

/** A place in a document: keys and indexes from the root. */
export type Path = readonly (string | number)[];

/** A place in a text: lines and columns count from 1; the end is exclusive. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** The file of the text, if it is another one than the source's own: an included file. */
  readonly file?: string;
}
