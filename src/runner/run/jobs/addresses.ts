// The addresses of a project's downloads. They expire, so they are read again when they have, but never twice
// without a file having come in between: a storage that refuses everything must not be asked for ever.
import type { ApiFailure } from '../../../contract/api/failure.ts';
import type { Download } from '../../../contract/api/project.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { recordOf } from '../../../contract/kinds/tools.ts';
import type { DownloadOrder } from './job.ts';
import type { JobContext } from './job-context.ts';
import { patiently } from './retry.ts';

type Answer<T> = Promise<Result<T, ApiFailure>>;

export class Addresses {
  readonly #order: DownloadOrder;
  readonly #context: JobContext;
  #downloads: readonly Download[] | undefined;
  /** They were read by this job: a clock that calls them past is wrong. */
  #own = false;
  #refreshed = false;

  constructor(order: DownloadOrder, context: JobContext) {
    this.#order = order;
    this.#context = context;
    this.#downloads = order.downloads;
  }

  /** How many files there are. */
  async count(): Answer<number> {
    const known = this.#downloads === undefined ? await this.#read() : ok(this.#downloads);
    return known.ok ? ok(known.value.length) : known;
  }

  /** Where to fetch a file; one whose time is past is not even tried. */
  async at(index: number): Answer<string> {
    const known = this.#downloads === undefined ? await this.#read() : ok(this.#downloads);
    if (!known.ok) return known;
    const listed = known.value[index];
    if (listed === undefined) return err(fewer);
    const isPast = Date.parse(listed.expires_at) <= this.#context.clock.now();
    if (!isPast || this.#own) return ok(listed.url);
    return (await this.another(index)) ?? ok(listed.url);
  }

  /** A fresh address in place of one that is refused; undefined: there was a fresh one already. */
  async another(index: number): Promise<Result<string, ApiFailure> | undefined> {
    if (this.#refreshed) return undefined;
    this.#refreshed = true;
    const fresh = await this.#read();
    if (!fresh.ok) return fresh;
    const listed = fresh.value[index];
    return listed === undefined ? err(fewer) : ok(listed.url);
  }

  /** A file came: the next one may need a fresh address again. */
  came(): void {
    this.#refreshed = false;
  }

  async #read(): Answer<readonly Download[]> {
    const { tool, project, attempts } = this.#order;
    const record = recordOf(tool);
    const read = await patiently('free', attempts, this.#context, () =>
      this.#context.api.project(record, project),
    );
    if (!read.ok) return read;
    this.#downloads = read.value.downloads;
    this.#own = true;
    return ok(this.#downloads);
  }
}

const fewer: ApiFailure = {
  reason: 'expired',
  message: 'the service lists fewer downloads than before',
};
