// The service over HTTP: one call is one request, and every answer is a value.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import type { ApiFailure } from '../api/failure.ts';
import {
  type Creation,
  creationSchema,
  type FaceDetection,
  faceDetectionSchema,
  type Project,
  projectSchema,
  type UploadAddresses,
  uploadAddressesSchema,
} from '../api/project.ts';
import { type Route, routes } from '../api/routes.ts';
import { digestFrom } from '../base/digest.ts';
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
}

export interface HttpClient extends MediaApi {
  close(): Promise<void>;
}

type Answer<T> = Promise<Result<T, ApiFailure>>;
type Method = 'GET' | 'POST' | 'DELETE';

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
  const pace: Pace = pacer(options.requestsPerMinute, options.clock);
  const preferred = new Map<string, 'path' | 'alternate'>();
  const headers = { authorization: `Bearer ${options.key}` };
  const jsonHeaders = { ...headers, 'content-type': 'application/json' };

  const send = async (
    method: Method,
    path: string,
    body: JsonObject | undefined,
    signal?: AbortSignal,
  ): Answer<unknown> => {
    if (signal?.aborted) return err({ reason: 'aborted', message: '' });
    await pace(signal);
    try {
      const response = await request(`${base}${path}`, {
        method,
        dispatcher: agent,
        headers: body === undefined ? headers : jsonHeaders,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      const text = await response.body.text();
      const value = parsed(text);
      if (response.statusCode >= 200 && response.statusCode < 300) return ok(value);
      return err(
        failureOfStatus(response.statusCode, value, response.headers, options.clock.now()),
      );
    } catch (error) {
      return err(failureOfError(error, signal));
    }
  };

  /** Three paths exist in two forms: the other is tried on 404, and what answered is remembered. */
  const sendTo = async (
    method: Method,
    route: Route,
    body: JsonObject | undefined,
    signal?: AbortSignal,
  ): Answer<unknown> => {
    const { path, alternate } = route;
    if (alternate === undefined) return await send(method, path, body, signal);
    const name = `${method} ${path.replace(/\/[^/]*\/face-detection$/, '/:id/face-detection')}`;
    const first = preferred.get(name) ?? 'path';
    const answer = await send(method, first === 'path' ? path : alternate, body, signal);
    if (answer.ok || answer.error.reason !== 'not-found' || preferred.has(name)) {
      if (answer.ok) preferred.set(name, first);
      return answer;
    }
    const other = await send(method, alternate, body, signal);
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
    async uploadAddress({ type, extension }, signal) {
      const got = await checked<UploadAddresses>(
        uploadAddressesSchema,
        sendTo('POST', routes.uploadAddresses(), { items: [{ type, extension }] }, signal),
      );
      const first = got.ok ? got.value.items[0] : undefined;
      if (!got.ok) return got;
      if (first === undefined)
        return err({ reason: 'unanswered', message: 'no upload address came' });
      return ok({ uploadUrl: first.upload_url, filePath: first.file_path });
    },
    put: ({ uploadUrl }, file, signal) => putFile(agent, uploadUrl, file, signal),
    async detectFaces(body, signal) {
      return await checked<{ readonly id: string }>(
        idSchema,
        sendTo('POST', routes.detectFaces(), body, signal),
      );
    },
    faceDetection: (id, signal) =>
      checked<FaceDetection>(
        faceDetectionSchema,
        sendTo('GET', routes.faceDetection(id), undefined, signal),
      ),
    create: (tool, body) =>
      checked<Creation>(creationSchema, sendTo('POST', routes.create(tool), body)),
    project: (record, id, signal) =>
      checked<Project>(projectSchema, sendTo('GET', routes.project(record, id), undefined, signal)),
    async deleteProject(record, id, signal) {
      const got = await sendTo('DELETE', routes.project(record, id), undefined, signal);
      return got.ok ? ok(undefined) : got;
    },
    download: (url, into, signal) => fetchFile(agent, url, into, signal),
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
  signal: AbortSignal,
): ReturnType<MediaApi['put']> {
  if (!/^https?:\/\//.test(url))
    return err({ reason: 'refused', status: 0, message: 'the upload address is not http(s)' });
  const hash = createHash('sha256');
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const whole = size <= wholeBytes;
    const body = whole
      ? await file.readFile()
      : Readable.from(chunks(file, hash), { objectMode: false });
    if (whole && Buffer.isBuffer(body)) hash.update(body);
    const response = await request(url, {
      method: 'PUT',
      dispatcher: agent,
      headers: { 'content-length': String(Buffer.isBuffer(body) ? body.length : size) },
      body,
      signal,
    });
    await response.body.dump();
    if (response.statusCode >= 200 && response.statusCode < 300)
      return ok(digestFrom(hash.digest('hex')));
    return err(storageFailure(response.statusCode));
  } catch (error) {
    return err(failureOfError(error, signal));
  }
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
  signal: AbortSignal,
): ReturnType<MediaApi['download']> {
  if (!/^https?:\/\//.test(url))
    return err({ reason: 'refused', status: 0, message: 'the download address is not http(s)' });
  try {
    const response = await request(url, { method: 'GET', dispatcher: agent, signal });
    if (response.statusCode !== 200) {
      await response.body.dump();
      return err(storageFailure(response.statusCode));
    }
    return await saveBody(response, into);
  } catch (error) {
    return err(failureOfError(error, signal));
  }
}

async function saveBody(
  response: Dispatcher.ResponseData,
  into: LocalFile,
): Promise<Result<Fetched, ApiFailure>> {
  const hash = createHash('sha256');
  let bytes = 0;
  await using file = await open(into.path, 'w', 0o644);
  for await (const chunk of response.body) {
    const piece: Buffer = chunk;
    hash.update(piece);
    bytes += piece.length;
    await file.writeFile(piece);
  }
  const said = Number(response.headers['content-length'] ?? bytes);
  if (said !== bytes)
    return err({ reason: 'unanswered', message: `${bytes} of ${said} bytes came` });
  await file.datasync();
  const type = response.headers['content-type'];
  return ok({
    bytes,
    digest: digestFrom(hash.digest('hex')),
    contentType: typeof type === 'string' ? type : '',
  });
}
