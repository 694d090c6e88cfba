// Sorts the tokens between two values: comments, blank lines, anchors and tags.
import type { CST } from 'yaml';
import type { CommentLine } from './layout-tree.ts';

export interface Trivia {
  /** A comment on the line that the tokens begin on. */
  readonly note?: string;
  readonly lines: readonly CommentLine[];
  /** A blank line follows the last comment, or there is no comment and a blank line. */
  readonly blank: boolean;
  readonly props: readonly string[];
}

export const noTrivia: Trivia = { lines: [], blank: false, props: [] };

/** `fresh`: the tokens begin at the start of a line. */
export function triviaOf(tokens: readonly CST.SourceToken[], fresh: boolean): Trivia {
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
  return { ...(note === undefined ? {} : { note }), lines, blank, props };
}
