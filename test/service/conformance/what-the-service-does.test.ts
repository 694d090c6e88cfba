// interface.md, What the service does: sentence by sentence, up to the table of medians (medians.test.ts).
// Left out, because they are about the client, or name nothing that a server shows: "Credits are the unit of cost",
// "For long jobs, webhooks are preferred over aggressive polling", "A poller should use exponential backoff and
// client-side timeouts", "observed values, not guarantees". "The final amount may differ according to the actual
// frame rate" allows and demands nothing; that the record and the money agree is tested instead. Receiving a webhook
// event is in events.test.ts.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { photo, service } from '../../rig.ts';
import { addressIn, Client, download } from '../client.ts';
import {
  creations,
  creditsOf,
  edited,
  hopeless,
  hopelessTool,
  quickTools,
  requestFor,
} from './door.ts';
import { oneSlow, reach, slow } from './stage.ts';

const videoTools = creations.flatMap(([tool, kind]) => (kind === 'video' ? [tool] : []));

describe('interface.md, What the service does: the five steps', () => {
  const shared = oneSlow();

  test('the client uploads input files and obtains a file_path for each', async () => {
    const { client } = shared();
    const paths = [
      await client.upload(await photo(1), 'png'),
      await client.upload(Buffer.from('a clip'), 'mp4', 'video'),
      await client.upload(Buffer.from('a voice'), 'mp3', 'audio'),
    ];
    expect(new Set(paths).size).toBe(3);
  });

  test.each([
    ['face-swap-photo', ['assets.target_file_path', 'assets.source_file_path']],
    ['character-replace', ['assets.image_file_path']],
  ])(
    'some endpoints also accept a direct URL in place of a file_path: %s',
    async (tool, fields) => {
      const { client } = shared();
      let body = await requestFor(client, tool);
      for (const field of fields) body = edited(body, field, 'https://example.com/a.png');
      expect((await client.ask('POST', `/v1/${tool}`, body)).status).toBe(200);
    },
  );

  test.each(creations)(
    'POST /v1/%s answers at once with the project id and credits_charged',
    async (tool, kind) => {
      const { client } = shared();
      const created = await client.create(tool, await requestFor(client, tool));
      expect(created).toMatchObject({
        id: expect.any(String),
        credits_charged: expect.any(Number),
      });
      expect(created['credits_charged']).toSatisfy(Number.isInteger);
      // The clock stands still: nothing was rendered before the answer.
      expect(await client.record(kind, created.id)).toMatchObject({ status: 'queued' });
    },
  );

  test.each(quickTools)(
    'the client learns of completion by polling the details endpoint of the project type: %s',
    async (kind, tool) => {
      const stage = await slow();
      const { id } = await stage.client.create(tool, await requestFor(stage.client, tool));
      expect(await stage.client.record(kind, id)).toMatchObject({ status: 'queued' });
      expect(await reach(stage, kind, id, 'complete')).toMatchObject({ id, status: 'complete' });
    },
  );

  test.each(quickTools)(
    'when the status is complete, the output locations are in downloads of the record: %s',
    async (kind, tool) => {
      const client = new Client(await service());
      const { id } = await client.create(tool, await requestFor(client, tool));
      const outputs = await client.outputs(await client.settled(kind, id));
      expect(outputs.length).toBeGreaterThan(0);
      for (const output of outputs) expect(output.length).toBeGreaterThan(0);
    },
  );

  test.each(quickTools)(
    'after downloading, the client may delete the project and its generated asset: %s',
    async (kind, tool) => {
      const client = new Client(await service());
      const { id } = await client.create(tool, await requestFor(client, tool));
      const url = addressIn(await client.settled(kind, id));
      expect((await download(url)).status).toBe(200);
      const deleted = await client.ask('DELETE', `/v1/${kind}-projects/${id}`);
      expect(deleted.status).toBe(204);
      expect((await download(url)).status).toBeGreaterThanOrEqual(400);
    },
  );
});

describe('interface.md, What the service does: the rules', () => {
  const shared = oneSlow();

  test.each(creations)(
    'any request that renders media uses credits from the account: %s',
    async (tool) => {
      const { client } = shared();
      const body = await requestFor(client, tool);
      const before = await creditsOf(client);
      const { credits_charged } = await client.create(tool, body);
      expect(before - (await creditsOf(client))).toBe(credits_charged);
      // The price list has one tool of no cost (facts.md, Prices).
      if (tool !== 'ai-qr-code-generator') expect(credits_charged).toBeGreaterThan(0);
    },
  );

  test('requests that render nothing use no credits', async () => {
    const { client } = await slow({ credits: 100 });
    const file = await client.upload(await photo(1), 'png');
    await client.ask('POST', '/v1/files/face-detection', { assets: { target_file_path: file } });
    const { id } = await client.create('photo-colorizer', { assets: { image_file_path: file } });
    const after = await creditsOf(client);
    await client.record('image', id);
    await client.ask('DELETE', `/v1/image-projects/${id}`);
    expect([after, await creditsOf(client)]).toEqual([90, 90]);
  });

  test.each(videoTools)('video cost is based on rendered frames: %s', async (tool) => {
    const { client } = shared();
    const body = await requestFor(client, tool);
    const charged = async (end: number): Promise<number> =>
      Number((await client.create(tool, edited(body, 'end_seconds', end)))['credits_charged']);
    expect(await charged(10)).toBeGreaterThan(await charged(5));
  });

  test('the creation response shows an estimate until the job completes, then the final amount', async () => {
    const stage = await slow();
    const { client, local } = stage;
    const before = await creditsOf(client);
    const body = await requestFor(client, 'character-replace');
    const created = await client.create('character-replace', body);
    const estimate = { credits_charged: created['credits_charged'] };
    expect(await client.record('video', created.id)).toMatchObject(estimate);
    expect(await reach(stage, 'video', created.id, 'rendering')).toMatchObject(estimate);
    const { credits_charged } = await reach(stage, 'video', created.id, 'complete');
    expect(before - local.balance()).toBe(credits_charged);
  });

  test.each(['video', 'image', 'audio'] as const)(
    'if generation fails, the credits are refunded and credits_charged includes the refund: %s',
    async (kind) => {
      const stage = await slow();
      const { client } = stage;
      const before = await creditsOf(client);
      const tool = hopelessTool[kind];
      const created = await client.create(tool, await hopeless(client, kind));
      expect(created['credits_charged']).toBeGreaterThan(0);
      expect(await reach(stage, kind, created.id, 'error')).toMatchObject({ credits_charged: 0 });
      expect(await creditsOf(client)).toBe(before);
    },
  );

  test('a job that ends in error is never charged', async () => {
    const local = await service({ credits: 100 });
    const client = new Client(local);
    const { id } = await client.create('photo-colorizer', await hopeless(client, 'image'));
    await client.settled('image', id);
    await client.ask('DELETE', `/v1/image-projects/${id}`);
    expect(local.balance()).toBe(100);
  });

  test.each(['free', 'creator', 'pro', 'business'] as const)(
    'the API is open to every account; no particular subscription is needed: %s',
    async (tier) => {
      const { client } = await slow({ tier });
      expect((await client.ask('GET', '/v1/account')).body).toMatchObject({ tier });
      for (const [, tool] of quickTools)
        expect(await client.create(tool, await requestFor(client, tool))).toHaveProperty('id');
    },
  );
});

describe('interface.md, What the service does: processing time varies with', () => {
  test('queue load', async () => {
    const stage = await slow({ slots: 1 });
    const body = await requestFor(stage.client, 'photo-colorizer');
    const { id: first } = await stage.client.create('photo-colorizer', body);
    const { id: second } = await stage.client.create('photo-colorizer', body);
    const alone = await slow({ slots: 2 });
    const same = await requestFor(alone.client, 'photo-colorizer');
    await alone.client.create('photo-colorizer', same);
    const { id: undisturbed } = await alone.client.create('photo-colorizer', same);
    await reach(stage, 'image', first, 'complete');
    await reach(stage, 'image', second, 'complete');
    await reach(alone, 'image', undisturbed, 'complete');
    expect(stage.clock.now()).toBeGreaterThan(alone.clock.now());
  });

  const factors: readonly (readonly [
    string,
    string,
    string,
    JsonObject[string],
    JsonObject[string],
  ])[] = [
    ['input duration', 'character-replace', 'end_seconds', 2, 60],
    ['resolution', 'character-replace', 'resolution', '480p', '720p'],
    ['model', 'image-to-video', 'model', 'ltx-2.3', 'kling-3.0'],
  ];
  test.each(factors)('%s', async (_, tool, field, one, other) => {
    // The same seed and the same place in the sequence: only the request differs.
    const taken = async (value: JsonObject[string]): Promise<number> => {
      const stage = await slow();
      const body = edited(await requestFor(stage.client, tool), 'resolution', '720p');
      const { id } = await stage.client.create(tool, edited(body, field, value));
      const begun = stage.clock.now();
      await reach(stage, 'video', id, 'complete');
      return stage.clock.now() - begun;
    };
    expect(await taken(other)).not.toBe(await taken(one));
  });
});
