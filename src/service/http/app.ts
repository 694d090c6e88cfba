// The HTTP side: who is let in, how a body is read, what is counted, and how trouble is answered. What a path
// does is in routes/.

import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { type ErrorResponse, notFound, unauthorized } from '../base/error-response.ts';
import { reportInternalError } from '../base/internal-error.ts';
import type { RequestCounts } from '../base/request-counts.ts';
import type { Caller, Keys, Permission } from '../store/keys.ts';
import { endSlowSenders } from './slow-senders.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every request below /v1 that reaches a handler. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** What a key must permit for this route. Every route below /v1 says so. */
    permission?: Permission;
  }
}

export interface App {
  readonly server: FastifyInstance;
  requests(): RequestCounts;
}

export interface AppOptions {
  /** Milliseconds in which the head of a request must have come, and its body. */
  readonly senderMs: number;
}

export function openApp(keys: Keys, { senderMs }: AppOptions): App {
  const counts = new Map<string, number>();
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    http: { headersTimeout: senderMs, connectionsCheckingInterval: Math.min(1000, senderMs) },
    // A field that is given twice counts as given once: the last time.
    routerOptions: {
      querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)),
    },
    // A path that is not even well formed is a path that nothing answers to.
    frameworkErrors: (_error, request, reply) => {
      const path = request.raw.url ?? '';
      sendError(reply, needsKey(path) && !callerOf(request) ? unauthorized : notFound);
    },
  });
  const callerOf = ({ raw }: FastifyRequest): Caller | undefined => {
    const [authorization, ...more] = raw.headersDistinct['authorization'] ?? [];
    // Two of them are a badly formed header, whatever the first one says (interface.md, Authentication).
    return more.length > 0 ? undefined : keys.callerOf(authorization);
  };

  endSlowSenders(server, senderMs);
  server.decorateRequest('caller', undefined);
  server.addHook('onRoute', ({ url, config }) => {
    if (needsKey(url) && config?.permission === undefined)
      throw new Error(`bug: ${url} does not say what a key must permit`);
  });
  server.addHook('onRequest', (request, reply, done) => {
    const { url: route, config } = request.routeOptions;
    const name = route === undefined ? 'unknown' : `${request.method} ${route}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    // The route, not the path as it was written: the router reads %76 as v.
    if (!needsKey(route ?? request.url)) return done();
    request.caller = callerOf(request);
    if (request.caller === undefined) sendError(reply, unauthorized);
    else if (config.permission !== undefined && !request.caller.permissions.has(config.permission))
      sendError(reply, {
        status: 403,
        message: `This key does not permit ${config.permission}: make one that does in the hub.`,
      });
    else done();
  });
  server.setNotFoundHandler((_request, reply) => sendError(reply, notFound));
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    // A client that hung up gets no answer, and is no trouble of the service's own.
    if (status >= 500 && !request.raw.destroyed)
      // The route, not the address as it was written: that may be a presigned one.
      reportInternalError(`${request.method} ${request.routeOptions.url ?? 'unknown path'}`, error);
    if (status >= 500) return reply.code(status).send({ message: 'Internal Server Error' });
    // interface.md knows one status for a request that is not right.
    if (status === 415)
      return reply.code(400).send({ message: wrongType(request.headers['content-type'] ?? '') });
    return reply.code(status === 413 ? 400 : status).send({ message: error.message });
  });
  readJson(server);
  return { server, requests: () => Object.fromEntries(counts) };
}

/** Whose request it is. Only for routes below /v1. */
export function callerAccount({ caller }: FastifyRequest): string {
  if (caller === undefined) throw new Error('bug: a request came in without a key');
  return caller.account;
}

const needsKey = (path: string): boolean => path === '/v1' || /^\/v1[/?]/.test(path);

/** Reads bodies as JSON; the handlers say what is wrong with what they hold. */
export function readJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined);
    const type = request.headers['content-type'];
    // A body that does not say what it is may be JSON; one that says it is something else is not.
    if (type !== undefined && !isJson(type))
      return done(new MalformedBody(wrongType(type)), undefined);
    return parse(request, text.toString(), (error, body) => {
      if (error !== null)
        return done(new MalformedBody('The request body is not valid JSON.'), undefined);
      if (isDeeperThan(body, mostLevels))
        return done(
          new MalformedBody(`The request body is nested more than ${mostLevels} levels deep.`),
          undefined,
        );
      return done(null, body);
    });
  });
}

const wrongType = (type: string): string =>
  `The Content-Type of the body must be application/json, not ${JSON.stringify(type.slice(0, 80))}.`;

/** `application/json`, and what calls itself a kind of it. */
const isJson = (type: string): boolean =>
  /^\s*application\/(json|[\w.!#$&^-]+\+json)\s*(;|$)/i.test(type);

/** Far deeper than any tool's body; what is deeper would only exhaust the stack of what walks it. */
const mostLevels = 100;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

class MalformedBody extends Error {
  readonly statusCode = 400;
}

export function sendError(reply: FastifyReply, { status, message }: ErrorResponse): FastifyReply {
  return reply.code(status).send({ message });
}
