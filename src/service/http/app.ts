// The HTTP server: authentication, permissions, request bodies, counts and errors. The handlers are in creations.ts, files.ts and routes.ts.

import type { IncomingMessage } from 'node:http';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { RequestError, reportInternalError } from '../errors.ts';
import type { EventDispatcher } from '../events/event-dispatcher.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { RequestCounts } from '../options.ts';
import type { Database } from '../store/database.ts';
import type { Caller, Keys, Permission } from '../store/keys.ts';

/** What the routes use. */
export interface RouteDependencies extends Dependencies {
  readonly jobs: Jobs;
  readonly eventDispatcher: EventDispatcher;
}

/** A path with `/:id`. */
export interface ById {
  Params: { readonly id: string };
}

/**
 * @param senderMs milliseconds within which the head of a request must arrive, and its body
 * @param durable resolves when everything that can be read now is durable; undefined: it is
 */
export function openApp(keys: Keys, senderMs: number, durable: Database['durable']) {
  const counts = new Map<string, number>();
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    http: { headersTimeout: senderMs, connectionsCheckingInterval: Math.min(1000, senderMs) },
    // Of a field that is given twice, the last value counts.
    routerOptions: {
      querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)),
    },
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    // A malformed path is a path without a route.
    frameworkErrors: (_error, request, reply) => {
      const isUnauthorized = needsKey(request.raw.url ?? '') && !callerOf(request);
      if (isUnauthorized) sendError(reply, 401, 'Unauthorized');
      else sendError(reply, 404, 'Not Found');
    },
  });
  const callerOf = ({ raw }: FastifyRequest): Caller | undefined => {
    const [authorization, ...more] = raw.headersDistinct['authorization'] ?? [];
    // Two headers are malformed, even if the first one is valid (interface.md, Authentication).
    return more.length > 0 ? undefined : keys.callerOf(authorization);
  };

  endSlowSenders(server, senderMs);
  server.decorateRequest('caller', undefined);
  server.addHook('onRoute', ({ url, config }) => {
    if (needsKey(url) && config?.permission === undefined)
      throw new Error(`bug: ${url} has no permission`);
  });
  server.addHook('onRequest', (request, reply, done) => {
    const { url: route, config } = request.routeOptions;
    const name = route === undefined ? 'unknown' : `${request.method} ${route}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    // The route, not the path as written: the router reads %76 as v.
    if (!needsKey(route ?? request.url)) return done();
    request.caller = callerOf(request);
    if (request.caller === undefined) sendError(reply, 401, 'Unauthorized');
    else if (config.permission !== undefined && !request.caller.permissions.has(config.permission))
      sendError(
        reply,
        403,
        `This key does not have the permission "${config.permission}". Create a key with it in the hub.`,
      );
    else done();
  });
  // Other requests have waited for their own writes. No answer shows what a power failure could take back.
  server.addHook('onSend', ({ method }, { statusCode }, payload, done) => {
    const waiting = method === 'GET' && statusCode < 400 ? durable() : undefined;
    if (waiting === undefined) done(null, payload);
    else waiting.then(() => done(null, payload), done);
  });
  server.setNotFoundHandler((_request, reply) => sendError(reply, 404, 'Not Found'));
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    // A client that closed the connection is no error of the service.
    if (status >= 500 && !request.raw.destroyed)
      // The route, not the address as written: that address may be presigned.
      reportInternalError(`${request.method} ${request.routeOptions.url ?? 'unknown path'}`, error);
    if (status >= 500) return sendError(reply, status, 'Internal Server Error');
    // interface.md has one status for an invalid request.
    if (status === 415)
      return sendError(reply, 400, wrongType(request.headers['content-type'] ?? ''));
    return sendError(reply, status === 413 ? 400 : status, error.message);
  });
  readJson(server);
  return { server, requests: (): RequestCounts => Object.fromEntries(counts) };
}

/** The account of a request to a route below /v1. */
export function callerAccount({ caller }: FastifyRequest): string {
  if (caller === undefined) throw new Error('bug: a handler got a request without a key');
  return caller.account;
}

/** Replaces fastify's compilers of schemas, which take longer to load than fastify: handlers validate what they are sent. */
function noSchema(): never {
  throw new Error('bug: a route of the service has a schema');
}

const needsKey = (path: string): boolean => path === '/v1' || /^\/v1[/?]/.test(path);

/** Reads bodies as JSON; the handlers validate the content. */
export function readJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined);
    const type = request.headers['content-type'];
    // A body without a content type may be JSON; a body with another content type is not.
    if (type !== undefined && !isJson(type))
      return done(new RequestError(400, wrongType(type)), undefined);
    return parse(request, text.toString(), (error, body) => {
      if (error !== null)
        return done(new RequestError(400, 'The request body is not valid JSON.'), undefined);
      if (isDeeperThan(body, maxLevels))
        return done(
          new RequestError(400, `The request body is nested more than ${maxLevels} levels deep.`),
          undefined,
        );
      return done(null, body);
    });
  });
}

const wrongType = (type: string): string =>
  `The Content-Type of the body must be application/json, not ${JSON.stringify(type.slice(0, 80))}.`;

/** `application/json`, or a type with the suffix `+json`. */
const isJson = (type: string): boolean =>
  /^\s*application\/(json|[\w.!#$&^-]+\+json)\s*(;|$)/i.test(type);

/** Far deeper than any tool's body. A deeper body would exhaust the stack of the code that walks it. */
const maxLevels = 100;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

export function sendError(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ message });
}

// Closes connections whose requests do not complete in time. Otherwise a few hundred clients that send one byte a minute
// could hold every connection of the process for ever, without a key.

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take any time while it keeps arriving. */
    longBody?: boolean;
  }
}

/** An upload may pause for this many times the limit of other requests. */
const stillTimes = 4;

interface Sender {
  readonly since: number;
  readonly moving: boolean;
  bytes: number;
  movedAt: number;
}

/** @param senderMs milliseconds within which the body of a request must arrive */
function endSlowSenders(server: FastifyInstance, senderMs: number): void {
  const senders = new Map<IncomingMessage, Sender>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    if (encoding !== undefined || (length !== undefined && length !== '0')) {
      const now = performance.now();
      const moving = request.routeOptions.config.longBody === true;
      senders.set(raw, { since: now, moving, bytes: raw.socket.bytesRead, movedAt: now });
    }
    done();
  });
  // A client that has its answer, but still sends, is watched further.
  server.addHook('onResponse', ({ raw }, _reply, done) => {
    if (raw.complete) senders.delete(raw);
    done();
  });
  const look = (): void => {
    const now = performance.now();
    for (const [raw, sender] of senders) {
      const { bytesRead } = raw.socket;
      if (bytesRead !== sender.bytes) Object.assign(sender, { bytes: bytesRead, movedAt: now });
      const late = sender.moving
        ? now - sender.movedAt > senderMs * stillTimes
        : now - sender.since > senderMs;
      if (raw.complete || raw.destroyed) senders.delete(raw);
      else if (late) raw.socket.destroy();
    }
  };
  const timer = setInterval(look, Math.min(1000, senderMs)).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Defined for every request below /v1 that reaches a handler. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** The permission that a key needs for this route. Every route below /v1 has one. */
    permission?: Permission;
  }
}
