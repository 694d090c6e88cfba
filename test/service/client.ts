// A small client for tests of the local service: every request goes out exactly as it is written, so that a test
// can send what no well-behaved client would.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { type Dispatcher, getGlobalDispatcher } from 'undici';
import { asJson, isObject, type Json, type JsonObject } from '../../src/base/json.ts';
import type { RecordKind } from '../../src/contract/api/project.ts';

/** Where a service is and what opens it. */
export interface Door {
  readonly address: string;
  readonly key: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** The body as a JSON object; empty when it is none. */
  readonly body: JsonObject;
}

export interface Request {
  readonly method: Dispatcher.HttpMethod;
  /** Sent as it stands: nothing is normalised. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** One of the six photos of people that are on this disk, 1 to 6. */
export function sample(number: number): Buffer {
  const path = `../../node_modules/@vladmandic/face-api/demo/sample${number}.jpg`;
  return readFileSync(fileURLToPath(new URL(path, import.meta.url)));
}

/** The same, made smaller: still a photo that takes a moment to render. */
export async function smallSample(number: number): Promise<Buffer> {
  return await sharp(sample(number)).resize(500).jpeg().toBuffer();
}

/** A request without the key. */
export async function send(
  address: string,
  { method, path, headers = {}, body }: Request,
): Promise<Answer> {
  const response = await getGlobalDispatcher().request({
    origin: address,
    path,
    method,
    headers: { ...headers },
    body: body ?? null,
  });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes,
    body: objectIn(bytes.toString()),
  };
}

function objectIn(text: string): JsonObject {
  if (!text.startsWith('{')) return {};
  const value = asJson(JSON.parse(text));
  return isObject(value) ? value : {};
}

/** Path and query of an address, as they stand in it. */
export function pathOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}

export class Client {
  readonly door: Door;

  constructor(door: Door) {
    this.door = door;
  }

  /** With the key; a body that is no text or bytes is sent as JSON. */
  async ask(method: Dispatcher.HttpMethod, path: string, body?: Json): Promise<Answer> {
    const authorization = `Bearer ${this.door.key}`;
    if (body === undefined)
      return send(this.door.address, { method, path, headers: { authorization } });
    const headers = { authorization, 'content-type': 'application/json' };
    return send(this.door.address, { method, path, headers, body: JSON.stringify(body) });
  }

  /** Addresses for files of these extensions, all of one type. */
  async uploadAddresses(type: RecordKind, ...extensions: readonly string[]): Promise<Upload[]> {
    const { status, body } = await this.ask('POST', '/v1/files/generate-upload-urls', {
      items: extensions.map((extension) => ({ type, extension })),
    });
    if (status !== 200)
      throw new Error(`no upload addresses: ${status} ${textAt(body, 'message')}`);
    return listAt(body, 'items').map((item) => ({
      url: textAt(item, 'upload_url'),
      path: textAt(item, 'file_path'),
      expiresAt: textAt(item, 'expires_at'),
    }));
  }

  /** Uploads and answers the file_path. */
  async upload(content: Buffer, extension = 'jpg', type: RecordKind = 'image'): Promise<string> {
    const [place] = await this.uploadAddresses(type, extension);
    if (place === undefined) throw new Error('no upload address came');
    const { status } = await put(place.url, content);
    if (status !== 200) throw new Error(`the upload was answered with ${status}`);
    return place.path;
  }

  /** Creates a project that must be accepted. */
  async create(tool: string, body: JsonObject): Promise<JsonObject & { readonly id: string }> {
    const answer = await this.ask('POST', `/v1/${tool}`, body);
    if (answer.status !== 200)
      throw new Error(`${tool} was refused: ${answer.status} ${textAt(answer.body, 'message')}`);
    return { ...answer.body, id: textAt(answer.body, 'id') };
  }

  /** The face swap of interface.md: all faces of the target. */
  async swap(target: string, source: string, name = 'a swap'): Promise<string> {
    const assets = {
      target_file_path: target,
      source_file_path: source,
      face_swap_mode: 'all-faces',
    };
    return (await this.create('face-swap-photo', { name, assets })).id;
  }

  async record(kind: RecordKind, id: string): Promise<JsonObject> {
    const answer = await this.ask('GET', `/v1/${kind}-projects/${id}`);
    if (answer.status !== 200) throw new Error(`project ${id} was answered with ${answer.status}`);
    return answer.body;
  }

  /** The record of a project once it is complete or in error. */
  async settled(kind: RecordKind, id: string): Promise<JsonObject> {
    return await eventually(`project ${id} ends`, async () => {
      const record = await this.record(kind, id);
      return ['complete', 'error'].includes(textAt(record, 'status')) ? record : undefined;
    });
  }

  /** The record of a face detection that has ended. */
  async faces(target: string): Promise<JsonObject> {
    const { body } = await this.ask('POST', '/v1/files/face-detection', {
      assets: { target_file_path: target },
    });
    const path = `/v1/files/${textAt(body, 'id')}/face-detection`;
    return await eventually('the face detection ends', async () => {
      const record = (await this.ask('GET', path)).body;
      return ['complete', 'error'].includes(textAt(record, 'status')) ? record : undefined;
    });
  }

  /** The files of a settled project. */
  async outputs(record: JsonObject): Promise<readonly Buffer[]> {
    return await Promise.all(
      addressesIn(record).map(async (url) => {
        const { status, bytes } = await download(url);
        if (status !== 200) throw new Error(`the download was answered with ${status}`);
        return bytes;
      }),
    );
  }
}

interface Upload {
  readonly url: string;
  readonly path: string;
  readonly expiresAt: string;
}

/** To a presigned address: no key goes with it. */
export async function put(url: string, content: Buffer): Promise<Answer> {
  return send(new URL(url).origin, { method: 'PUT', path: pathOf(url), body: content });
}

export async function download(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return send(new URL(url).origin, { method: 'GET', path: pathOf(url), headers });
}

/** The download addresses of a record. */
export function addressesIn(record: JsonObject): readonly string[] {
  return listAt(record, 'downloads').map((item) => textAt(item, 'url'));
}

/** The first download address of a record. */
export function addressIn(record: JsonObject): string {
  const [url] = addressesIn(record);
  if (url === undefined) throw new Error('the record has no download');
  return url;
}

export function textAt(object: JsonObject, field: string): string {
  const value = object[field];
  if (typeof value !== 'string') throw new Error(`${field} is no text: ${JSON.stringify(object)}`);
  return value;
}

export function listAt(object: JsonObject, field: string): readonly JsonObject[] {
  const value = object[field];
  if (!Array.isArray(value)) throw new Error(`${field} is no list: ${JSON.stringify(object)}`);
  return value.filter(isObject);
}

/** Asks every few milliseconds until there is an answer; an error after two minutes. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 120_000;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`it never came to be that ${what}`);
    await wait(5);
  }
}
