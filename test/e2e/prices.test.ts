// What a service takes that says little of itself. Prices and plans, said before anything is sent: test/transcripts/prices.txt.
import { describe, expect, test } from 'vitest';
import { Rig, service } from '../rig.ts';
import { Client } from '../service/client.ts';

const step = (kind: string, body: string): string =>
  `pipeline: p\noutput: out\nsteps:\n  it: { uses: ${kind}, with: ${body} }\n`;

const large = '{ end_seconds: 5, model: ltx-2.3, resolution: 1080p, style: { prompt: a boat } }';

test('a service whose account cannot be read is asked, and refuses', async () => {
  const broken = { fault: 'broken', when: 'before', on: 'GET /v1/account' } as const;
  const local = await service({ tier: 'free', faults: { faults: [broken] } });
  const rig = new Rig(step('text-to-video', large));
  const { summary } = await rig.run(local);
  expect(summary.outcome).toBe('failed');
  expect(local.requests()['POST /v1/text-to-video']).toBe(1);
  expect(local.ledger()).toHaveLength(1);
});

describe('an address of the account’s library', () => {
  const library = (id: string): string => `https://magichour.ai/my-library?${id}=abc123`;

  test('may be an input, without an extension', async () => {
    const local = await service();
    const body = `{ assets: { image_file_path: "${library('imageId')}" } }`;
    const { summary } = await new Rig(step('photo-colorizer', body)).run(local);
    expect(summary.outcome).toBe('done');
  });

  test('of another medium is refused by the service', async () => {
    const client = new Client(await service());
    const ask = async (url: string): Promise<number> =>
      (await client.ask('POST', '/v1/photo-colorizer', { assets: { image_file_path: url } }))
        .status;
    expect(await ask(library('imageId'))).toBe(200);
    expect(await ask(library('videoId'))).toBe(422);
    expect(await ask('https://magichour.ai/my-library')).toBe(400);
    expect(await ask('https://example.com/my-library?imageId=abc123')).toBe(400);
  });
});
