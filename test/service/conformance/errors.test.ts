// interface.md, Errors: each row of the table on every creation endpoint, and the other rules.
// Left out: the complete list of project error codes, and bodies of other statuses, which are not shown. That codes are
// carried by events is in event-rules.test.ts.
import { describe, expect, test } from 'vitest';
import { service } from '../../rig.ts';
import { Client, send } from '../client.ts';
import {
  assetsIn,
  creations,
  edited,
  exampleOf,
  hopeless,
  hopelessTool,
  kinds,
  messageOf,
  requestFor,
  valueAt,
} from './door.ts';
import { openEars, register } from './ears.ts';
import { oneSlow } from './stage.ts';

/** Those that cost something (facts.md, Prices). */
const paid = creations.filter(([tool]) => tool !== 'ai-qr-code-generator');

/** Those that take a file, the field that names the first one, and what is no such file. */
const withFiles = creations.flatMap(([tool]): [string, string, string, 'image' | 'audio'][] => {
  const example = exampleOf(tool);
  const [field] = assetsIn(example);
  if (field === undefined) return [];
  const audio = valueAt(example, field) === 'asset:audio';
  return [audio ? [tool, field, 'png', 'image'] : [tool, field, 'mp3', 'audio']];
});

describe('interface.md, Errors: the table', () => {
  const stage = oneSlow();
  const poor = oneSlow({ credits: 0 });

  test.each(creations)('400: a missing body gives a message about it: %s', async (tool) => {
    const { client } = stage();
    expect(messageOf(await client.ask('POST', `/v1/${tool}`), 400)).toMatch(/body is missing/);
  });

  test.each(creations)('400: a value failing validation, free text: %s', async (tool) => {
    const { local, client } = stage();
    const before = local.balance();
    const body = edited(await requestFor(client, tool), 'name', 7);
    expect(messageOf(await client.ask('POST', `/v1/${tool}`, body), 400)).toMatch(/name.*7/);
    expect(local.balance()).toBe(before);
  });

  test.each(creations)('400: a body that is no JSON: %s', async (tool) => {
    const { local } = stage();
    const headers = { authorization: `Bearer ${local.key}`, 'content-type': 'application/json' };
    const sent = { method: 'POST', path: `/v1/${tool}`, headers, body: '{"name": ' } as const;
    expect(messageOf(await send(local.address, sent), 400)).toMatch(/JSON/);
  });

  test.each(creations)('401: missing or invalid credentials: %s', async (tool) => {
    const { local, client } = stage();
    const body = JSON.stringify(await requestFor(client, tool));
    const unknown: readonly Readonly<Record<string, string>>[] = [
      {},
      { authorization: 'Bearer sl_wrong' },
    ];
    for (const headers of unknown) {
      const answer = await send(local.address, {
        method: 'POST',
        path: `/v1/${tool}`,
        headers,
        body,
      });
      expect(messageOf(answer, 401)).toBe('Unauthorized');
    }
    expect(local.ledger()).toHaveLength(1);
  });

  test.each(paid)('402: not enough credits, free text: %s', async (tool) => {
    const { local, client } = poor();
    const body = await requestFor(client, tool);
    expect(messageOf(await client.ask('POST', `/v1/${tool}`, body), 402)).toMatch(/./);
    expect(local.balance()).toBe(0);
  });

  test.each([
    ['POST', '/v1/no-such-tool'],
    ['POST', '/v1/face-swap-photo/more'],
    ['GET', '/v1/video-projects/none'],
    ['GET', '/v1/image-projects/none'],
    ['GET', '/v1/audio-projects/none'],
    ['DELETE', '/v1/video-projects/none'],
    ['DELETE', '/v1/image-projects/none'],
    ['DELETE', '/v1/audio-projects/none'],
    ['GET', '/v1/files/none/face-detection'],
  ] as const)('404: resource not found, Not Found: %s %s', async (method, path) => {
    const { client } = stage();
    const answer = await client.ask(method, path, method === 'POST' ? {} : undefined);
    expect(messageOf(answer, 404)).toBe('Not Found');
  });

  test.each(withFiles)(
    '422: the project cannot be created, free text: %s of a wrong file for %s',
    async (tool, field, extension, type) => {
      const { local, client } = stage();
      const before = local.balance();
      const file = await client.upload(Buffer.from('no such medium'), extension, type);
      const body = edited(await requestFor(client, tool), field, file);
      const message = messageOf(await client.ask('POST', `/v1/${tool}`, body), 422);
      expect(message).toMatch(/could not be created|cannot be created/);
      expect(local.balance()).toBe(before);
    },
  );
});

describe('interface.md, Errors: other rules', () => {
  const stage = oneSlow();

  test.each([
    ['a value below its minimum', 'character-replace', 'start_seconds', -3, /start_seconds.*-3/],
    ['a value that is not on its list', 'character-replace', 'resolution', '8k', /resolution.*8k/],
    ['a value of another type', 'face-swap-photo', 'assets.target_file_path', 5, /target.*5/],
    ['a text that is too short', 'face-swap-photo', 'assets.target_file_path', '', /target.*""/],
    ['a height below 64 px', 'video-to-video', 'height', 63, /height.*63/],
    ['a width below 64 px', 'video-to-video', 'width', 63, /width.*63/],
  ] as const)('validation failures return 400 naming the invalid value: %s', async (...given) => {
    const [, tool, field, value, named] = given;
    const { client } = stage();
    const body = edited(await requestFor(client, tool), field, value);
    expect(messageOf(await client.ask('POST', `/v1/${tool}`, body), 400)).toMatch(named);
  });

  test('an input path that does not exist in storage gives an error that states it', async () => {
    const { client } = stage();
    const body = { assets: { image_file_path: 'api-assets/none/nothing.png' } };
    const message = messageOf(await client.ask('POST', '/v1/photo-colorizer', body), 400);
    expect(message).toMatch(/api-assets\/none\/nothing\.png.*does not exist/);
  });

  test('it also says to use a file_path from the upload-URL endpoint', async () => {
    const { client } = stage();
    const body = { assets: { image_file_path: 'api-assets/none/nothing.png' } };
    const message = messageOf(await client.ask('POST', '/v1/photo-colorizer', body), 400);
    expect(message).toMatch(/[Uu]se the file_path.*\/v1\/files\/generate-upload-urls/);
  });

  test.each(kinds)(
    'failures during processing appear in the error object of the project and of the event (%s)',
    async (kind) => {
      const local = await service({ credits: 1000 });
      const client = new Client(local);
      const ears = await openEars();
      await register(local, ears.url);
      const { id } = await client.create(hopelessTool[kind], await hopeless(client, kind));
      const { error } = await client.settled(kind, id);
      expect(error).toEqual({ code: expect.any(String), message: expect.any(String) });
      const { payload } = await ears.until(`${kind}.errored`, id);
      expect(payload['error']).toEqual(error);
      expect(local.balance()).toBe(1000);
    },
  );
});
