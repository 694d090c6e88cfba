// Who may use the hub: only programs on this machine that name it as loopback, and nothing that a proxy passed on.
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../../../src/service/start.ts';
import { plainly } from '../../rig.ts';
import { send } from '../client.ts';

const { address, close } = await startService(plainly);
const { port } = new URL(address);
afterAll(close);

const statusFor = async (headers: Readonly<Record<string, string>>): Promise<number> =>
  (await send(address, { method: 'GET', path: '/hub/keys', headers })).status;

/** The status line that a request gets, sent as it stands. */
function rawStatus(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', (data) => {
      resolve(/^HTTP\/1\.1 (\d{3})/.exec(data.toString())?.[1] ?? 'no answer');
      socket.destroy();
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

test.each([
  ...['localhost', 'localhost:4000', '127.0.0.1', '127.0.0.1:1', '127.8.9.10:65535'],
  ...['[::1]', '[::1]:80'],
])('the host %s is this machine', async (host) => {
  expect(await statusFor({ host })).toBe(200);
});

test.each([
  // User information, which a parser of addresses drops.
  ...['x@127.0.0.1', 'evil.example@localhost', 'user:password@127.0.0.1:4000', '@localhost'],
  // Ports that are none.
  ...['localhost:', 'localhost:0', 'localhost:65536', 'localhost:080', 'localhost:4000:4000'],
  ...['localhost:-1', 'localhost:+80', 'localhost:80a', '[::1]:', '[::1]:99999'],
  // Other spellings of the same number.
  ...['127.1', '127.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.256', '127.00.0.1'],
  ...['[::ffff:127.0.0.1]', '[0:0:0:0:0:0:0:1]', '::1', '[::1]x', '0', '0.0.0.0'],
  // What follows the name.
  ...['localhost.', 'localhost/', 'localhost?x', 'localhost#x', 'localhost\\', '127.0.0.1 x'],
  ...['localhost,evil.example', 'localhost%00', 'localhost.evil.example', '[::1%25lo]'],
])('the host %j is not', async (host) => {
  expect(await statusFor({ host })).toBe(403);
});

test.each([
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-anything'],
  ...['forwarded', 'x-real-ip', 'via', 'X-Forwarded-For'],
])('a request with the header %s came through a proxy, and is refused', async (name) => {
  for (const value of ['127.0.0.1', '', 'for=127.0.0.1'])
    expect(await statusFor({ [name]: value })).toBe(403);
});

test('a proxy can still pass on requests to the interface itself', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.9', host: 'media.example' };
  expect((await send(address, { method: 'GET', path: '/openapi.json', headers })).status).toBe(200);
});

test('two Host headers are none', async () => {
  const get = ['GET /hub/keys HTTP/1.1', 'Host: localhost'];
  expect(await rawStatus([...get, 'Connection: close'])).toBe('200');
  expect(await rawStatus([...get, 'Host: evil.example'])).toMatch(/^40[03]$/);
});

test('a whole address as the target of a request does not choose another host', async () => {
  const target = 'GET http://localhost/hub/keys HTTP/1.1';
  expect(await rawStatus([target, 'Host: evil.example'])).toMatch(/^40[034]$/);
});
