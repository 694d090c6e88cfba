// What a browser may do with a file of the service: show a picture, play a clip or a sound, save anything else; and
// never run what is in it.
import { describe, expect, test } from 'vitest';
import { photo, service } from '../../rig.ts';
import { Client, listAt, pathOf, send, textAt } from '../client.ts';

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

describe('a file of the service', () => {
  test('is sent as what it is called, and a browser neither guesses nor runs it', async () => {
    const local = await service();
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const swapped = await client.settled('image', await client.swap(file, file));
    const voice = { style: { prompt: 'Hello', voice_name: 'Elon' } };
    const spoken = await client.create('ai-voice-generator', voice);
    const said = await client.settled('audio', spoken.id);
    const faces = await client.faces(file);
    const urls = [
      ...[swapped, said].flatMap((record) => listAt(record, 'downloads')),
      ...listAt(faces, 'faces'),
    ].map((entry) => textAt(entry, 'url'));
    expect(urls.length).toBeGreaterThan(2);
    for (const url of urls)
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, headers } = await send(local.address, { method, path: pathOf(url) });
        expect([status, headers['x-content-type-options']]).toEqual([200, 'nosniff']);
        expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
        expect(headers['content-type']).toMatch(/^(image\/png|audio\/wav|audio\/mpeg)$/);
        expect(headers['content-disposition']).toBeUndefined();
      }
  });

  test('has these headers for a part of it, and when there is no such part', async () => {
    const local = await service();
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const record = await client.settled('image', await client.swap(file, file));
    const [url = ''] = listAt(record, 'downloads').map((entry) => textAt(entry, 'url'));
    for (const [range, expected] of [
      ['bytes=0-9', 206],
      ['bytes=99999999-', 416],
    ] as const) {
      const request = { method: 'GET', path: pathOf(url), headers: { range } } as const;
      const { status, headers } = await send(local.address, request);
      expect([status, headers['x-content-type-options']]).toEqual([expected, 'nosniff']);
      expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    }
  });

  test('is a picture by its name alone: an SVG under it stays text that nobody draws', async () => {
    const local = await service();
    const client = new Client(local);
    const file = await client.upload(svg, 'png');
    const [place] = await client.uploadAddresses('image', 'svg').catch(() => []);
    expect(place).toBeUndefined();
    const id = await client.swap(file, file);
    expect((await client.settled('image', id))['downloads']).toEqual([]);
  });
});
