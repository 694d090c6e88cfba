// The open requests. They share one abort listener and one timer, because a listener and a timer for each request would
// cost more than the bytes of a small request. A file of its own: the types of the library name it, and not undici's.

export interface OpenRequest {
  /** The run no longer waits for it. */
  stop(): void;
  /** Looks whether it took too long; `now` is in milliseconds of `performance.now()`. */
  look(now: number): void;
}

const maxTickMs = 1000;

export class OpenRequests {
  readonly #cut: AbortSignal | undefined;
  readonly #tickMs: number;
  readonly #open = new Set<OpenRequest>();
  #timer: NodeJS.Timeout | undefined;

  /** If `cut` is aborted, all requests stop. Limits are in the order of `limitMs`, and kept to a tenth of it. */
  constructor(cut: AbortSignal | undefined, limitMs: number) {
    this.#cut = cut;
    this.#tickMs = Math.min(maxTickMs, Math.ceil(limitMs / 10));
  }

  /** True if no request may begin any more. */
  get areCut(): boolean {
    return this.#cut?.aborted === true;
  }

  add(request: OpenRequest): void {
    this.#open.add(request);
    if (this.#timer !== undefined) return;
    // An open request has a socket, which keeps the process alive.
    this.#timer = setInterval(this.#look, this.#tickMs).unref();
    this.#cut?.addEventListener('abort', this.#stop);
  }

  remove(request: OpenRequest): void {
    this.#open.delete(request);
  }

  readonly #look = (): void => {
    const now = performance.now();
    for (const request of this.#open) request.look(now);
    if (this.#open.size === 0) this.#rest();
  };

  /** Nothing was open at this look; the next request begins again. */
  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#cut?.removeEventListener('abort', this.#stop);
  }

  readonly #stop = (): void => {
    for (const request of this.#open) request.stop();
  };
}
