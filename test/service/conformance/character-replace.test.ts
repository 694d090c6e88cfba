// interface.md, POST /v1/character-replace: every rule of the tables of fields, and every response.
// Left out: that a point is in pixels of the source frame, from its left and top edge, "at time_seconds", and that its
// time is the clock of start_seconds: no rule says what a point outside the frame or the clip does. The default of
// style.mode is not shown.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json.ts';
import { send, textAt } from '../client.ts';
import { edited, hub, messageOf, objectAt, requestFor } from './door.ts';
import { oneSlow, reach, slow } from './stage.ts';

const path = '/v1/character-replace';
const point = { position_x: 12, position_y: 8, time_seconds: 0.5 };
const pointing = { selection_mode: 'point', points: [point] };

/** A valid request with one field changed; undefined takes it out. */
type Change = readonly [rule: string, field: string, value: Json | undefined];

const accepted: readonly Change[] = [
  ['name: a custom project name', 'name', 'Ann as a knight'],
  ['name: not required', 'name', undefined],
  ['start_seconds: a number (float)', 'start_seconds', 0.25],
  ['start_seconds: minimum 0', 'start_seconds', 0],
  ['start_seconds: not required', 'start_seconds', undefined],
  ['end_seconds: a number (float)', 'end_seconds', 2.75],
  ['end_seconds: minimum 0.1', 'end_seconds', 0.1],
  ['resolution: 480p', 'resolution', '480p'],
  ['resolution: 720p', 'resolution', '720p'],
  ['resolution: not required', 'resolution', undefined],
  ['style: not required', 'style', undefined],
  ['style.mode: replace', 'style', { mode: 'replace' }],
  ['style.mode: animate', 'style', { mode: 'animate' }],
  ['style.mode: not required', 'style', {}],
  ['style.selection_mode: auto', 'style', { selection_mode: 'auto' }],
  ['style.selection_mode: point uses points', 'style', pointing],
  ['points: several', 'style', { ...pointing, points: [point, { ...point, time_seconds: 1 }] }],
  ['points: ignored when selection_mode is auto', 'style', { ...pointing, selection_mode: 'auto' }],
  ['points: ignored when selection_mode is omitted', 'style', { points: [point] }],
  ['points: may be empty when ignored', 'style', { selection_mode: 'auto', points: [] }],
  ['points: may be anything when ignored', 'style', { selection_mode: 'auto', points: 'here' }],
  ['position_x: minimum 0', 'style', { ...pointing, points: [{ ...point, position_x: 0 }] }],
  ['position_y: minimum 0', 'style', { ...pointing, points: [{ ...point, position_y: 0 }] }],
  ['time_seconds: minimum 0', 'style', { ...pointing, points: [{ ...point, time_seconds: 0 }] }],
  ['time_seconds: a number', 'style', { ...pointing, points: [{ ...point, time_seconds: 1.75 }] }],
];

const refused: readonly (readonly [...Change, named: RegExp])[] = [
  ['name: string', 'name', 7, /name.*7/],
  ['start_seconds: number', 'start_seconds', '0', /start_seconds.*"0"/],
  ['start_seconds: minimum 0', 'start_seconds', -0.5, /start_seconds.*-0\.5/],
  ['end_seconds: required', 'end_seconds', undefined, /end_seconds/],
  ['end_seconds: number', 'end_seconds', '2', /end_seconds.*"2"/],
  ['end_seconds: minimum 0.1', 'end_seconds', 0.09, /end_seconds.*0\.09/],
  ['end_seconds: greater than start_seconds, not equal', 'start_seconds', 2.5, /end_seconds.*2\.5/],
  ['end_seconds: greater than start_seconds, not less', 'start_seconds', 9, /end_seconds.*9/],
  ['resolution: 480p or 720p', 'resolution', '1080p', /resolution.*"1080p"/],
  ['resolution: string', 'resolution', 480, /resolution.*480/],
  ['assets: required', 'assets', undefined, /assets/],
  ['assets: object', 'assets', 'a.mp4', /assets.*"a\.mp4"/],
  ['video_file_path: required', 'assets.video_file_path', undefined, /video_file_path/],
  ['video_file_path: string', 'assets.video_file_path', 5, /video_file_path.*5/],
  ['video_file_path: minimum length 1', 'assets.video_file_path', '', /video_file_path/],
  ['video_file_path: an asset reference', 'assets.video_file_path', 'none.mp4', /none\.mp4/],
  ['image_file_path: required', 'assets.image_file_path', undefined, /image_file_path/],
  ['image_file_path: string', 'assets.image_file_path', 5, /image_file_path.*5/],
  ['image_file_path: minimum length 1', 'assets.image_file_path', '', /image_file_path/],
  ['image_file_path: an asset reference', 'assets.image_file_path', 'none.png', /none\.png/],
  ['style: object', 'style', 'replace', /style.*"replace"/],
  ['style.mode: replace or animate', 'style', { mode: 'swap' }, /mode.*"swap"/],
  ['selection_mode: auto or point', 'style', { selection_mode: 'all' }, /selection_mode.*"all"/],
  ['points: required with point', 'style', { selection_mode: 'point' }, /points/],
  ['points: not empty with point', 'style', { ...pointing, points: [] }, /points/],
  ['points: array', 'style', { ...pointing, points: point }, /points/],
];

const badPoints: readonly (readonly [rule: string, field: string, value: Json | undefined])[] = [
  ['position_x: required', 'position_x', undefined],
  ['position_x: minimum 0', 'position_x', -1],
  ['position_x: integer', 'position_x', 1.5],
  ['position_x: a number', 'position_x', '12'],
  ['position_y: required', 'position_y', undefined],
  ['position_y: minimum 0', 'position_y', -1],
  ['position_y: integer', 'position_y', 1.5],
  ['position_y: a number', 'position_y', '8'],
  ['time_seconds: required', 'time_seconds', undefined],
  ['time_seconds: minimum 0', 'time_seconds', -0.1],
  ['time_seconds: a number', 'time_seconds', '0.5'],
];

/** The request as the service keeps it, with its defaults filled in: the hub shows it. */
async function keptBody(change: (body: JsonObject) => JsonObject): Promise<JsonObject> {
  const { local, client } = await slow();
  const body = change(await requestFor(client, 'character-replace'));
  const { id } = await client.create('character-replace', body);
  const { body: shown } = await hub(local, 'GET', `/hub/projects/${id}`);
  return objectAt(shown, 'body');
}

describe('interface.md, POST /v1/character-replace: the request', () => {
  const shared = oneSlow();

  test('creates a video project', async () => {
    const stage = await slow();
    const { client } = stage;
    const body = await requestFor(client, 'character-replace');
    const { id } = await client.create('character-replace', body);
    expect(await reach(stage, 'video', id, 'complete')).toMatchObject({ error: null });
  });

  test.each(accepted)('takes %s', async (_, field, value) => {
    const { client } = shared();
    const body = edited(await requestFor(client, 'character-replace'), field, value);
    const answer = await client.ask('POST', path, body);
    expect([answer.status, answer.body['message']]).toEqual([200, undefined]);
  });

  test.each(refused)('refuses what breaks %s', async (_, field, value, named) => {
    const { local, client } = shared();
    const before = local.balance();
    const body = edited(await requestFor(client, 'character-replace'), field, value);
    expect(messageOf(await client.ask('POST', path, body), 400)).toMatch(named);
    expect(local.balance()).toBe(before);
  });

  test.each(badPoints)('refuses a point that breaks %s', async (_, field, value) => {
    const { client } = shared();
    const body = edited(await requestFor(client, 'character-replace'), 'style', pointing);
    const wrong = edited(body, `style.points.0.${field}`, value);
    expect(messageOf(await client.ask('POST', path, wrong), 400)).toContain(field);
  });

  test('name: the record carries the custom project name', async () => {
    const { client } = shared();
    const body = edited(await requestFor(client, 'character-replace'), 'name', 'Ann as a knight');
    const { id } = await client.create('character-replace', body);
    expect(await client.record('video', id)).toMatchObject({ name: 'Ann as a knight' });
  });

  test('name: default is "Character Replace - " followed by a date-time', async () => {
    const { client } = shared();
    const body = await requestFor(client, 'character-replace');
    const { id } = await client.create('character-replace', body);
    const name = textAt(await client.record('video', id), 'name');
    expect(name).toMatch(/^Character Replace - \d/);
    expect(Number.isNaN(Date.parse(name.slice('Character Replace - '.length)))).toBe(false);
  });

  test('start_seconds: default 0', async () => {
    expect(await keptBody((body) => edited(body, 'start_seconds', undefined))).toMatchObject({
      start_seconds: 0,
    });
  });

  test('resolution: default 480p', async () => {
    expect(await keptBody((body) => edited(body, 'resolution', undefined))).toMatchObject({
      resolution: '480p',
    });
  });

  test.each([
    ['style is omitted', undefined],
    ['style is there', { mode: 'animate' }],
  ])('style.selection_mode: default auto, when %s', async (_, style) => {
    expect(await keptBody((body) => edited(body, 'style', style))).toMatchObject({
      style: { selection_mode: 'auto' },
    });
  });

  test('points: ignored with auto: they change neither the price nor the result', async () => {
    const stage = await slow();
    const body = await requestFor(stage.client, 'character-replace');
    const results = [];
    const styles: readonly JsonObject[] = [
      { selection_mode: 'auto' },
      { selection_mode: 'auto', points: [point] },
    ];
    for (const style of styles) {
      const { id } = await stage.client.create('character-replace', { ...body, style });
      const record = await reach(stage, 'video', id, 'complete');
      const [output] = await stage.client.outputs(record);
      results.push([record['credits_charged'], output?.toString('base64')]);
    }
    expect(results[1]).toEqual(results[0]);
  });
});

describe('interface.md, POST /v1/character-replace: the responses', () => {
  const shared = oneSlow();

  test('200: {id: string, credits_charged: integer} when the project is created', async () => {
    const { client } = shared();
    const answer = await client.ask('POST', path, await requestFor(client, 'character-replace'));
    expect(answer.status).toBe(200);
    expect(answer.body['id']).toEqual(expect.stringMatching(/./));
    expect(answer.body['credits_charged']).toSatisfy(Number.isInteger);
  });

  test('400: {message: string} when the request is invalid, for example a missing body', async () => {
    const { client } = shared();
    expect(messageOf(await client.ask('POST', path), 400)).toMatch(/body/);
  });

  test('401: the message is always Unauthorized', async () => {
    const { local, client } = shared();
    const body = JSON.stringify(await requestFor(client, 'character-replace'));
    for (const sent of [body, '{}', ''])
      expect(messageOf(await send(local.address, { method: 'POST', path, body: sent }), 401)).toBe(
        'Unauthorized',
      );
  });

  test('402: {message: string} when payment is required', async () => {
    const { client } = await slow({ credits: 1 });
    const body = await requestFor(client, 'character-replace');
    expect(messageOf(await client.ask('POST', path, body), 402)).toMatch(/./);
  });

  test('404: the message is always Not Found', async () => {
    const { client } = shared();
    for (const [method, wrong] of [
      ['POST', `${path}/none`],
      ['GET', '/v1/video-projects/none'],
    ] as const)
      expect(messageOf(await client.ask(method, wrong), 404)).toBe('Not Found');
  });

  test('422: {message: string} when the video could not be created', async () => {
    const { local, client } = shared();
    const before = local.balance();
    const body = await requestFor(client, 'character-replace');
    const voice = await client.upload(Buffer.from('a voice'), 'mp3', 'audio');
    const wrong = edited(body, 'assets.video_file_path', voice);
    expect(messageOf(await client.ask('POST', path, wrong), 422)).toMatch(
      /video could not be created/,
    );
    expect(local.balance()).toBe(before);
  });

  test('on plans that are free, the output resolution is limited to 576 px', async () => {
    const { client } = await slow({ tier: 'free' });
    const body = await requestFor(client, 'character-replace');
    const ask = (resolution: string) => client.ask('POST', path, { ...body, resolution });
    expect((await ask('480p')).status).toBe(200);
    expect(messageOf(await ask('720p'), 403)).toMatch(/720p/);
  });

  test.each(['creator', 'pro', 'business'] as const)(
    'higher plans unlock HD and larger sizes: %s',
    async (tier) => {
      const { client } = await slow({ tier });
      const body = await requestFor(client, 'character-replace');
      expect((await client.ask('POST', path, { ...body, resolution: '720p' })).status).toBe(200);
    },
  );
});
