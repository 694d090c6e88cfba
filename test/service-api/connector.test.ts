// What the connection itself does with a creation: it is sent once, whatever the other side speaks, and what never
// left this machine is known for certain.
import { constants, createSecureServer } from 'node:http2';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientFor } from './server.ts';

/** https://localhost, which takes every request and answers none: it would refuse an HTTP/2 stream, else it hangs up. */
async function silent() {
  const altNames = [{ type: 2 as const, value: 'localhost' }];
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  /** The version of HTTP of each request that came whole. */
  const came: string[] = [];
  const server = createSecureServer({ key, cert, allowHTTP1: true });
  server.on('request', (request, response) => {
    request.resume();
    request.on('end', () => {
      came.push(request.httpVersion);
      if (request.httpVersion === '1.1') request.socket.destroy();
      else response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  const port = typeof bound === 'object' ? bound?.port : undefined;
  return { address: `https://localhost:${port}`, cert, came };
}

function trust(cert: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
}

describe('a creation over TLS', () => {
  test('is sent once, also to a server that speaks HTTP/2 and would be sent it again', async () => {
    const server = await silent();
    trust(server.cert);
    const got = await clientFor(server.address).create('face-swap-photo', {});
    expect(got).toMatchObject({ ok: false, error: { reason: 'unanswered' } });
    expect(server.came).toEqual(['1.1']);
  });

  test('was surely not sent to a server whose certificate is not trusted', async () => {
    const server = await silent();
    expect(await clientFor(server.address).create('face-swap-photo', {})).toEqual({
      ok: false,
      error: { reason: 'unreachable', message: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    expect(server.came).toEqual([]);
  });
});
