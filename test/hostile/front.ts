// A hostile service: the honest local service with a front before it. The front forwards every request, and answers
// those that a behaviour is about in its own way, down to the bytes on the socket. What it hides was really done and charged.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { LocalService } from '../../src/service/start.ts';
import { listening } from '../listening.ts';

/** What a request is for. */
export type Place =
  | 'account'
  | 'addresses'
  | 'upload'
  | 'detect'
  | 'detection'
  | 'creation'
  | 'project'
  | 'delete'
  | 'download';

export interface Honest {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Addresses in it lead to the front. */
  readonly body: Buffer;
}

/** A request that meets the behaviour. */
export interface Meeting {
  readonly honest: Honest;
  readonly response: ServerResponse;
  readonly headers: IncomingHttpHeaders;
  /** The address of the front. */
  readonly address: string;
  readonly key: string;
  /** How many requests met the behaviour before. */
  readonly before: number;
}

export type Operation = (meeting: Meeting) => void;

export interface FrontOptions {
  readonly at: Place;
  readonly operation: Operation;
  /** `one`: what belongs to the victim; `all`: every request of the place. */
  readonly who: 'one' | 'all';
  /** The honest service does not see the requests that meet it. */
  readonly withheld: boolean;
  /** Creations are answered when so many have come. */
  readonly gather: number;
}

export interface Front {
  /** The same service, behind the front. */
  readonly service: LocalService;
  /** So many requests met the behaviour. */
  readonly met: () => number;
  readonly tame: () => void;
}

/** The item whose requests meet a behaviour of `one`. */
export const victim = 'p1';

function placeOf(method: string, path: string): Place | undefined {
  if (path.startsWith('/v1/account')) return 'account';
  if (path.startsWith('/v1/files/upload-urls')) return 'addresses';
  if (method === 'POST' && path === '/v1/face-detection') return 'detect';
  if (path.startsWith('/v1/face-detection/')) return 'detection';
  if (method === 'POST' && path === '/v1/face-swap-photo') return 'creation';
  if (path.startsWith('/v1/image-projects/')) return method === 'DELETE' ? 'delete' : 'project';
  if (method === 'PUT') return 'upload';
  return path.startsWith('/downloads/') ? 'download' : undefined;
}

/** Asked for by the victim. */
const isOwn = (body: Buffer): boolean => body.toString().includes(`"name":"${victim} #`);

const nothing: Honest = { status: 0, headers: {}, body: Buffer.alloc(0) };

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

export async function frontOf(local: LocalService, options: FrontOptions): Promise<Front> {
  let tame = false;
  let met = 0;
  let address = '';
  /** The victim's project, and where its results are. */
  let project: string | undefined;
  const results = new Set<string>();
  const gate = gateFor(options.gather);

  const forward = (
    { method = 'GET', url = '/', headers }: IncomingMessage,
    body: Buffer,
  ): Promise<Honest> =>
    new Promise((resolve, reject) => {
      const onward = request(`${local.address}${url}`, { method, headers }, (answer) => {
        bytesOf(answer).then((came) => {
          const isText = String(answer.headers['content-type']).includes('json');
          const text = came.toString('utf8').replaceAll(local.address, address);
          const honest = isText ? Buffer.from(text) : came;
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: honest });
        }, reject);
      });
      onward.on('error', reject);
      onward.end(body);
    });

  /** Is this about the victim? What is learned on the way is kept. */
  const concernsVictim = (place: Place, path: string, honest: Honest): boolean => {
    if (project !== undefined && path.endsWith(project)) {
      for (const [found] of honest.body.toString().matchAll(/\/downloads\/[^"?]+/g))
        results.add(found);
      return true;
    }
    return place === 'download' && results.has(path.split('?')[0] ?? '');
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = incoming;
    const place = placeOf(method, url);
    const asked = await bytesOf(incoming);
    const own = place === 'creation' && isOwn(asked);
    const withheld = !tame && options.withheld && place === options.at && own;
    const honest = withheld ? nothing : await forward(incoming, asked);
    const concerned = own || (place !== undefined && concernsVictim(place, url, honest));
    if (own && !withheld) project = JSON.parse(honest.body.toString())['id'];
    if (place === 'creation') await gate();
    if (!tame && place === options.at && (options.who === 'all' || concerned)) {
      const { headers } = incoming;
      options.operation({ honest, response, headers, address, key: local.key, before: met++ });
      return;
    }
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = honest.headers;
    response.writeHead(honest.status, headers).end(honest.body);
  };

  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    handle(incoming, response).catch(() => void response.destroy());
  });
  server.on('clientError', (_, socket) => void socket.destroy());
  address = await listening(server);
  return {
    service: { ...local, address },
    met: () => met,
    tame() {
      tame = true;
    },
  };
}

/** Opens when so many have come, and then stays open. */
function gateFor(count: number): () => Promise<void> {
  let came = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    came += 1;
    if (came >= count) open();
    return opened;
  };
}
