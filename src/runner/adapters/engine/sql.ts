// The port of the database for the SQL of this folder: statements, and transactions around them. Implemented over a pool
// of connections, and in tests over a database inside the process.

export type Row = Readonly<Record<string, unknown>>;

export interface Statements {
  /** Without values, the text may have several statements; the rows of all of them are returned. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Sql extends Statements {
  /** Commits if `work` resolves, and rolls back if `work` rejects. */
  transaction<T>(work: (within: Statements) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What is committed is on disk, whatever the server's default is. */
export const durable = 'set local synchronous_commit = on';
