// Requests to presigned addresses: without a bearer header or redirects, only to checked hosts, and with a minimum of
// progress. A network failure is thrown as `Lost`, so that it is never confused with a file's failure.
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import type { ApiFailure } from '../../../contract/api/failure.ts';
import { checkedConnector, connectorOptions } from './connector.ts';
import { GivenUp } from './exchange.ts';
import { failureOfError, stopped } from './http-failure.ts';
import { type LeastProgress, Progress } from './progress.ts';
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
  readonly headers: Dispatcher.ResponseData['headers'];
  /** The body, piece by piece. Read it, skip it or drop it; otherwise it holds its connection. */
  pieces(): AsyncIterable<Buffer>;
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

export class Storage {
  readonly #o: StorageOptions;
  readonly #agent: Agent;

  constructor(options: StorageOptions) {
    this.#o = options;
    const { addresses, connections, answerMs, stallMs } = options;
    this.#agent = new Agent({
      connections,
      headersTimeout: answerMs,
      bodyTimeout: stallMs,
      connect: checkedConnector(15_000, (host) => addresses.addressesOf(host)),
      ...connectorOptions,
    });
  }

  /** One request; throws Lost. */
  async send(address: string, { method, headers, body }: StorageRequest): Promise<StorageAnswer> {
    const checked = this.#o.addresses.check(address);
    if (!checked.ok) throw new Lost(checked.error);
    const progress = new Progress(this.#o.progress);
    const { cut } = this.#o;
    const signal = cut === undefined ? progress.signal : AbortSignal.any([progress.signal, cut]);
    const lost = (error: unknown): Lost => {
      progress[Symbol.dispose]();
      if (cut?.aborted === true) return new Lost(stopped);
      const { reason } = progress.signal;
      return new Lost(failureOfError(reason instanceof GivenUp ? reason : error));
    };
    const moving =
      body === undefined || Buffer.isBuffer(body)
        ? body
        : Readable.from(watched(body, progress), { objectMode: false });
    let response: Dispatcher.ResponseData;
    try {
      response = await request(checked.value, {
        ...{ method, headers, signal, dispatcher: this.#agent },
        body: moving ?? null,
      });
    } catch (error) {
      throw lost(error);
    }
    progress.add(0);
    return answerOf(response, progress, lost);
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

async function* watched(body: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    progress.add(chunk.length);
    yield chunk;
  }
}

function answerOf(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  progress: Progress,
  lost: (error: unknown) => Lost,
): StorageAnswer {
  // A dropped body ends with an error that nobody needs.
  body.on('error', () => undefined);
  return {
    status: statusCode,
    headers,
    async *pieces() {
      const reader = body[Symbol.asyncIterator]();
      try {
        for (;;) {
          let next: IteratorResult<Buffer>;
          try {
            next = await reader.next();
          } catch (error) {
            throw lost(error);
          }
          if (next.done === true) return;
          progress.add(next.value.length);
          yield next.value;
        }
      } finally {
        progress[Symbol.dispose]();
        // Unread, the body would hold its connection forever.
        body.destroy();
      }
    },
    async skip() {
      const enough = setTimeout(() => body.destroy(), skippedMs);
      await body.dump({ limit: skippedBytes });
      clearTimeout(enough);
      progress[Symbol.dispose]();
    },
    drop() {
      progress[Symbol.dispose]();
      body.destroy();
    },
  };
}
