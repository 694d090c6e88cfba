// interface.md, States and transitions: each row of the table, for each kind of project.
// The events that a row names are in events.test.ts. Left out: "A client must accept a completed event with no earlier
// started" is about the client; other states and moves are not shown.
import { describe, expect, test } from 'vitest';
import { addressIn, download } from '../client.ts';
import {
  creditsOf,
  edited,
  hopeless,
  hopelessTool,
  messageOf,
  quickTools,
  requestFor,
} from './door.ts';
import { reach, slow } from './stage.ts';

const requiredOf: Readonly<Record<string, string>> = {
  'character-replace': 'end_seconds',
  'photo-colorizer': 'assets',
  'ai-voice-generator': 'style',
};

describe('interface.md, States and transitions', () => {
  test.each(quickTools)(
    '(created): creation request accepted → queued, with id and credits_charged (%s)',
    async (kind, tool) => {
      const { client } = await slow();
      const created = await client.create(tool, await requestFor(client, tool));
      expect(created).toMatchObject({
        id: expect.any(String),
        credits_charged: expect.any(Number),
      });
      expect(await client.record(kind, created.id)).toMatchObject({ status: 'queued' });
    },
  );

  test.each(quickTools)('(created): only when the request is valid (%s)', async (_, tool) => {
    const { local, client } = await slow({ credits: 100 });
    const body = edited(await requestFor(client, tool), requiredOf[tool] ?? '', undefined);
    messageOf(await client.ask('POST', `/v1/${tool}`, body), 400);
    expect(local.ledger()).toHaveLength(1);
  });

  test.each(quickTools)('(created): only when payment is available (%s)', async (_, tool) => {
    const { local, client } = await slow({ credits: 0 });
    const body = await requestFor(client, tool);
    messageOf(await client.ask('POST', `/v1/${tool}`, body), 402);
    expect(local.balance()).toBe(0);
  });

  test.each(quickTools)('queued: processing begins → rendering (%s)', async (kind, tool) => {
    const stage = await slow();
    const { id } = await stage.client.create(tool, await requestFor(stage.client, tool));
    expect(await reach(stage, kind, id, 'rendering')).toMatchObject({
      status: 'rendering',
      downloads: [],
      error: null,
    });
  });

  test.each(quickTools)(
    'rendering: processing finishes with success → complete, downloads filled (%s)',
    async (kind, tool) => {
      const stage = await slow();
      const { id } = await stage.client.create(tool, await requestFor(stage.client, tool));
      await reach(stage, kind, id, 'rendering');
      const record = await reach(stage, kind, id, 'complete');
      expect((await download(addressIn(record))).status).toBe(200);
    },
  );

  test.each(quickTools)(
    'rendering: processing finishes with success → final credits charged (%s)',
    async (kind, tool) => {
      const stage = await slow();
      const before = await creditsOf(stage.client);
      const { id } = await stage.client.create(tool, await requestFor(stage.client, tool));
      await reach(stage, kind, id, 'rendering');
      const { credits_charged } = await reach(stage, kind, id, 'complete');
      expect(before - (await creditsOf(stage.client))).toBe(credits_charged);
    },
  );

  test.each(['video', 'image', 'audio'] as const)(
    'rendering: processing fails → error, error object set, credits refunded (%s)',
    async (kind) => {
      const stage = await slow();
      const { client } = stage;
      const before = await creditsOf(client);
      const { id } = await client.create(hopelessTool[kind], await hopeless(client, kind));
      await reach(stage, kind, id, 'rendering');
      expect(await reach(stage, kind, id, 'error')).toMatchObject({
        error: { code: expect.any(String), message: expect.any(String) },
        credits_charged: 0,
        downloads: [],
      });
      expect(await creditsOf(client)).toBe(before);
    },
  );

  test.each(quickTools)('complete is final (%s)', async (kind, tool) => {
    const stage = await slow();
    const { id } = await stage.client.create(tool, await requestFor(stage.client, tool));
    const { status, credits_charged } = await reach(stage, kind, id, 'complete');
    stage.clock.pass(30 * 24 * 3_600_000);
    stage.clock.tick();
    expect(await stage.client.record(kind, id)).toMatchObject({ status, credits_charged });
  });
});
