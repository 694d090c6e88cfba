// A source of items before the matrix, `when:` and the filters of a command: files, values or rows.
import type { Digest } from '../base/digest.ts';
import type { Result } from '../base/result.ts';
import type { Diagnostic, Path, Span } from '../contract/yaml/diagnostic.ts';
import type { Scope } from '../language/expression.ts';
import type { MeasuredField } from '../language/items.ts';
import type { Item } from '../model/item.ts';
import type { Barred } from './find-files.ts';

export interface ItemSource {
  readonly count: number;
  /** The item with a number, from 0. Made anew each time: only the names of files and the places of rows are in memory. */
  at(index: number): Item;
  /** Sentences about entries that are there but are not items. */
  readonly warnings: readonly string[];
  /** True if some folders or files could not be looked at. */
  readonly blind: boolean;
  /** Where an item is written, for a sentence about two items. */
  placeOf(item: Item): string;
  /** The folder below which keys are paths, with "/" at its end. */
  readonly base?: string;
  close(): void;
}

/** Why there are no items, and what to do. Without a file, the problem is at `items:` in the pipeline file. */
export type ItemListProblem = Omit<Diagnostic, 'severity' | 'file'> & { readonly file?: string };

/** What a list of items needs to know of its pipeline and of the machine. */
export interface ListContext {
  /** Which folders may not be searched. */
  readonly barred?: Barred;
  /** Why a file must not be read. `path` is absolute. */
  readonly refusal?: (path: string) => string | undefined;
  /** The names in `when:` that are the same for all items. */
  readonly base?: Pick<Scope, 'inputs' | 'env'>;
  /** The pipeline file as the user named it. */
  readonly file?: string;
  /** The place of a value in the pipeline file. */
  readonly spanOf?: (path: Path) => Span;
  /** The place of a part of an expression. */
  readonly spanInside?: (path: Path, part: string, start: number, end: number) => Span;
  /** What is wrong with the names in the pipeline file, given the columns of its table. */
  readonly checkColumns?: (columns: readonly string[]) => readonly Diagnostic[];
  /** The fields that are read from the files of a glob, because an expression uses them. */
  readonly measured?: ReadonlySet<MeasuredField>;
  /** The digest of a file, given its path relative to the pipeline. */
  readonly digest?: (path: string) => Promise<Result<Digest, string>>;
}

/** For a path that must not be read. */
export const outsideHint = 'if you trust the pipeline, use --allow-outside';

export const closeNothing = (): void => undefined;
