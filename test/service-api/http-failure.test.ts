// What a status, a header or a socket error means: retried, failed, or in doubt (interface.md, Errors; facts.md).
import { describe, expect, test } from 'vitest';
import { type ApiFailure, explainFailure, remedy } from '../../src/contract/api/failure.ts';
import { NeverConnected } from '../../src/service-api/connector.ts';
import {
  failureOfError,
  failureOfFile,
  failureOfStatus,
  storageFailure,
} from '../../src/service-api/http-failure.ts';
import { RefusedAddress } from '../../src/service-api/storage-address.ts';

const now = Date.parse('2026-08-05T10:00:00Z');
const of = (
  status: number,
  body: unknown = { message: 'why' },
  headers: Record<string, string> = {},
): ApiFailure => failureOfStatus(status, body, headers, now);

/** What is done about it: with a free call, and with one that pays. */
const remedies = (failure: ApiFailure) => [remedy('free', failure), remedy('create', failure)];

describe('a status', () => {
  test.each<readonly [number, unknown, ApiFailure['reason'], readonly string[]]>([
    [400, { message: 'end_seconds is wrong' }, 'refused', ['fail', 'fail']],
    [
      400,
      { message: 'path api-assets/x does not exist' },
      'missing-asset',
      ['resupply', 'resupply'],
    ],
    [401, undefined, 'unauthorized', ['stop-run', 'stop-run']],
    [402, { message: 'no credits' }, 'payment-required', ['stop-paid', 'stop-paid']],
    [403, { message: 'not on this plan' }, 'forbidden', ['stop-step', 'stop-step']],
    [404, undefined, 'not-found', ['fail', 'fail']],
    [408, undefined, 'unanswered', ['retry', 'doubt']],
    [409, undefined, 'refused', ['fail', 'fail']],
    [422, { message: 'bad input' }, 'refused', ['fail', 'fail']],
    [422, { message: 'asset does not exist' }, 'missing-asset', ['resupply', 'resupply']],
    [429, undefined, 'throttled', ['retry', 'retry']],
    [500, undefined, 'unanswered', ['retry', 'doubt']],
    [502, { message: 'bad gateway' }, 'unavailable', ['retry', 'retry']],
    [502, { message: 'bad gateway', id: 'p-1' }, 'unanswered', ['retry', 'doubt']],
    [502, undefined, 'unavailable', ['retry', 'retry']],
    [503, undefined, 'unavailable', ['retry', 'retry']],
    [504, undefined, 'unanswered', ['retry', 'doubt']],
    [599, undefined, 'unanswered', ['retry', 'doubt']],
    [302, undefined, 'refused', ['fail', 'fail']],
  ])('%i with %j is %s', (status, body, reason, expected) => {
    const failure = of(status, body);
    expect(failure.reason).toBe(reason);
    expect(remedies(failure)).toEqual(expected);
  });

  test('passes on the service’s own words', () => {
    expect(explainFailure(of(422, { message: 'end_seconds is wrong' }))).toBe(
      'the service refused the request (422): end_seconds is wrong',
    );
    expect(explainFailure(of(401, '<html>'))).toBe('the service refused the API key (401)');
  });
});

const coded = (code: string, cause?: Error): Error =>
  Object.assign(new Error(code, cause === undefined ? {} : { cause }), { code });

describe('Retry-After', () => {
  test.each([
    ['7', 7000],
    ['Wed, 05 Aug 2026 10:00:30 GMT', 30_000],
    ['86400', 3_600_000],
    ['Wed, 05 Aug 2027 10:00:00 GMT', 3_600_000],
    ['0', undefined],
    ['Wed, 05 Aug 2026 09:00:00 GMT', undefined],
    ['soon', undefined],
    ['-5', undefined],
  ])('of %s is %s ms', (header, ms) => {
    for (const status of [429, 503]) {
      const failure = of(status, undefined, { 'retry-after': header });
      expect('retryAfterMs' in failure ? failure.retryAfterMs : undefined).toBe(ms);
    }
  });

  test('is not listened to where it means nothing', () => {
    expect(of(500, undefined, { 'retry-after': '7' })).not.toHaveProperty('retryAfterMs');
  });
});

describe('storage', () => {
  test.each([
    [403, 'expired'],
    [404, 'expired'],
    [410, 'expired'],
    [429, 'throttled'],
    [500, 'unanswered'],
    [503, 'unavailable'],
    [400, 'refused'],
    [302, 'refused'],
  ])('that answers %i means %s', (status, reason) => {
    expect(storageFailure(status).reason).toBe(reason);
  });
});

describe('an error', () => {
  test.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'ETIMEDOUT',
    'ECONNRESET',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
  ])('%s before there is a connection: it is surely safe to send it again', (code) => {
    const failure = failureOfError(new NeverConnected('', { cause: coded(code) }));
    expect(failure).toEqual({ reason: 'unreachable', message: code });
    expect(remedies(failure)).toEqual(['retry', 'retry']);
  });

  test.each([
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'HPE_INVALID_CONSTANT',
    'SOMETHING_NEW',
  ])('%s of a creation that has a connection is a doubt: it may have been taken', (code) => {
    expect(remedies(failureOfError(coded(code)))).toEqual(['retry', 'doubt']);
  });

  test.each(['EMFILE', 'ENFILE'])(
    '%s: no connection came to be, and siblings would fare alike',
    (code) => {
      const failure = failureOfError(new NeverConnected('', { cause: coded(code) }));
      expect(failure.reason).toBe('local');
      expect(remedies(failure)).toEqual(['stop-paid', 'stop-paid']);
    },
  );

  test('is known by its cause where it has no code of its own', () => {
    expect(failureOfError(new Error('fetch failed', { cause: coded('EPIPE') }))).toEqual({
      reason: 'unanswered',
      message: 'EPIPE',
    });
  });

  test.each([
    ['a type error in the parser', new TypeError('x is not a function'), 'TypeError'],
    [
      'a failed assertion',
      Object.assign(new Error('no'), { code: 'ERR_ASSERTION' }),
      'ERR_ASSERTION',
    ],
    ['something that is no error', 'a text', 'string'],
    ['nothing', undefined, 'undefined'],
  ])('whatever it is, such as %s, is an answer that never came', (_, thrown, message) => {
    expect(failureOfError(thrown)).toEqual({ reason: 'unanswered', message });
  });

  test('of a host that is refused says so, and nothing was sent', () => {
    const cause = new RefusedAddress('not there');
    expect(failureOfError(new NeverConnected('', { cause }))).toEqual({
      reason: 'refused',
      status: 0,
      message: 'not there',
    });
  });
});

describe('an error of a transfer', () => {
  const during = (code: string, doing: 'reading' | 'writing'): ApiFailure => {
    const failure = failureOfFile(coded(code), doing, 'the file');
    if (failure === undefined) throw new Error(`${code} has nothing to do with a file`);
    return failure;
  };

  test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])(
    '%s is about this machine: nothing more is bought',
    (code) => {
      for (const doing of ['reading', 'writing'] as const) {
        expect(during(code, doing)).toMatchObject({
          reason: 'local',
          message: expect.stringMatching(/^the file could not be /),
        });
        expect(remedies(during(code, doing))).toEqual(['stop-paid', 'stop-paid']);
      }
    },
  );

  test.each(['EACCES', 'EPERM'])(
    '%s is about one file that may not be read, or a folder in which nothing may be written',
    (code) => {
      expect(during(code, 'reading').reason).toBe('refused');
      expect(during(code, 'writing').reason).toBe('local');
    },
  );

  test.each(['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'])('%s is about one file', (code) => {
    for (const doing of ['reading', 'writing'] as const)
      expect(during(code, doing)).toMatchObject({
        reason: 'refused',
        message: expect.stringMatching(/^the file /),
      });
  });

  test('that has nothing to do with a file is a bug', () => {
    expect(failureOfFile(new TypeError('x is not a function'), 'writing', 'the file')).toBe(
      undefined,
    );
  });

  test('is explained as what it is', () => {
    expect(explainFailure(during('ENOSPC', 'writing'))).toBe(
      'this machine could not read or write a file: the file could not be written: the disk is full',
    );
  });
});
