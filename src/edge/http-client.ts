// The service over HTTP: one call is one request, and every answer is a value.
import { createHash } from 'node:crypto';
import { constants, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import type { ApiFailure } from '../api/failure.ts';
import {
  type Account,
  accountSchema,
  chargeTold,
  type FaceDetection,
  faceDetectionSchema,
  type Project,
  projectSchema,
  takenSchema,
  type UploadAddresses,
  uploadAddressesSchema,
} from '../api/project.ts';
import { type Route, routes } from '../api/routes.ts';
import { digestFrom, digestOfBytes } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Schema, validatorOf } from '../base/schema.ts';
import type { Clock, Fetched, LocalFile, MediaApi } from '../run/ports.ts';
import { failureOfError, failureOfStatus, storageFailure } from './http-failure.ts';
import { type Pace, pacer } from './pace.ts';

export interface ClientOptions {
  /** The base address; paths are appended to it. */
  readonly base: string;
  readonly key: string;
  readonly clock: Clock;
  readonly requestsPerMinute?: number | undefined;
  /** Milliseconds until the head of an answer must be there. */
  readonly answerMs?: number;
  readonly connections?: number;
  /** Aborted: what was not sent yet is not sent. */
  readonly stop?: AbortSignal;
}

export interface HttpClient extends MediaApi {
  close(): Promise<void>;
}

type Answer<T> = Promise<Result<T, ApiFailure>>;
const stopped: ApiFailure = { reason: 'aborted', message: '' };

type Method = 'GET' | 'POST' | 'DELETE';

const { O_CREAT, O_DSYNC, O_TRUNC, O_WRONLY } = constants;

/** Files up to this size are sent in one piece; larger ones stream, so memory stays the same. */
const wholeBytes = 1 << 20;

export function httpClient(options: ClientOptions): HttpClient {
  const base = options.base.replace(/\/+$/, '');
  const agent = new Agent({
    connections: options.connections ?? 128,
    headersTimeout: options.answerMs ?? 120_000,
    bodyTimeout: 120_000,
    connect: { timeout: 15_000 },
  });
  const pace: Pace = pacer(options.requestsPerMinute, options.clock, options.stop);
  const preferred = new Map<string, 'path' | 'alternate'>();
  const headers = { authorization: `Bearer ${options.key}` };
  const jsonHeaders = { ...headers, 'content-type': 'application/json' };

  const send = async (
    method: Method,
    path: string,
    body: JsonObject | undefined,
    known?: AbortSignal,
  ): Answer<unknown> => {
    await pace();
    if (options.stop?.aborted || known?.aborted) return err(stopped);
    try {
      const response = await request(`${base}${path}`, {
        method,
        dispatcher: agent,
        headers: body === undefined ? headers : jsonHeaders,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(known === undefined ? {} : { signal: known }),
      });
      const text = await response.body.text();
      const value = parsed(text);
      if (response.statusCode >= 200 && response.statusCode < 300) return ok(value);
      return err(
        failureOfStatus(response.statusCode, value, response.headers, options.clock.now()),
      );
    } catch (error) {
      return err(known?.aborted ? stopped : failureOfError(error));
    }
  };

  /** Three paths exist in two forms: the other is tried on 404, and what answered is remembered. */
  const sendTo = async (
    method: Method,
    route: Route,
    body: JsonObject | undefined,
  ): Answer<unknown> => {
    const { path, alternate } = route;
    if (alternate === undefined) return await send(method, path, body);
    const name = `${method} ${path.replace(/\/[^/]*\/face-detection$/, '/:id/face-detection')}`;
    const first = preferred.get(name) ?? 'path';
    const answer = await send(method, first === 'path' ? path : alternate, body);
    if (answer.ok || answer.error.reason !== 'not-found' || preferred.has(name)) {
      if (answer.ok) preferred.set(name, first);
      return answer;
    }
    const other = await send(method, alternate, body);
    if (other.ok) preferred.set(name, 'alternate');
    return other;
  };

  const checked = async <T>(schema: Schema, answer: Answer<unknown>): Answer<T> => {
    const got = await answer;
    if (!got.ok) return got;
    const validate = validatorOf<T>(schema);
    if (validate(got.value)) return ok(got.value);
    const [error] = validate.errors ?? [];
    const where = error === undefined ? '' : `: ${error.instancePath || 'it'} ${error.message}`;
    return err({
      reason: 'unanswered',
      message: `the answer is not what the interface says${where}`,
    });
  };

  return {
    async uploadAddress({ type, extension }) {
      const got = await checked<UploadAddresses>(
        uploadAddressesSchema,
        sendTo('POST', routes.uploadAddresses(), { items: [{ type, extension }] }),
      );
      const first = got.ok ? got.value.items[0] : undefined;
      if (!got.ok) return got;
      if (first === undefined)
        return err({ reason: 'unanswered', message: 'no upload address came' });
      return ok({ uploadUrl: first.upload_url, filePath: first.file_path });
    },
    put: async ({ uploadUrl }, file) =>
      options.stop?.aborted ? err(stopped) : await putFile(agent, uploadUrl, file),
    async detectFaces(body) {
      return await checked<{ readonly id: string }>(
        idSchema,
        sendTo('POST', routes.detectFaces(), body),
      );
    },
    faceDetection: (id) =>
      checked<FaceDetection>(
        faceDetectionSchema,
        sendTo('GET', routes.faceDetection(id), undefined),
      ),
    async create(tool, body, known) {
      const path = routes.create(tool).path;
      const got = await checked<{ readonly id: string }>(
        takenSchema,
        send('POST', path, body, known),
      );
      return got.ok ? ok({ id: got.value.id, credits: chargeTold(got.value) }) : got;
    },
    async account() {
      const got = await checked<Account>(accountSchema, sendTo('GET', routes.account(), undefined));
      return got.ok || got.error.reason !== 'not-found' ? got : ok(undefined);
    },
    project: (record, id) =>
      checked<Project>(projectSchema, sendTo('GET', routes.project(record, id), undefined)),
    async deleteProject(record, id) {
      const got = await sendTo('DELETE', routes.project(record, id), undefined);
      return got.ok ? ok(undefined) : got;
    },
    download: async (url, into) =>
      options.stop?.aborted ? err(stopped) : await fetchFile(agent, url, into),
    close: () => agent.close(),
  };
}

const idSchema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', minLength: 1 } },
} as const;

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: a proxy's page, for example. The status alone speaks then.
    return undefined;
  }
}

/** PUT to a presigned address: no bearer header, constant memory. */
async function putFile(
  agent: Agent,
  url: string,
  { path }: LocalFile,
): ReturnType<MediaApi['put']> {
  if (!/^https?:\/\//.test(url))
    return err({ reason: 'refused', status: 0, message: 'the upload address is not http(s)' });
  const small = readSmall(path);
  if (typeof small !== 'undefined' && !Buffer.isBuffer(small)) return err(small);
  try {
    if (small !== undefined) {
      const sent = await putBody(agent, url, small, small.length);
      return sent === undefined ? ok(digestOfBytes(small)) : err(sent);
    }
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const hash = createHash('sha256');
    const body = Readable.from(chunks(file, hash), { objectMode: false });
    const sent = await putBody(agent, url, body, size);
    return sent === undefined ? ok(digestFrom(hash.digest('hex'))) : err(sent);
  } catch (error) {
    return err(failureOfError(error));
  }
}

/** A file of at most `wholeBytes` in one piece; undefined: it is larger, and streams. */
function readSmall(path: string): Buffer | ApiFailure | undefined {
  try {
    return statSync(path).size <= wholeBytes ? readFileSync(path) : undefined;
  } catch (error) {
    return failureOfError(error);
  }
}

/** Undefined: it was taken. */
async function putBody(
  agent: Agent,
  url: string,
  body: Buffer | Readable,
  bytes: number,
): Promise<ApiFailure | undefined> {
  const headers = { 'content-length': String(bytes) };
  const response = await request(url, { method: 'PUT', dispatcher: agent, headers, body });
  await response.body.dump();
  const taken = response.statusCode >= 200 && response.statusCode < 300;
  return taken ? undefined : storageFailure(response.statusCode);
}

type Hash = ReturnType<typeof createHash>;
type Handle = Awaited<ReturnType<typeof open>>;

async function* chunks(file: Handle, hash: Hash): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(1 << 18) });
    if (bytesRead === 0) return;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    yield chunk;
  }
}

/** Streams a download into a new file, checks its length, and syncs it. */
async function fetchFile(
  agent: Agent,
  url: string,
  into: LocalFile,
): ReturnType<MediaApi['download']> {
  if (!/^https?:\/\//.test(url))
    return err({ reason: 'refused', status: 0, message: 'the download address is not http(s)' });
  try {
    const response = await request(url, { method: 'GET', dispatcher: agent });
    if (response.statusCode !== 200) {
      await response.body.dump();
      return err(storageFailure(response.statusCode));
    }
    return await saveBody(response, into);
  } catch (error) {
    return err(failureOfError(error));
  }
}

async function saveBody(
  response: Dispatcher.ResponseData,
  into: LocalFile,
): Promise<Result<Fetched, ApiFailure>> {
  const length = response.headers['content-length'];
  const said = typeof length === 'string' ? Number(length) : undefined;
  const type = response.headers['content-type'];
  const contentType = typeof type === 'string' ? type : '';
  const saved =
    said !== undefined && said <= wholeBytes
      ? await saveWhole(Buffer.from(await response.body.arrayBuffer()), into)
      : await saveStream(response.body, into).catch((error: unknown) => {
          // Unread, the body would hold its connection for ever.
          response.body.destroy();
          throw error;
        });
  if (said !== undefined && said !== saved.bytes)
    return err({ reason: 'unanswered', message: `${saved.bytes} of ${said} bytes came` });
  return ok({ ...saved, contentType });
}

type Saved = Omit<Fetched, 'contentType'>;

/** One write that returns when the bytes are on disk: a small file needs no sync of its own. */
async function saveWhole(bytes: Buffer, into: LocalFile): Promise<Saved> {
  await using file = await open(into.path, O_DSYNC | O_CREAT | O_TRUNC | O_WRONLY, 0o644);
  await file.writeFile(bytes);
  return { bytes: bytes.length, digest: digestOfBytes(bytes) };
}

async function saveStream(body: AsyncIterable<Buffer>, into: LocalFile): Promise<Saved> {
  const hash = createHash('sha256');
  let bytes = 0;
  await using file = await open(into.path, 'w', 0o644);
  for await (const piece of body) {
    hash.update(piece);
    bytes += piece.length;
    await file.writeFile(piece);
  }
  await file.datasync();
  return { bytes, digest: digestFrom(hash.digest('hex')) };
}
