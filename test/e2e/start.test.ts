// A run that begins where there is no service says so in one sentence, before anything is sent or written.
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { envOf, photoRig, service } from '../rig.ts';
import { answer, nobody, serve } from '../service-api/server.ts';

const html = { 'content-type': 'text/html' };

describe('run', () => {
  test('against an address where nobody listens: exit code 1, one sentence, no task is tried', async () => {
    const rig = await photoRig(3);
    const address = await nobody();
    const env = { SHOTLIST_BASE_URL: address, SHOTLIST_API_KEY: 'a-key' };
    const { code, stderr } = await rig.command(['run', 'pipeline.yaml'], env);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining(`error: the service at ${address} cannot be reached (ECONNREFUSED)`),
      expect.stringContaining('nothing was sent; check the network and the address'),
    ]);
    expect(code).toBe(1);
    expect(existsSync(rig.path('photos.state.jsonl'))).toBe(false);
    const { stdout } = await rig.command(['run', 'pipeline.yaml', '--json'], env);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      ...{ type: 'refused', reason: 'unreachable' },
    });
  });

  test.each<readonly [string, number, string, Record<string, string>]>([
    ['web pages', 200, '<!doctype html>', html],
    ['404 to everything', 404, '{"message":"Not Found"}', { 'content-type': 'application/json' }],
  ])(
    'against an address that answers with %s: exit code 2, one sentence',
    async (_, status, body, type) => {
      const rig = await photoRig(3);
      const server = await serve((__, response) => void response.writeHead(status, type).end(body));
      const env = { SHOTLIST_BASE_URL: server.address, SHOTLIST_API_KEY: 'a-key' };
      const { code, stderr } = await rig.command(['run', 'pipeline.yaml'], env);
      expect(stderr).toContain(`error: ${server.address} is not the service: it `);
      expect(stderr.trim().split('\n')).toHaveLength(2);
      expect(code).toBe(2);
      expect(server.asked.length).toBeLessThanOrEqual(3);
      expect(existsSync(rig.path('photos.state.jsonl'))).toBe(false);
    },
  );

  test('against a deployment that does not tell of accounts goes on', async () => {
    const local = await service();
    const rig = await photoRig(1);
    const server = await serve(({ method, path, headers, body }, response) => {
      if (path === '/v1/account') return answer(response, 404, { message: 'Not Found' });
      const { authorization = '', 'content-type': type } = headers;
      const sent =
        method === 'GET' || method === 'DELETE' ? {} : { body: Buffer.from(body, 'latin1') };
      void fetch(`${local.address}${path}`, {
        method,
        ...{ headers: { authorization, ...(type === undefined ? {} : { 'content-type': type }) } },
        ...sent,
      }).then(async (reply) => {
        response.writeHead(reply.status, { 'content-type': 'application/json' });
        response.end(Buffer.from(await reply.arrayBuffer()));
      });
    });
    const { summary } = await rig.run({ ...local, address: server.address });
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
  });

  test('with nothing to send asks nobody', async () => {
    const local = await service();
    const rig = await photoRig(1);
    await rig.run(local);
    const asked = JSON.stringify(local.requests());
    expect((await rig.run(local)).summary.outcome).toBe('done');
    expect(JSON.stringify(local.requests())).toBe(asked);
    await local.close();
    const { code } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(code).toBe(0);
  });
});
