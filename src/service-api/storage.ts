// Requests to presigned addresses: without a bearer header or redirects, only to checked hosts, and with a minimum of
// progress. A network failure is thrown as `Lost`, so that it is never confused with a file's failure.
import { Readable } from 'node:stream';
import { Agent } from 'undici';
import type { ApiFailure } from '../contract/api/failure.ts';
import { checkedConnector, connectorOptions } from './connector.ts';
import { GivenUp, type LeastProgress, Progress } from './given-up.ts';
import { failureOfError, stopped } from './http-failure.ts';
import { OpenRequests } from './open-requests.ts';
import { type Headers, RequestHandler } from './request-handler.ts';
import type { StorageAddresses } from './storage-address.ts';

/** The network failure that ended a transfer. */
export class Lost extends Error {
  readonly code = 'LOST';
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

export interface StorageOptions {
  readonly addresses: Pick<StorageAddresses, 'check' | 'addressesOf'>;
  readonly connections: number;
  /** Milliseconds until the head of an answer must arrive. */
  readonly answerMs: number;
  /** Milliseconds without a byte until a transfer counts as cut. */
  readonly stallMs: number;
  readonly progress: LeastProgress;
  /** If it is aborted, transfers end immediately. */
  readonly cut: AbortSignal | undefined;
}

export interface StorageAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, piece by piece. Read it, skip it or drop it; otherwise it holds its connection. */
  pieces(): AsyncIterable<Buffer>;
  /** The whole body, for one that is known to be small. */
  whole(): Promise<Buffer>;
  /** Reads past a body without useful content, unless it is long or slow. */
  skip(): Promise<void>;
  drop(): void;
}

interface StorageRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Buffer> | Buffer;
}

/** The limits for reading an unneeded body so that its connection can be reused: bytes, and milliseconds. */
const skippedBytes = 1 << 17;
const skippedMs = 5000;
/** Bytes that wait to be read before the sender has to wait. */
const maxHeldBytes = 1 << 18;

export class Storage {
  readonly #o: StorageOptions;
  readonly #agent: Agent;
  readonly #open: OpenRequests;

  constructor(options: StorageOptions) {
    this.#o = options;
    const { addresses, connections, answerMs, stallMs, progress, cut } = options;
    this.#open = new OpenRequests(cut, progress.everyMs);
    this.#agent = new Agent({
      connections,
      headersTimeout: answerMs,
      bodyTimeout: stallMs,
      connect: checkedConnector(15_000, (host) => addresses.addressesOf(host)),
      ...connectorOptions,
    });
  }

  /** One request; throws Lost. */
  send(address: string, { method, headers, body }: StorageRequest): Promise<StorageAnswer> {
    return new Promise((resolve, reject) => {
      const checked = this.#o.addresses.check(address);
      if (!checked.ok) return reject(new Lost(checked.error));
      const { origin, pathname, search } = checked.value;
      const isWhole = body === undefined || Buffer.isBuffer(body);
      const progress = new Progress(this.#o.progress);
      new Transfer(this.#open, progress, isWhole, resolve, reject).dispatch(this.#agent, {
        origin,
        path: `${pathname}${search}`,
        method,
        headers,
        body: isWhole ? (body ?? null) : Readable.from(body, { objectMode: false }),
      });
    });
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

class Transfer extends RequestHandler implements StorageAnswer {
  readonly #progress: Progress;
  readonly #isWhole: boolean;
  readonly #answered: (answer: StorageAnswer) => void;
  readonly #lostUnanswered: (lost: Lost) => void;
  #pieces: Buffer[] = [];
  /** The bytes of `#pieces`. */
  #held = 0;
  /** The most bytes to hold until the sender has to wait. */
  #most = maxHeldBytes;
  #skipped: number | undefined;
  #lost: Lost | undefined;
  #wake: (() => void) | undefined;
  status = 0;
  headers: Headers = {};

  /** `isWhole`: the request's body is sent in one piece, or there is none. */
  constructor(
    open: OpenRequests,
    progress: Progress,
    isWhole: boolean,
    answered: (answer: StorageAnswer) => void,
    lost: (lost: Lost) => void,
  ) {
    super(open);
    this.#progress = progress;
    this.#isWhole = isWhole;
    this.#answered = answered;
    this.#lostUnanswered = lost;
  }

  look(now: number): void {
    const slow = this.#progress.look(now);
    if (slow !== undefined) this.giveUp(slow);
  }

  onBodySent(chunk: Buffer): void {
    if (!this.#isWhole) this.#progress.add(chunk.length);
  }

  protected starts(): undefined {
    return undefined;
  }

  protected answers(status: number, headers: Headers): void {
    this.#progress.add(0);
    this.status = status;
    this.headers = headers;
    this.#answered(this);
  }

  protected receives(chunk: Buffer): void {
    this.#progress.add(chunk.length);
    if (this.#skipped !== undefined) {
      this.#skipped += chunk.length;
      if (this.#skipped > skippedBytes) this.drop();
      return;
    }
    this.#pieces.push(chunk);
    this.#held += chunk.length;
    if (this.#held >= this.#most) this.hold(true);
    this.#wake?.();
  }

  protected completes(): void {
    this.#wake?.();
  }

  protected fails(error: unknown): void {
    const isStopped = error instanceof GivenUp && error.because === 'stopped';
    this.#lost = new Lost(isStopped ? stopped : failureOfError(error));
    this.#lostUnanswered(this.#lost);
    this.#wake?.();
  }

  async *pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const piece = this.#pieces.shift();
        if (piece !== undefined) {
          this.#held -= piece.length;
          if (this.#held < this.#most) this.hold(false);
          yield piece;
        } else if (this.#lost !== undefined) throw this.#lost;
        else if (this.isOver) return;
        else await this.#more();
      }
    } finally {
      this.drop();
    }
  }

  async whole(): Promise<Buffer> {
    this.#most = Number.POSITIVE_INFINITY;
    this.hold(false);
    while (!this.isOver) await this.#more();
    if (this.#lost !== undefined) throw this.#lost;
    const [first, second] = this.#pieces;
    return first !== undefined && second === undefined ? first : Buffer.concat(this.#pieces);
  }

  async skip(): Promise<void> {
    this.#skipped = this.#held;
    this.#pieces = [];
    this.hold(false);
    if (this.isOver) return;
    const enough = setTimeout(() => this.drop(), skippedMs);
    await this.#more();
    clearTimeout(enough);
  }

  drop(): void {
    if (!this.isOver) this.giveUp(new GivenUp('long', 'nobody reads the rest'));
  }

  /** Resolves when there is more to read, or the answer is over. */
  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
