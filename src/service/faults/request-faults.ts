// The faults of requests: before the handler, or after it, when only the answer is lost; and of the bytes of uploads and
// downloads.
import { Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { milliseconds } from '../../base/duration.ts';
import { unreachable } from '../../base/result.ts';
import type { ServiceClock } from '../clock.ts';
import { type Faults, type Fired, firedOf } from './faults.ts';
import type { FaultRule } from './schema.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The faults that happen to this request. */
    faults: readonly Fired[] | undefined;
  }
}

export function applyRequestFaults(
  server: FastifyInstance,
  faults: Faults,
  clock: ServiceClock,
): void {
  server.decorateRequest('faults', undefined);
  server.addHook('preHandler', (request, reply, done) => {
    const fired = faults.fire('request', `${request.method} ${request.routeOptions.url}`);
    if (fired.length === 0) return done();
    request.faults = fired;
    const begin = (): void => {
      for (const { rule } of fired) if (isStopped(rule, request, reply)) return;
      done();
    };
    const wait = firedOf(fired, 'latency');
    if (wait === undefined) begin();
    else clock.after(waitOf(wait), begin);
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    // An error is answered all the same: only the answer of a successful request is lost.
    const rule = request.faults?.map((one) => one.rule).find(isAfter);
    if (rule === undefined || reply.statusCode >= 400) return done(null, payload);
    switch (rule.fault) {
      case 'broken':
        if (payload instanceof Readable) payload.destroy();
        reply
          .code(rule.status ?? 500)
          .removeHeader('content-length')
          .type('application/json');
        return done(null, JSON.stringify(errorBody(rule.status ?? 500)));
      case 'reset':
        return void request.raw.socket.resetAndDestroy();
      case 'silence':
        return undefined;
      default:
        return unreachable(rule);
    }
  });
}

/** Applies a fault that comes before the handler. Returns whether the request ends here. */
function isStopped(rule: FaultRule, request: FastifyRequest, reply: FastifyReply): boolean {
  switch (rule.fault) {
    case 'throttled':
      reply.code(429).header('retry-after', rule.retry_after ?? 1);
      reply.send({ message: 'Too Many Requests' });
      return true;
    case 'unavailable':
      reply.code(rule.status ?? 503).send(errorBody(rule.status ?? 503));
      return true;
    case 'broken':
      if (rule.when === 'after') return false;
      reply.code(rule.status ?? 500).send(errorBody(rule.status ?? 500));
      return true;
    case 'reset':
      if (rule.when === 'after') return false;
      reply.hijack();
      request.raw.socket.resetAndDestroy();
      return true;
    case 'silence':
      if (rule.when === 'after') return false;
      reply.hijack();
      return true;
    default:
      return false;
  }
}

type After = FaultRule<'broken' | 'reset' | 'silence'>;

const isAfter = (rule: FaultRule): rule is After =>
  (rule.fault === 'broken' || rule.fault === 'reset' || rule.fault === 'silence') &&
  rule.when === 'after';

const phrases: Readonly<Record<number, string>> = {
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

const errorBody = (status: number): { readonly message: string } => ({
  message: phrases[status] ?? 'Error',
});

function waitOf({ rule, chance }: Fired<'latency'>): number {
  const least = milliseconds(rule.for);
  return rule.up_to === undefined
    ? least
    : least + chance * Math.max(0, milliseconds(rule.up_to) - least);
}

// The faults of uploads and downloads, which change or stop their bytes.

/** A transform that applies the fault of a transfer of `length` bytes; undefined: no fault. */
export function transferFaultOf(
  { faults: fired = [], raw: { socket } }: FastifyRequest,
  length: number | undefined,
): Transform | undefined {
  const rule = (
    firedOf(fired, 'truncated') ??
    firedOf(fired, 'stalled') ??
    firedOf(fired, 'corrupt')
  )?.rule;
  if (rule === undefined) return undefined;
  const at = rule.at_bytes ?? Math.floor((length ?? 0) / 2);
  let passed = 0;
  const step = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const from = passed;
      passed += chunk.length;
      if (passed <= at) return done(null, chunk);
      const inside = Math.max(0, at - from);
      if (rule.fault === 'corrupt') {
        const changed = Buffer.from(chunk);
        if (from <= at) changed[inside] = (changed[inside] ?? 0) ^ 0xff;
        return done(null, changed);
      }
      if (inside > 0) step.push(chunk.subarray(0, inside));
      // Without a call of `done`, the stream stops. The bytes before the fault get a moment to leave.
      if (rule.fault === 'truncated') setImmediate(() => socket.destroy());
      return undefined;
    },
  });
  // A stopped stream would not notice that the other side closed the connection.
  const end = (): void => void step.destroy();
  socket.once('close', end);
  step.once('close', () => socket.off('close', end));
  return step;
}
