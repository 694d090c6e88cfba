// The service as it would be if it cost nothing: every answer is fixed but for a counter, so that a
// benchmark measures the client. It has a few uses: timing the runner against the bare loop
// (bare.ts), counting the requests that a run makes, and long runs, since nothing is kept per item.
//
// It runs in a process of its own: `node bench/stub.ts [--delay-ms N]` prints one line,
// `{"address":"http://…"}`, and serves until SIGTERM or the end of its stdin, so it never outlives
// the benchmark that holds the pipe. The answers' shapes: interface.md, Resources; facts.md.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { isObject } from '../src/base/json.ts';

const kinds = [
  'upload-addresses',
  'upload',
  'detect',
  'detection',
  'create',
  'project',
  'download',
  'delete',
  'unknown',
] as const;
type Kind = (typeof kinds)[number];

// Where things are (interface.md, Other endpoints; facts.md, Paths that exist in two forms); uploads and downloads are as they please.
const projects = '/v1/image-projects/';
const faceDetection = '/v1/face-detection';
const creations = new Set(
  ['face-swap-photo', 'ai-image-generator', 'image-background-remover'].map(
    (tool) => `/v1/${tool}`,
  ),
);
const uploads = '/uploads/';
const downloads = '/downloads/';

const credits = 10;
const addressLifetimeMs = 24 * 60 * 60 * 1000;
const picture = Buffer.alloc(20 * 1024, 'shotlist');
const pictureHeaders = ['Content-Type', 'image/png', 'Content-Length', String(picture.length)];

const { values } = parseArgs({ options: { 'delay-ms': { type: 'string', default: '0' } } });
const delayMs = Number(values['delay-ms']);
if (!Number.isFinite(delayMs) || delayMs < 0) {
  throw new Error(`--delay-ms must be a number of milliseconds, not "${values['delay-ms']}"`);
}

const counts = new Map<Kind, number>();
reset();
let last = 0;
let address = '';
let issued = { at: 0, expiry: '' };

const server = createServer((request, response) => {
  response.sendDate = false;
  answer(request, response);
});
// 0: an idle connection is never closed under a client that is about to use it.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('bug: no port was bound');
  address = `http://127.0.0.1:${bound.port}`;
  process.stdout.write(`${JSON.stringify({ address })}\n`);
});
process.once('SIGTERM', stop);
process.stdin.once('end', stop).once('error', stop).resume();

function stop(): void {
  server.close();
  server.closeAllConnections();
  process.stdin.destroy();
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { method = '', url = '' } = request;
  const kind = kindOf(method, url);
  if (kind !== 'counts' && kind !== 'reset') count(kind);
  if (kind === 'upload-addresses') {
    readText(request, (text) => answerUploadAddresses(text, response));
  } else if (method === 'GET' || method === 'DELETE') {
    answerAs(kind, url, response);
  } else {
    // An answer waits for the end of the body, as the service's does.
    request.once('end', () => answerAs(kind, url, response)).resume();
  }
}

function kindOf(method: string, url: string): Kind | 'counts' | 'reset' {
  switch (method) {
    case 'GET':
      if (url.startsWith(projects)) return 'project';
      if (url.startsWith(downloads)) return 'download';
      if (url.startsWith(`${faceDetection}/`)) return 'detection';
      return url === '/stub/counts' ? 'counts' : 'unknown';
    case 'PUT':
      return url.startsWith(uploads) ? 'upload' : 'unknown';
    case 'POST':
      if (url === '/v1/files/upload-urls') return 'upload-addresses';
      if (url === faceDetection) return 'detect';
      if (creations.has(url)) return 'create';
      return url === '/stub/reset' ? 'reset' : 'unknown';
    case 'DELETE':
      return url.startsWith(projects) ? 'delete' : 'unknown';
    default:
      return 'unknown';
  }
}

function answerAs(
  kind: Exclude<ReturnType<typeof kindOf>, 'upload-addresses'>,
  url: string,
  response: ServerResponse,
): void {
  switch (kind) {
    case 'upload':
      response.writeHead(200, ['Content-Length', '0']).end();
      break;
    case 'detect':
      json(response, `{"id":"d${++last}","credits_charged":0}`);
      break;
    case 'detection':
      json(response, detection(url.slice(faceDetection.length + 1)));
      break;
    case 'create':
      json(response, creation());
      break;
    case 'project':
      json(response, project(url.slice(projects.length)));
      break;
    case 'download':
      response.writeHead(200, pictureHeaders).end(picture);
      break;
    case 'reset':
      reset();
      response.writeHead(204).end();
      break;
    case 'delete':
      response.writeHead(204).end();
      break;
    case 'counts':
      json(response, JSON.stringify(Object.fromEntries(counts)));
      break;
    case 'unknown':
      json(response, '{"message":"Not Found"}', 404);
      break;
  }
}

function answerUploadAddresses(text: string, response: ServerResponse): void {
  const answer = uploadAddresses(text);
  if (answer === undefined) json(response, '{"message":"a list of items is needed"}', 400);
  else json(response, answer);
}

function uploadAddresses(text: string): string | undefined {
  const wanted = parsed(text);
  const list = isObject(wanted) ? wanted['items'] : undefined;
  if (!Array.isArray(list)) return undefined;
  const items = list.map((item: unknown) => {
    const extension = isObject(item) ? item['extension'] : undefined;
    const file = `${++last}/file.${typeof extension === 'string' ? extension : 'png'}`;
    const url = `${address}${uploads}${file}`;
    return `{"upload_url":"${url}","file_path":"api-assets/${file}","expires_at":"${expiry()}"}`;
  });
  return `{"items":[${items.join(',')}]}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function detection(id: string): string {
  const face = `api-assets/${id}/0-0.png`;
  const url = `${address}${downloads}${id}-0-0.png`;
  return (
    `{"id":"${id}","status":"complete","credits_charged":0,` +
    `"faces":[{"path":"${face}","url":"${url}"}]}`
  );
}

/** The id says when the project was made, so that it need not be remembered. */
function creation(): string {
  const id = `p${++last}-${Date.now().toString(36)}`;
  return `{"id":"${id}","credits_charged":${credits},"frame_cost":${credits}}`;
}

function project(id: string): string {
  const createdAt = Number.parseInt(id.slice(id.indexOf('-') + 1), 36) || 0;
  const done = delayMs === 0 || Date.now() - createdAt >= delayMs;
  const outputs = done
    ? `[{"url":"${address}${downloads}${id}.png","expires_at":"${expiry()}"}]`
    : '[]';
  return (
    `{"id":"${id}","name":null,"status":"${done ? 'complete' : 'rendering'}",` +
    `"type":"FACE_SWAP","created_at":"${new Date(createdAt).toISOString()}",` +
    `"enabled":true,"image_count":1,"width":512,"height":512,"total_frame_cost":${credits},` +
    `"credits_charged":${credits},"downloads":${outputs},"error":null}`
  );
}

/** 24 hours ahead, written out once a second. */
function expiry(): string {
  const now = Date.now();
  if (now - issued.at >= 1000) {
    issued = { at: now, expiry: new Date(now + addressLifetimeMs).toISOString() };
  }
  return issued.expiry;
}

function json(response: ServerResponse, body: string, status = 200): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', length]);
  response.end(body);
}

function readText(request: IncomingMessage, then: (text: string) => void): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.once('end', () => then(text));
}

function count(kind: Kind): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

function reset(): void {
  for (const kind of kinds) counts.set(kind, 0);
}
