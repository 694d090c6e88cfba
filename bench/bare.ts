// The bare loop: what the runner is measured against. It makes exactly the requests that one item
// of a face-swap pipeline needs and keeps nothing: no journal, no fingerprints, no files, no
// retries. The distance between it and the runner is the price of never paying twice.
//
// Chosen by measuring (README.md): undici's `request` over one Agent with a connection for each item
// in flight, no pipelining, and each file read into memory whole and at once, which for small
// pictures costs less than a promise. It reads a project once, so the stub must not delay.
import { constants, readFileSync } from 'node:fs';
import { open, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent, type Dispatcher } from 'undici';
import { isObject } from '../src/base/json.ts';

export interface BareLoop {
  /** Base address of the service. */
  readonly address: string;
  readonly key: string;
  /** Paths of pictures, an item each; the first is also the shared actor. */
  readonly files: readonly string[];
  /** Items in flight. */
  readonly concurrency: number;
  /** Save each download here, synced and renamed into place, as the runner must: what safety costs by itself. */
  readonly save?: string | undefined;
}

export interface BareResult {
  readonly seconds: number;
  readonly items: number;
  readonly requests: number;
}

/** Throws on the first answer that is not what an item needs. */
export async function bareLoop({
  address,
  key,
  files,
  concurrency,
  save,
}: BareLoop): Promise<BareResult> {
  const [actor] = files;
  if (actor === undefined) throw new Error('the bare loop needs at least one file');
  const agent = new Agent({ connections: concurrency, pipelining: 1 });
  const service = openService(agent, address, key);
  const started = performance.now();

  const newFace = await upload(service, actor);
  let items = 0;
  const queue = files.values();
  const work = async (): Promise<void> => {
    // One iterator shared by all workers: each takes the next file.
    for (const file of queue) {
      await runItem(service, file, newFace, save);
      items += 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, files.length) }, work));

  const seconds = (performance.now() - started) / 1000;
  await agent.close();
  return { seconds, items, requests: service.requests() };
}

async function runItem(
  service: Service,
  file: string,
  newFace: string,
  save: string | undefined,
): Promise<void> {
  const target = await upload(service, file);
  const detection = await service.post('/v1/face-detection', {
    assets: { target_file_path: target },
  });
  const faces = await service.get(`/v1/face-detection/${textAt(detection, ['id'])}`);
  const created = await service.post('/v1/face-swap-photo', {
    assets: {
      target_file_path: target,
      face_swap_mode: 'individual-faces',
      face_mappings: [{ original_face: textAt(faces, ['faces', 0, 'path']), new_face: newFace }],
    },
  });
  const path = `/v1/image-projects/${textAt(created, ['id'])}`;
  const url = textAt(await service.get(path), ['downloads', 0, 'url']);
  if (save === undefined) await service.download(url);
  else await saveWhole(await service.fetch(url), join(save, basename(file)));
  await service.remove(path);
}

/** Its `file_path` in storage. */
async function upload(service: Service, file: string): Promise<string> {
  const extension = file.slice(file.lastIndexOf('.') + 1);
  const addresses = await service.post('/v1/files/upload-urls', {
    items: [{ type: 'image', extension }],
  });
  await service.put(textAt(addresses, ['items', 0, 'upload_url']), readFileSync(file));
  return textAt(addresses, ['items', 0, 'file_path']);
}

interface Service {
  get(path: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  remove(path: string): Promise<void>;
  /** To a presigned address: no bearer header. */
  put(url: string, bytes: Buffer): Promise<void>;
  /** From a presigned address; the bytes are dropped. */
  download(url: string): Promise<void>;
  fetch(url: string): Promise<Buffer>;
  /** How many were sent so far. */
  requests(): number;
}

function openService(agent: Agent, address: string, key: string): Service {
  const authorization = `Bearer ${key}`;
  const reading = { authorization };
  const writing = { authorization, 'content-type': 'application/json' };
  let requests = 0;

  const send = async (
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData['body']> => {
    requests += 1;
    const { statusCode, body } = await agent.request(options);
    if (statusCode === 200 || statusCode === 204) return body;
    const { method, path } = options;
    throw new Error(`${method} ${path} was answered ${statusCode}: ${await body.text()}`);
  };

  return {
    get: async (path) =>
      (await send({ origin: address, path, method: 'GET', headers: reading })).json(),
    post: async (path, body) => {
      const text = JSON.stringify(body);
      const answer = await send({
        origin: address,
        path,
        method: 'POST',
        headers: writing,
        body: text,
      });
      return answer.json();
    },
    remove: async (path) =>
      drain(await send({ origin: address, path, method: 'DELETE', headers: reading })),
    put: async (url, bytes) => drain(await send({ ...placeOf(url), method: 'PUT', body: bytes })),
    download: async (url) => drain(await send({ ...placeOf(url), method: 'GET' })),
    fetch: async (url) =>
      Buffer.from(await (await send({ ...placeOf(url), method: 'GET' })).arrayBuffer()),
    requests: () => requests,
  };
}

const { O_CREAT, O_DSYNC, O_TRUNC, O_WRONLY } = constants;

/** On disk when it resolves, but for its name: a real loop would sync the folder too. */
async function saveWhole(bytes: Buffer, path: string): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, O_DSYNC | O_CREAT | O_TRUNC | O_WRONLY);
  await file.writeFile(bytes);
  await file.close();
  await rename(part, path);
}

function placeOf(url: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

/** Reads to the end, so that the connection can be used again. */
function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  return body.dump({ limit: Number.MAX_SAFE_INTEGER });
}

function textAt(answer: unknown, path: readonly (string | number)[]): string {
  let value = answer;
  for (const part of path) {
    if (typeof part === 'number') value = Array.isArray(value) ? value[part] : undefined;
    else value = isObject(value) ? value[part] : undefined;
  }
  if (typeof value === 'string') return value;
  throw new Error(`no text at ${path.join('.')} in the answer ${JSON.stringify(answer)}`);
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      address: { type: 'string' },
      files: { type: 'string' },
      concurrency: { type: 'string', default: '32' },
      save: { type: 'string' },
    },
  });
  const { address, files: folder } = values;
  if (address === undefined || folder === undefined) {
    throw new Error('usage: node bench/bare.ts --address URL --files DIR [--concurrency 32]');
  }
  const key = process.env['SHOTLIST_API_KEY'] ?? 'bench';
  const files = (await readdir(folder)).sort().map((name) => join(folder, name));
  const concurrency = Number(values.concurrency);
  const before = process.cpuUsage();
  const result = await bareLoop({ address, key, files, concurrency, save: values.save });
  const { user, system } = process.cpuUsage(before);
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const measured = { ...result, processor: (user + system) / 1e6, peakMb };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}
