// An S3-compatible bucket as a store: `<prefix>/<first two digits>/<SHA-256>`. Each request is signed (Signature Version
// 4) together with the hash of its body, so the bucket refuses any other body. Bodies are streamed in constant memory.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Digest, digestOfBytes } from '../base/digest.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { LocalFile, OutputStore, StoreAnswer, StoreFailure } from '../core/ports.ts';
import type { BucketAccess } from '../service-api/bucket-access.ts';
import { leastProgress } from '../service-api/given-up.ts';
import { Lost, Storage, type StorageAnswer } from '../service-api/storage.ts';
import { Broken, failureOf, receive, verifiedPieces } from './verified-file.ts';

export interface BucketOptions {
  /** Names the store in the state file. */
  readonly id: string;
  /** For messages: `s3://bucket/prefix`. */
  readonly name: string;
  readonly access: BucketAccess;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** If it is aborted, transfers end immediately. */
  readonly cut: AbortSignal;
}

type Request = Parameters<Storage['send']>[1];

const emptyHash = digestOfBytes('');

/** Put once into each store: shows that files can be put. */
const probeContent = Buffer.from(
  'shotlist keeps results here, each under the SHA-256 of its content.\n',
);

const connections = 16;
const patienceMs = 120_000;

export class BucketStore implements OutputStore {
  readonly id: string;
  readonly #o: BucketOptions;
  readonly #storage: Storage;

  constructor(options: BucketOptions) {
    this.id = options.id;
    this.#o = options;
    this.#storage = new Storage({
      addresses: { check: (text) => ok(new URL(text)), addressesOf },
      connections,
      answerMs: patienceMs,
      stallMs: patienceMs,
      progress: leastProgress,
      cut: options.cut,
    });
  }

  async check(): StoreAnswer<void> {
    return await this.#put(digestOfBytes(probeContent), probeContent.length, () => probeContent);
  }

  async put(file: LocalFile, digest: Digest, bytes: number): StoreAnswer<void> {
    return await this.#put(digest, bytes, () => verifiedPieces(file, digest, bytes));
  }

  async #put(
    digest: Digest,
    bytes: number,
    body: () => NonNullable<Request['body']>,
  ): StoreAnswer<void> {
    const known = await this.has(digest, bytes);
    if (known.ok && known.value) return ok(undefined);
    if (!known.ok && known.error.reason !== 'refused') return known;
    return await this.#attempt('PUT', digest, { body: body(), bytes }, async (answer) => {
      const { status } = answer;
      if (status >= 200 && status < 300) {
        await answer.skip();
        return ok(undefined);
      }
      return err(await this.#failure(answer));
    });
  }

  async get(digest: Digest, bytes: number, into: LocalFile): StoreAnswer<void> {
    return await this.#attempt('GET', digest, undefined, async (answer) => {
      if (answer.status !== 200) return err(await this.#failure(answer));
      return await receive(told(answer, this.#lost), { digest, bytes, store: this.#o.name }, into);
    });
  }

  async has(digest: Digest, bytes: number): StoreAnswer<boolean> {
    return await this.#attempt('HEAD', digest, undefined, async (answer) => {
      await answer.skip();
      if (answer.status === 404) return ok(false);
      if (answer.status !== 200) return err(await this.#failure(answer));
      return ok(Number(answer.headers['content-length']) === bytes);
    });
  }

  async close(): Promise<void> {
    await this.#storage.close();
  }

  async #attempt<T>(
    method: Request['method'],
    digest: Digest,
    sent: { readonly body: NonNullable<Request['body']>; readonly bytes: number } | undefined,
    heed: (answer: StorageAnswer) => Promise<Result<T, StoreFailure>>,
  ): Promise<Result<T, StoreFailure>> {
    const reading: { failed?: unknown } = {};
    try {
      const { access, prefix } = this.#o;
      const url = `${access.base}/${prefix}${digest.slice(0, 2)}/${digest}`;
      const hash = sent === undefined ? emptyHash : digest;
      const headers = await signed(method, url, hash, access);
      const length: Readonly<Record<string, string>> =
        sent === undefined ? {} : { 'content-length': String(sent.bytes) };
      const body = sent === undefined ? {} : { body: noting(sent.body, reading) };
      return await heed(
        await this.#storage.send(url, { method, headers: { ...headers, ...length }, ...body }),
      );
    } catch (error) {
      // The file, not the network, ended the request.
      const cause = reading.failed ?? (error instanceof Lost ? this.#lost(error) : error);
      return err(failureOf(cause, 'the file'));
    }
  }

  readonly #lost = ({ failure: { reason, message } }: Lost): Broken => {
    if (reason === 'aborted') return new Broken({ reason, message });
    if (reason === 'local') return new Broken({ reason, message });
    const what = `${this.#o.name} did not answer${message === '' ? '' : ` (${message})`}`;
    return new Broken({ reason: 'unavailable', message: what });
  };

  async #failure(answer: StorageAnswer): Promise<StoreFailure> {
    const { status } = answer;
    const code = await codeOf(answer);
    const message = `${this.#o.name} answered ${status}${code === undefined ? '' : ` (${code})`}`;
    if (status === 429 || status === 408 || status >= 500)
      return { reason: 'unavailable', message };
    if (code === 'XAmzContentSHA256Mismatch' || code === 'BadDigest')
      return { reason: 'damaged', message: `${message}: the bytes changed on their way` };
    if (code === 'RequestTimeout') return { reason: 'unavailable', message };
    if (code === 'NoSuchBucket')
      return { reason: 'refused', message: `${message}: there is no such bucket` };
    if (status === 404)
      return { reason: 'missing', message: `${message}: it does not have the file` };
    return { reason: 'refused', message: `${message}${remedyFor(status, code)}` };
  }
}

/** Remembers the error that ended a body: undici reports only that the request ended. */
function noting(
  body: NonNullable<Request['body']>,
  reading: { failed?: unknown },
): NonNullable<Request['body']> {
  return Buffer.isBuffer(body) ? body : noted(body, reading);
}

async function* noted(
  body: AsyncIterable<Buffer>,
  reading: { failed?: unknown },
): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    reading.failed = error;
    throw error;
  }
}

/** The pieces of an answer. A lost connection is the store's failure, not the disk's. */
async function* told(answer: StorageAnswer, lost: (error: Lost) => Broken): AsyncGenerator<Buffer> {
  try {
    yield* answer.pieces();
  } catch (error) {
    throw error instanceof Lost ? lost(error) : error;
  }
}

async function signed(
  method: string,
  url: string,
  hash: Digest,
  { region, accessKeyId, secretAccessKey, sessionToken }: BucketAccess,
): Promise<Readonly<Record<string, string>>> {
  const { AwsV4Signer } = await import('aws4fetch');
  const signer = new AwsV4Signer({
    method,
    url,
    region,
    accessKeyId,
    secretAccessKey,
    service: 's3',
    ...(sessionToken === undefined ? {} : { sessionToken }),
    headers: { 'accept-encoding': 'identity', 'x-amz-content-sha256': hash },
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}

/** An error of S3 is a short XML text. */
const maxErrorChars = 16_000;

/** The code of an error, which is the only part of it that is shown: the rest may repeat the request. */
async function codeOf(answer: StorageAnswer): Promise<string | undefined> {
  let text = '';
  try {
    for await (const piece of answer.pieces()) {
      text += piece.toString('latin1');
      if (text.length > maxErrorChars) break;
    }
  } catch (error) {
    if (!(error instanceof Lost)) throw error;
  }
  return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(text)?.[1];
}

function remedyFor(status: number, code: string | undefined): string {
  if (status >= 300 && status < 400)
    return ': the bucket is elsewhere; check AWS_REGION and the endpoint';
  if (code === 'AuthorizationHeaderMalformed') return ': check AWS_REGION';
  return status === 401 || status === 403 ? ': check the credentials and what they allow' : '';
}

const addressesOf = async (host: string): Promise<readonly string[]> =>
  isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];
