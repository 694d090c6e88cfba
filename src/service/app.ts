// The HTTP side: who is let in, how a body is read, what is counted, and how trouble is answered. What a path
// does is in routes/.

import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Keys } from './keys.ts';
import { reportTrouble } from './own-trouble.ts';
import { notFound, type Refusal, unauthorized } from './refusal.ts';

/** How often each route was asked for: `POST /v1/face-swap-photo`; paths of no route count as `unknown`. */
export type RequestCounts = Readonly<Record<string, number>>;

export interface App {
  readonly server: FastifyInstance;
  requests(): RequestCounts;
}

export function openApp(keys: Keys): App {
  const counts = new Map<string, number>();
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    // A path that is not even well formed is a path that nothing answers to.
    frameworkErrors: (_error, request, reply) => {
      const path = request.raw.url ?? '';
      answer(reply, needsKey(path) && !admitted(request) ? unauthorized : notFound);
    },
  });
  const admitted = (request: FastifyRequest): boolean => keys.admits(request.headers.authorization);

  server.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url;
    const name = route === undefined ? 'unknown' : `${request.method} ${route}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    // The route, not the path as it was written: the router reads %76 as v.
    if (!needsKey(route ?? request.url) || admitted(request)) done();
    else answer(reply, unauthorized);
  });
  server.setNotFoundHandler((_request, reply) => answer(reply, notFound));
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    // A client that hung up gets no answer, and is no trouble of the service's own.
    if (status >= 500 && !request.raw.destroyed)
      reportTrouble(`${request.method} ${request.url}`, error);
    reply.code(status).send({ message: status < 500 ? error.message : 'Internal Server Error' });
  });
  readJson(server);
  return { server, requests: () => Object.fromEntries(counts) };
}

const needsKey = (path: string): boolean => path === '/v1' || /^\/v1[/?]/.test(path);

/** Every body is read as JSON, whatever its type is called; the handlers say what is wrong with it. */
function readJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined);
    return parse(request, text.toString(), (error, body) => {
      if (error === null && !isDeeperThan(body, mostLevels)) return done(null, body);
      if (error === null)
        return done(
          new MalformedBody(`The request body is nested more than ${mostLevels} levels deep.`),
          undefined,
        );
      return done(new MalformedBody('The request body is not valid JSON.'), undefined);
    });
  });
}

/** Far deeper than any tool's body; what is deeper would only exhaust the stack of what walks it. */
const mostLevels = 100;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

class MalformedBody extends Error {
  readonly statusCode = 400;
}

export function answer(reply: FastifyReply, { status, message }: Refusal): FastifyReply {
  return reply.code(status).send({ message });
}
