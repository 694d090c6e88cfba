// Upload addresses in batches: uploads that need an address at about the same time share one request (facts.md,
// Uploads). Each upload has its own answer, and a failure of the request is the failure of each.
import { extensionOf } from '../../../contract/api/asset.ts';
import type { ApiFailure } from '../../../contract/api/failure.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { Clock, MediaApi, ServiceAnswer, UploadItem, UploadTarget } from './ports.ts';

export interface UploadAddressesOptions {
  readonly ask: MediaApi['uploadAddresses'];
  readonly clock: Clock;
  /** If it is aborted, nothing is gathered any more. */
  readonly stop: AbortSignal;
}

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
  readonly #o: UploadAddressesOptions;
  #gathering: Gathering | undefined;
  /** 1 for a service that answers a list with something else. */
  #most = mostTogether;

  constructor(options: UploadAddressesOptions) {
    this.#o = options;
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
    return { items, full, answers: this.#gathered(items, full.signal) };
  }

  async #gathered(items: readonly UploadItem[], full: AbortSignal): Promise<readonly Answer[]> {
    const { clock, stop } = this.#o;
    await clock.sleep(this.#most === 1 ? 0 : gatherMs, AbortSignal.any([stop, full]));
    if (this.#gathering?.items === items) this.#gathering = undefined;
    return await this.#ask(items);
  }

  async #ask(items: readonly UploadItem[]): Promise<readonly Answer[]> {
    const got = await this.#o.ask(items);
    if (got.ok && (items.length === 1 || fits(items, got.value)))
      return got.value.map((target) => ok(target));
    if (items.length === 1) return [got.ok ? noAddress : got];
    if (got.ok) this.#most = 1;
    // One item that the service refuses must not fail the others.
    else if (got.error.reason !== 'refused') return items.map(() => got);
    const alone = await Promise.all(items.map((item) => this.#ask([item])));
    return alone.map(([answer]) => answer ?? noAddress);
  }
}

/** A file that is put to the address of another one would be taken for that one. */
const fits = (items: readonly UploadItem[], targets: readonly UploadTarget[]): boolean =>
  items.length === targets.length &&
  targets.every(({ filePath }, index) => extensionOf(filePath) === items[index]?.extension);

const noAddress: Answer = err({ reason: 'unanswered', message: 'no upload address came' });
