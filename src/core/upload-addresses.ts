// Asks for upload addresses in batches: uploads that need one at about the same time share a request (facts.md, Uploads). If it
// fails, all of them fail.
import { err, ok, type Result } from '../base/result.ts';
import { extensionOf } from '../contract/api/asset.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { Clock, MediaApi, ServiceAnswer, UploadItem, UploadTarget } from './ports.ts';

/** How long a request waits for more uploads, in milliseconds: a small part of what the request itself takes. */
export const gatherMs = 5;

/** The most uploads in one request. The service publishes no limit; a longer list would save hardly any requests. */
export const mostTogether = 50;

type Answer = Result<UploadTarget, ApiFailure>;

interface Gathering {
  readonly items: UploadItem[];
  readonly full: AbortController;
  /** In the order of the items. */
  readonly answers: Promise<readonly Answer[]>;
}

export class UploadAddresses {
  readonly #request: MediaApi['uploadAddresses'];
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  #gathering: Gathering | undefined;
  /** 1 for a service that answers a list with something else. */
  #most = mostTogether;

  /** `stop`: if it is aborted, nothing is gathered any more. */
  constructor(request: MediaApi['uploadAddresses'], clock: Clock, stop: AbortSignal) {
    this.#request = request;
    this.#clock = clock;
    this.#stop = stop;
  }

  async one(item: UploadItem): ServiceAnswer<UploadTarget> {
    this.#gathering ??= this.#begin();
    const { items, full, answers } = this.#gathering;
    const index = items.push(item) - 1;
    if (items.length >= this.#most) {
      this.#gathering = undefined;
      full.abort();
    }
    return (await answers)[index] ?? noAddress;
  }

  #begin(): Gathering {
    const items: UploadItem[] = [];
    const full = new AbortController();
    const gathered = async (): Promise<readonly Answer[]> => {
      await this.#clock.sleep(gatherMs, AbortSignal.any([this.#stop, full.signal]));
      if (this.#gathering?.items === items) this.#gathering = undefined;
      return await this.#ask(items);
    };
    return { items, full, answers: gathered() };
  }

  /** Asks for all items, and for each alone if the service does not take the list. */
  async #ask(items: readonly UploadItem[]): Promise<readonly Answer[]> {
    const got = await this.#request(items);
    if (got.ok && (items.length === 1 || fits(items, got.value)))
      return got.value.map((target) => ok(target));
    if (items.length === 1) return [got.ok ? noAddress : got];
    if (got.ok) this.#most = 1;
    // One item that the service refuses must not fail the others.
    else if (got.error.reason !== 'refused') return items.map(() => got);
    return (await Promise.all(items.map((item) => this.#ask([item])))).flat();
  }
}

/** A file that is put to the address of another one would be taken for that one. */
const fits = (items: readonly UploadItem[], targets: readonly UploadTarget[]): boolean =>
  items.length === targets.length &&
  targets.every(({ filePath }, index) => extensionOf(filePath) === items[index]?.extension);

const noAddress: Answer = err({ reason: 'unanswered', message: 'no upload address came' });
