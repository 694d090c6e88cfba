// Which addresses only this machine reaches.
import { expect, test } from 'vitest';
import { isLoopback } from '../../src/service-api/address.ts';

test.each([
  ['localhost', true],
  ['::1', true],
  ['127.0.0.1', true],
  ['127.10.200.255', true],
  ['0.0.0.0', false],
  ['::', false],
  ['128.0.0.1', false],
  ['127.0.0', false],
  ['127.0.0.1.2', false],
  ['127.0.0.1.example.com', false],
  ['127.a.b.c', false],
  ['x127.0.0.1', false],
  ['localhost.example.com', false],
])('%s: %s', (host, is) => {
  expect(isLoopback(host)).toBe(is);
});
