// The download addresses of a project. They expire and are then read again, but never twice without a successful
// download in between: a storage that refuses everything must not be asked forever.

import type { ApiFailure } from '../../../contract/api/failure.ts';
import type { Download } from '../../../contract/api/project.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { recordOf } from '../../../contract/kinds/tools.ts';
import type { DownloadOrder } from './job.ts';
import type { JobContext } from './job-context.ts';
import type { ServiceAnswer } from './ports.ts';
import { patiently } from './retry.ts';

export class Addresses {
  readonly #order: DownloadOrder;
  readonly #context: JobContext;
  #downloads: readonly Download[] | undefined;
  /** True if this job read the addresses itself. If they look expired, the clock is wrong. */
  #own = false;
  #refreshed = false;

  constructor(order: DownloadOrder, context: JobContext) {
    this.#order = order;
    this.#context = context;
    this.#downloads = order.downloads;
  }

  /** The number of files. */
  async count(): ServiceAnswer<number> {
    const known = this.#downloads === undefined ? await this.#read() : ok(this.#downloads);
    return known.ok ? ok(known.value.length) : known;
  }

  /** The address of a file. An expired address is not tried at all. */
  async at(index: number): ServiceAnswer<string> {
    const known = this.#downloads === undefined ? await this.#read() : ok(this.#downloads);
    if (!known.ok) return known;
    const listed = known.value[index];
    if (listed === undefined) return err(fewer);
    const isPast = Date.parse(listed.expires_at) <= this.#context.clock.now();
    if (!isPast || this.#own) return ok(listed.url);
    return (await this.another(index)) ?? ok(listed.url);
  }

  /** A fresh address in place of one that was refused; undefined if that one was already fresh. */
  async another(index: number): Promise<Result<string, ApiFailure> | undefined> {
    if (this.#refreshed) return undefined;
    this.#refreshed = true;
    const fresh = await this.#read();
    if (!fresh.ok) return fresh;
    const listed = fresh.value[index];
    return listed === undefined ? err(fewer) : ok(listed.url);
  }

  /** Call after a successful download: the next file may need a fresh address again. */
  came(): void {
    this.#refreshed = false;
  }

  async #read(): ServiceAnswer<readonly Download[]> {
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
