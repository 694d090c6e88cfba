// Upload addresses in batches: uploads that need an address at about the same time share one request (facts.md,
// Uploads). Later requests ask for as many addresses again, because the uploads of a full window begin one by one. Each upload
// gets its own answer; if the request fails, they all fail.

import { err, ok, type Result } from '../base/result.ts';
import { extensionOf } from '../contract/api/asset.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { Clock, MediaApi, ServiceAnswer, UploadItem, UploadTarget } from './ports.ts';

/** How long a request waits for more uploads, in milliseconds: a small part of what the request itself takes. */
export const gatherMs = 5;

/** The most uploads in one request. The service publishes no limit; a longer list would save hardly any requests. */
export const mostTogether = 50;

/** How long an address is kept for a later upload, in milliseconds: a small part of the 24 hours for which it works. */
export const spareMs = 5 * 60_000;

type Answer = Result<UploadTarget, ApiFailure>;

interface Gathering {
  readonly items: UploadItem[];
  readonly full: AbortController;
  /** In the order of the items. */
  readonly answers: Promise<readonly Answer[]>;
}

/** An address that was requested for an upload that may come later. */
interface Spare {
  readonly item: UploadItem;
  readonly answers: Promise<readonly Answer[]>;
  readonly index: number;
  /** By `elapsed`. */
  readonly until: number;
}

export class UploadAddresses {
  readonly #request: MediaApi['uploadAddresses'];
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  #gathering: Gathering | undefined;
  /** 1 for a service that answers a list with something else. */
  #most = mostTogether;
  /** The most uploads that shared a request: about as many begin while each of them is in progress. */
  #together = 1;
  #inProgress = 0;
  #spares: Spare[] = [];

  /** `stop`: if it is aborted, nothing is gathered any more. */
  constructor(request: MediaApi['uploadAddresses'], clock: Clock, stop: AbortSignal) {
    this.#request = request;
    this.#clock = clock;
    this.#stop = stop;
  }

  async one(item: UploadItem): ServiceAnswer<UploadTarget> {
    const spare = this.#takeSpare(item);
    const kept = spare === undefined ? undefined : (await spare.answers)[spare.index];
    if (kept?.ok === true) return kept;
    this.#gathering ??= this.#begin();
    const { items, full, answers } = this.#gathering;
    const index = items.push(item) - 1;
    if (items.length >= this.#most) {
      this.#gathering = undefined;
      full.abort();
    }
    return (await answers)[index] ?? noAddress;
  }

  #takeSpare({ type, extension }: UploadItem): Spare | undefined {
    const now = this.#clock.elapsed();
    this.#spares = this.#spares.filter(({ until }) => until > now);
    const index = this.#spares.findIndex(
      ({ item }) => item.type === type && item.extension === extension,
    );
    return index < 0 ? undefined : this.#spares.splice(index, 1)[0];
  }

  #begin(): Gathering {
    const items: UploadItem[] = [];
    const full = new AbortController();
    return { items, full, answers: this.#gathered(items, full.signal) };
  }

  async #gathered(items: readonly UploadItem[], full: AbortSignal): Promise<readonly Answer[]> {
    const woken = AbortSignal.any([this.#stop, full]);
    await this.#clock.sleep(this.#most === 1 ? 0 : gatherMs, woken);
    if (this.#gathering?.items === items) this.#gathering = undefined;
    const list = [...items];
    // While a request is in progress, uploads begin together, not one by one.
    const length = this.#inProgress > 0 ? 0 : Math.min(this.#together, this.#most);
    while (list.length < length) list.push(...items.slice(0, length - list.length));
    this.#together = Math.max(this.#together, items.length);
    const answers = this.#ask(list, items.length);
    const until = this.#clock.elapsed() + spareMs;
    for (const [index, item] of list.entries())
      if (index >= items.length) this.#spares.push({ item, answers, index, until });
    this.#inProgress += 1;
    try {
      return await answers;
    } finally {
      this.#inProgress -= 1;
    }
  }

  /** Asks for all items, and again for the first `needed` of them if the service does not take the list. */
  async #ask(items: readonly UploadItem[], needed: number): Promise<readonly Answer[]> {
    const got = await this.#request(items);
    if (got.ok && (items.length === 1 || fits(items, got.value)))
      return got.value.map((target) => ok(target));
    if (items.length === 1) return [got.ok ? noAddress : got];
    if (got.ok) this.#most = 1;
    // One item that the service refuses must not fail the others.
    else if (got.error.reason !== 'refused') return items.map(() => got);
    this.#together = 1;
    const alone = await Promise.all(items.slice(0, needed).map((item) => this.#ask([item], 1)));
    return alone.map(([answer]) => answer ?? noAddress);
  }
}

/** A file that is put to the address of another one would be taken for that one. */
const fits = (items: readonly UploadItem[], targets: readonly UploadTarget[]): boolean =>
  items.length === targets.length &&
  targets.every(({ filePath }, index) => extensionOf(filePath) === items[index]?.extension);

const noAddress: Answer = err({ reason: 'unanswered', message: 'no upload address came' });
