// The port of the database for the SQL of this folder: statements, and transactions around them. Implemented over a pool
// of connections, and in tests over a database inside the process.

export type Row = Readonly<Record<string, unknown>>;

export interface Statements {
  /** Without values, the text may have several statements; the rows of all of them are returned. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Transaction extends Statements {
  /**
   * For the last statement: the commit goes along with it, so that its locks are not held while this process is slow to
   * answer. The values must be texts, numbers or null.
   */
  readonly last: Statements;
}

export interface Sql extends Statements {
  /**
   * Commits if `work` resolves, and rolls back if `work` rejects. What is committed is on disk, whatever the server's
   * default is.
   */
  transaction<T>(work: (within: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
