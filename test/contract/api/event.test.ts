// The signature of an event, as facts.md gives it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  eventKinds,
  isEventKind,
  isSignatureOf,
  signatureOf,
} from '../../../src/contract/api/event.ts';

test('is HMAC-SHA256 of timestamp, dot and body, in lower-case hex', () => {
  // printf '1700000000.{"type":"image.completed"}' | openssl dgst -sha256 -hmac whsec_test
  expect(signatureOf('whsec_test', '1700000000', '{"type":"image.completed"}')).toBe(
    '25310a02464fb6e732a9f42cecee33051501390d454f625a5cca991596b336eb',
  );
});

test('is known again, and no other is, whatever secret, time and body are', () => {
  const words = fc.tuple(fc.string(), fc.string(), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(words, words, ([secret, time, body], [otherSecret, otherTime, otherBody]) => {
      const signature = signatureOf(secret, time, body);
      expect(isSignatureOf(signature, secret, time, body)).toBe(true);
      expect(isSignatureOf(signature, secret, time, Buffer.from(body))).toBe(true);
      expect(isSignatureOf(signature.toUpperCase(), secret, time, body)).toBe(
        signature === signature.toUpperCase(),
      );
      const same = `${time}.${body}` === `${otherTime}.${otherBody}` && secret === otherSecret;
      // HMAC fills a short key up with NULs.
      const alike = secret.replace(/\0+$/, '') === otherSecret.replace(/\0+$/, '');
      if (!same && !alike)
        expect(isSignatureOf(signature, otherSecret, otherTime, otherBody)).toBe(false);
      expect(isSignatureOf('', secret, time, body)).toBe(false);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('there are nine kinds of events', () => {
  expect(eventKinds).toHaveLength(9);
  expect([isEventKind('video.started'), isEventKind('video.canceled')]).toEqual([true, false]);
});
