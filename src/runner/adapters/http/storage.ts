// Requests to presigned addresses: no bearer header, no redirect, only to hosts that were checked, and none that stands
// still. What the network does to them is thrown as `Lost`, so that it is never confused with trouble of a file.
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import type { ApiFailure } from '../../../contract/api/failure.ts';
import { checkedConnector, connectorOptions } from './connector.ts';
import { GivenUp } from './exchange.ts';
import { failureOfError, stopped } from './http-failure.ts';
import { type LeastProgress, Progress } from './progress.ts';
import type { StorageAddresses } from './storage-address.ts';

/** The network's part in a transfer that failed. */
export class Lost extends Error {
  readonly code = 'LOST';
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

export interface StorageOptions {
  readonly addresses: StorageAddresses;
  readonly connections: number;
  /** Milliseconds until the head of an answer must be there. */
  readonly answerMs: number;
  /** Milliseconds without a byte until a transfer counts as cut. */
  readonly stallMs: number;
  readonly progress: LeastProgress;
  /** Aborted: transfers end at once. */
  readonly cut: AbortSignal | undefined;
}

export interface StorageAnswer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  /** The body, piece by piece. It must be read, skipped or dropped, or it holds its connection. */
  pieces(): AsyncIterable<Buffer>;
  /** Reads past a body that says nothing, unless it is long or slow. */
  skip(): Promise<void>;
  drop(): void;
}

interface Sending {
  readonly method: 'GET' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Buffer> | Buffer;
}

/** What is read of an answer that nobody needs, so that its connection can be used again: in bytes, and milliseconds. */
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
  async send(address: string, { method, headers, body }: Sending): Promise<StorageAnswer> {
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
  // A body that is given up ends with an error, which nobody waits for.
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
        // Unread, the body would hold its connection for ever.
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
