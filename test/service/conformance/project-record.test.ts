// interface.md, Project record: one test for each field of the table, for every kind of record that has it.
// Left out: "a free-form string, not an enumeration, so new tools can be added" and "Deprecated" say what a client is
// to expect, not what a server answers. That the record is the payload of events, and that completed_at and failed_at
// are carried by events, is in events.test.ts.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { RecordKind } from '../../../src/contract/api/project.ts';
import { photo, service } from '../../rig.ts';
import { addressIn, Client, download, listAt, textAt } from '../client.ts';
import {
  creations,
  hopeless,
  hopelessTool,
  isoTime,
  kinds,
  quickTools,
  requestFor,
} from './door.ts';
import { reach, type Stage, slow } from './stage.ts';

const day = 24 * 3_600_000;

/** A new project of a quick tool. */
async function created({ client }: Stage, kind: RecordKind): Promise<string> {
  const tool = quickTools.find(([of]) => of === kind)?.[1] ?? '';
  return (await client.create(tool, await requestFor(client, tool))).id;
}

/** The record of a project that cannot be rendered, once it has failed. */
async function failed(stage: Stage, kind: RecordKind): Promise<JsonObject> {
  const body = await hopeless(stage.client, kind);
  const { id } = await stage.client.create(hopelessTool[kind], body);
  return await reach(stage, kind, id, 'error');
}

/** The record in each of the three states on the way to completion. */
async function onTheWay(kind: RecordKind): Promise<readonly JsonObject[]> {
  const stage = await slow();
  const id = await created(stage, kind);
  const records = [];
  for (const status of ['queued', 'rendering', 'complete'])
    records.push(await reach(stage, kind, id, status));
  return records;
}

describe('interface.md, Project record', () => {
  test.each(kinds)('is returned by the details endpoint of %s projects', async (kind) => {
    const stage = await slow();
    const id = await created(stage, kind);
    const { status, body } = await stage.client.ask('GET', `/v1/${kind}-projects/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'queued', downloads: [], error: null });
  });

  test.each(kinds)('id: unique project id (%s)', async (kind) => {
    const stage = await slow();
    const ids = [];
    for (let number = 0; number < 10; number++) ids.push(await created(stage, kind));
    const records = await Promise.all(ids.map((id) => stage.client.record(kind, id)));
    expect(records.map((record) => record['id'])).toEqual(ids);
    expect(new Set(ids).size).toBe(10);
  });

  test.each(kinds)('status: one of queued, rendering, complete, error (%s)', async (kind) => {
    const statuses = (await onTheWay(kind)).map((record) => record['status']);
    expect(statuses).toEqual(['queued', 'rendering', 'complete']);
    expect(await failed(await slow(), kind)).toMatchObject({ status: 'error' });
  });

  test('type: names the tool that made the project', async () => {
    const { client } = await slow();
    const types = new Map<string, string>();
    for (const [tool, kind] of creations) {
      const { id } = await client.create(tool, await requestFor(client, tool));
      const { type } = await client.record(kind, id);
      expect(type).toEqual(expect.stringMatching(/./));
      types.set(`${kind} ${type}`, tool);
    }
    // No two tools of one kind share a name.
    expect([...types.values()].sort()).toEqual(creations.map(([tool]) => tool).sort());
  });

  test.each(kinds)('created_at: ISO 8601 timestamp (%s)', async (kind) => {
    const stage = await slow();
    const begun = stage.clock.now();
    const id = await created(stage, kind);
    await reach(stage, kind, id, 'complete');
    const { created_at } = await stage.client.record(kind, id);
    expect(created_at).toEqual(isoTime);
    expect(Date.parse(`${created_at}`)).toBe(begun);
  });

  test('width, height: output dimensions (image)', async () => {
    const client = new Client(await service());
    const large = await sharp(await photo(1))
      .resize(300, 200)
      .png()
      .toBuffer();
    const file = await client.upload(large, 'png');
    const { id } = await client.create('photo-colorizer', { assets: { image_file_path: file } });
    const record = await client.settled('image', id);
    const [output] = await client.outputs(record);
    const { width, height } = await sharp(output).metadata();
    expect([record['width'], record['height']]).toEqual([width, height]);
  });

  test('width, height: output dimensions, integers (video)', async () => {
    const client = new Client(await service());
    const { id } = await client.create(
      'image-to-video',
      await requestFor(client, 'image-to-video'),
    );
    const { width, height } = await client.settled('video', id);
    for (const side of [width, height]) {
      expect(side).toSatisfy(Number.isInteger);
      expect(side).toBeGreaterThan(0);
    }
  });

  test.each(kinds)('credits_charged: integer, the credits deducted (%s)', async (kind) => {
    const stage = await slow();
    const before = stage.local.balance();
    const id = await created(stage, kind);
    for (const status of ['queued', 'rendering', 'complete']) {
      const { credits_charged } = await reach(stage, kind, id, status);
      expect(credits_charged).toSatisfy(Number.isInteger);
      expect(credits_charged).toBe(before - stage.local.balance());
    }
  });

  test.each(kinds)('credits_charged: includes any refund after a failure (%s)', async (kind) => {
    expect(await failed(await slow(), kind)).toMatchObject({ credits_charged: 0 });
  });

  test.each([['video'], ['image']] as const)(
    'total_frame_cost: integer on %s records, in every state',
    async (kind) => {
      for (const record of [...(await onTheWay(kind)), await failed(await slow(), kind)])
        expect(record['total_frame_cost']).toSatisfy(Number.isInteger);
    },
  );

  test.each(kinds)('downloads: items {url, expires_at: ISO 8601 timestamp} (%s)', async (kind) => {
    const [, , record = {}] = await onTheWay(kind);
    const downloads = listAt(record, 'downloads');
    expect(downloads.length).toBeGreaterThan(0);
    for (const item of downloads) {
      expect(item).toEqual({ url: expect.any(String), expires_at: isoTime });
      expect(URL.canParse(textAt(item, 'url'))).toBe(true);
    }
  });

  test.each(kinds)('downloads: empty until complete (%s)', async (kind) => {
    const [queued, rendering] = await onTheWay(kind);
    for (const record of [queued, rendering, await failed(await slow(), kind)])
      expect(record).toHaveProperty('downloads', []);
  });

  test('download: older video-record field, kept beside downloads', async () => {
    const [queued, rendering, complete = {}] = await onTheWay('video');
    expect(queued).toHaveProperty('download');
    expect(rendering).toHaveProperty('download');
    expect(complete['download']).toEqual(listAt(complete, 'downloads')[0]);
  });

  test.each(kinds)('error: {code, message} when the project failed (%s)', async (kind) => {
    const { error } = await failed(await slow(), kind);
    expect(error).toEqual({
      code: expect.stringMatching(/^[a-z_]+$/),
      message: expect.stringMatching(/./),
    });
  });

  test.each(kinds)('error: null when it did not fail (%s)', async (kind) => {
    for (const record of await onTheWay(kind)) expect(record).toHaveProperty('error', null);
  });
});

describe('interface.md, Project record: download addresses', () => {
  test.each(kinds)('expire 24 hours after they are issued (%s)', async (kind) => {
    const stage = await slow();
    const record = await reach(stage, kind, await created(stage, kind), 'complete');
    const [item = {}] = listAt(record, 'downloads');
    expect(Date.parse(textAt(item, 'expires_at'))).toBe(stage.clock.now() + day);
    stage.clock.pass(day - 1);
    expect((await download(addressIn(record))).status).toBe(200);
    stage.clock.pass(1);
    expect((await download(addressIn(record))).status).toBe(403);
  });

  test.each(kinds)('can be obtained afresh from the details endpoint (%s)', async (kind) => {
    const stage = await slow();
    const id = await created(stage, kind);
    const old = addressIn(await reach(stage, kind, id, 'complete'));
    const { bytes } = await download(old);
    stage.clock.pass(30 * day);
    expect((await download(old)).status).toBe(403);
    const fresh = await download(addressIn(await stage.client.record(kind, id)));
    expect(fresh.status).toBe(200);
    expect(fresh.bytes.equals(bytes)).toBe(true);
  });
});
