// The uploads of the user's runs, by account and content, so that the runs of several pipelines need not upload one file
// more than once. It holds no key: an account is named by a digest.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock, KnownUploads } from '../run/jobs/ports.ts';
import { type CacheTables, isSqlite, openCache } from './cache-database.ts';

export interface UploadCacheOptions {
  /** In an existing folder; several runs may use it at the same time. */
  readonly file: string;
  /** Names the account at its service. */
  readonly account: string;
  readonly clock: Clock;
  /** How long an upload is shared, in milliseconds. */
  readonly sharedForMs: number;
}

export class UploadCache implements KnownUploads {
  readonly #o: UploadCacheOptions;
  /** Opened when it is first needed: most runs upload nothing. */
  #opened: Opened | undefined;

  constructor(options: UploadCacheOptions) {
    this.#o = options;
  }

  find(content: string, extension: string): string | undefined {
    const { account, clock } = this.#o;
    const row = this.#unlessBusy(({ find }) =>
      // The wall clock may have been set back since.
      find.get(account, content, extension, this.#oldest, clock.now()),
    );
    return row === undefined ? undefined : String(row['path']);
  }

  keep(content: string, extension: string, path: string): void {
    const { account, clock } = this.#o;
    this.#unlessBusy(({ keep }) => keep.run(account, content, extension, path, clock.now()));
  }

  close(): void {
    this.#opened?.database.close();
  }

  get #oldest(): number {
    return this.#o.clock.now() - this.#o.sharedForMs;
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    this.#opened = openCache(this.#o.file, tables);
    this.#opened.forget.run(this.#oldest);
    return this.#opened;
  }

  /** If another run is writing, the upload is made, or not shared. */
  #unlessBusy<T>(ask: (opened: Opened) => T): T | undefined {
    try {
      return ask(this.#open());
    } catch (error) {
      if (!isSqlite(error)) throw error;
      return undefined;
    }
  }
}

interface Opened {
  readonly database: DatabaseSync;
  readonly find: StatementSync;
  readonly keep: StatementSync;
  readonly forget: StatementSync;
}

const tables: CacheTables<Opened> = {
  create:
    'CREATE TABLE IF NOT EXISTS uploads (account TEXT, content TEXT, extension TEXT, path TEXT, at INTEGER, ' +
    'PRIMARY KEY (account, content, extension)) WITHOUT ROWID',
  prepare: (database) => ({
    database,
    find: database.prepare(
      'SELECT path FROM uploads WHERE account = ? AND content = ? AND extension = ? AND at > ? AND at <= ?',
    ),
    keep: database.prepare('INSERT OR REPLACE INTO uploads VALUES (?, ?, ?, ?, ?)'),
    forget: database.prepare('DELETE FROM uploads WHERE at <= ?'),
  }),
};
