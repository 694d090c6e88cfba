// interface.md, Creation response: what every creation answers, and when the charge is taken.
// Left out: "It is a deprecated frame-named field", which is a word to clients.
import { describe, expect, test } from 'vitest';
import { photo, service } from '../../rig.ts';
import { Client } from '../client.ts';
import { creations, creditsOf, requestFor } from './door.ts';
import { oneSlow, reach, slow } from './stage.ts';

const [videoTools, otherTools] = [true, false].map((video) =>
  creations.flatMap(([tool, kind]) => ((kind === 'video') === video ? [tool] : [])),
);

describe('interface.md, Creation response', () => {
  const shared = oneSlow();

  test.each(creations)(
    'id: used with the details endpoint for the project type: %s is a project of kind %s',
    async (tool, kind) => {
      const { client } = shared();
      const { id } = await client.create(tool, await requestFor(client, tool));
      expect(await client.record(kind, id)).toMatchObject({ id });
      for (const other of ['video', 'image', 'audio'].filter((name) => name !== kind))
        expect((await client.ask('GET', `/v1/${other}-projects/${id}`)).status).toBe(404);
    },
  );

  test.each(videoTools ?? [])(
    'credits_charged: estimate for video jobs until complete: %s',
    async (tool) => {
      const stage = await slow();
      const { client } = stage;
      const before = await creditsOf(client);
      const created = await client.create(tool, await requestFor(client, tool, exampleFor(tool)));
      const estimate = created['credits_charged'];
      expect(estimate).toSatisfy(Number.isInteger);
      const rendering = await reach(stage, 'video', created.id, 'rendering');
      expect(rendering['credits_charged']).toBe(estimate);
      const { credits_charged } = await reach(stage, 'video', created.id, 'complete');
      expect(before - (await creditsOf(client))).toBe(credits_charged);
    },
  );

  test.each(otherTools ?? [])(
    'credits_charged: integer, and what the record says too: %s',
    async (tool) => {
      const { client } = shared();
      const created = await client.create(tool, await requestFor(client, tool));
      expect(created['credits_charged']).toSatisfy(Number.isInteger);
      const kind = creations.find(([name]) => name === tool)?.[1] ?? 'image';
      expect(await client.record(kind, created.id)).toMatchObject({
        credits_charged: created['credits_charged'],
      });
    },
  );

  test('for face swap photo the charge is taken when the request is made', async () => {
    const { client } = await slow({ credits: 100 });
    const file = await client.upload(await photo(1), 'png');
    const id = await client.swap(file, file);
    expect(await creditsOf(client)).toBe(90);
    // The clock stands still: nothing was rendered yet.
    expect(await client.record('image', id)).toMatchObject({ status: 'queued' });
  });

  test('the character replace response lists estimated_frame_cost as required', async () => {
    const client = new Client(await service());
    const body = await requestFor(client, 'character-replace');
    const created = await client.create('character-replace', body);
    expect(created['estimated_frame_cost']).toSatisfy(Number.isInteger);
  });
});

/** The example that renders from a small picture, where there is one: drawing words takes longer. */
function exampleFor(tool: string): number {
  return tool === 'animation' || tool === 'audio-to-video' ? 1 : 0;
}
