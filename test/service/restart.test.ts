// What the service promises about being stopped and killed: what was answered is kept, what was begun goes on,
// and nothing is charged twice.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { photo, service } from '../rig.ts';
import { longTest, sampleOf } from '../sweep.ts';
import { addressIn, Client, download, eventually, smallSample, textAt } from './client.ts';
import { child, dataFolder } from './killable.ts';
import { hub } from './receiver.ts';

/** Charges of each project, and nothing else that was moved. */
function chargesOf(local: LocalService): ReadonlyMap<string, number> {
  const charges = new Map<string, number>();
  for (const { kind, project } of local.ledger())
    if (kind === 'charge' && project !== null)
      charges.set(project, (charges.get(project) ?? 0) + 1);
  return charges;
}

describe('a service that is closed and started again on its data folder', () => {
  test('has the same ledger, balance, projects, files and keys', async () => {
    const data = dataFolder();
    const before = await service({ data, credits: 500 });
    const client = new Client(before);
    const file = await client.upload(await photo(1), 'png');
    const bad = await client.upload(Buffer.from('no picture'), 'png');
    const id = await client.swap(file, file, 'Ann');
    const failed = await client.swap(bad, file, 'Bob');
    const faces = await client.faces(file);
    const record = await client.settled('image', id);
    await client.settled('image', failed);
    const [bytes = Buffer.alloc(0)] = await client.outputs(record);
    const [ledger, balance] = [before.ledger(), before.balance()];
    await before.close();

    const other = 'sl_another_key';
    const after = await service({ data, credits: 9999, key: other });
    expect(after.ledger()).toEqual(ledger);
    expect([after.balance(), balance]).toEqual([490, 490]);
    for (const key of [before.key, other]) {
      const again = new Client({ address: after.address, key });
      expect(await again.record('image', id)).toMatchObject({ name: 'Ann', status: 'complete' });
      expect(await again.record('image', failed)).toMatchObject({
        status: 'error',
        error: { code: 'invalid_file_format' },
        credits_charged: 0,
      });
    }
    const again = new Client(after);
    const [same = Buffer.alloc(0)] = await again.outputs(await again.record('image', id));
    expect(same.equals(bytes)).toBe(true);
    const seen = await again.ask('GET', `/v1/files/${textAt(faces, 'id')}/face-detection`);
    expect(seen.body).toMatchObject({ status: 'complete', faces: [{ path: expect.any(String) }] });
    expect(await again.settled('image', await again.swap(file, file))).toMatchObject({
      status: 'complete',
    });
    // An address that was given out before works at the new port too.
    const old = new URL(addressIn(record));
    old.port = new URL(after.address).port;
    expect((await download(old.href)).bytes.equals(bytes)).toBe(true);
  });

  test('keeps its keys, but none in full', async () => {
    const data = dataFolder();
    const before = await service({ data, key: 'sl_a_key_that_must_not_be_there' });
    const { key } = before;
    const written = (): readonly string[] =>
      readdirSync(data, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(written().length).toBeGreaterThan(0);
    expect(written().filter((text) => text.includes(key))).toEqual([]);
    await before.close();
    expect(written().filter((text) => text.includes(key))).toEqual([]);
    const after = await service({ data });
    const client = new Client({ address: after.address, key });
    expect((await client.ask('GET', '/v1/account')).status).toBe(200);
  });

  test('removes a file that was put in place and never noted, and no other', async () => {
    const data = dataFolder();
    const before = await service({ data });
    const file = await new Client(before).upload(await photo(1), 'png');
    await before.close();
    const assets = join(data, 'api-assets');
    const stray = join(assets, '0123456789abcdef01234567/0123456789ab.png');
    const others = [join(assets, 'abc/mine.png'), join(data, 'incoming/mine')];
    for (const path of [stray, ...others]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'put in place, then killed');
    }
    const after = new Client(await service({ data }));
    const stands = [stray, join(data, file), ...others].map((path) => existsSync(path));
    expect(stands).toEqual([false, true, true, true]);
    expect((await after.settled('image', await after.swap(file, file)))['status']).toBe('complete');
  });

  test('forgets the key of a rehearsal with the next rehearsal, and keeps it as a hash meanwhile', async () => {
    const data = dataFolder();
    const first = await service({ data, temporaryKey: true });
    await first.close();
    const second = await service({ data, temporaryKey: true });
    expect((await new Client(second).ask('GET', '/v1/account')).status).toBe(200);
    const old = new Client({ address: second.address, key: first.key });
    expect((await old.ask('GET', '/v1/account')).status).toBe(401);
    const { keys } = await hub(second.address, '/hub/keys');
    expect(keys).toEqual([expect.objectContaining({ name: 'of a rehearsal' })]);
    await second.close();
    const files = readdirSync(data).map((name) => join(data, name));
    const stored = files
      .filter((file) => file.includes('.sqlite'))
      .map((file) => readFileSync(file));
    expect(stored.some((bytes) => bytes.includes(second.key))).toBe(false);
  });

  test('goes on with what was not finished, and charges nothing again', async () => {
    const data = dataFolder();
    const before = await service({ data, speed: 'realtime', after: () => () => {} });
    const client = new Client(before);
    const file = await client.upload(await photo(1), 'png');
    const ids = await Promise.all([1, 2, 3].map((i) => client.swap(file, file, `p${i}`)));
    const [deleted = ''] = ids;
    expect((await client.ask('DELETE', `/v1/image-projects/${deleted}`)).status).toBe(204);
    const detection = await client.ask('POST', '/v1/files/face-detection', {
      assets: { target_file_path: file },
    });
    const ledger = before.ledger();
    await before.close();

    const after = await service({ data });
    const again = new Client(after);
    for (const id of ids.slice(1))
      expect(await again.settled('image', id)).toMatchObject({ status: 'complete' });
    await eventually('the detection ends', async () => {
      const path = `/v1/files/${textAt(detection.body, 'id')}/face-detection`;
      return (await again.ask('GET', path)).body['status'] === 'complete' || undefined;
    });
    expect((await again.ask('GET', `/v1/image-projects/${deleted}`)).status).toBe(404);
    expect(after.ledger()).toEqual(ledger);
  });

  test('forgets and removes uploads that are older than seven days', async () => {
    const data = dataFolder();
    const before = await service({ data, now: () => 1_800_000_000_000 });
    const file = await new Client(before).upload(await photo(1), 'png');
    await before.close();
    const after = await service({ data, now: () => 1_800_000_000_000 + 7 * 24 * 3_600_000 });
    const answer = await new Client(after).ask('POST', '/v1/photo-colorizer', {
      assets: { image_file_path: file },
    });
    expect(answer.status).toBe(400);
    const left = readdirSync(data, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile() && entry.name.endsWith('.png'))).toEqual([]);
  });
});

test('a second service on the same data folder is refused, and says why', async () => {
  const data = dataFolder();
  const first = await service({ data });
  await expect(service({ data })).rejects.toMatchObject({
    code: 'DATA_FOLDER',
    message: expect.stringContaining('is in use by another local service'),
  });
  const running = await new Client(first).ask('GET', '/v1/account');
  expect(running.status).toBe(200);
});

test('without a data folder nothing is left after closing', async () => {
  const temporary = dataFolder();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const local = await service();
  await new Client(local).upload(await photo(1), 'png');
  expect(readdirSync(temporary)).toHaveLength(1);
  await local.close();
  expect(readdirSync(temporary)).toEqual([]);
});

describe('a service that is killed', () => {
  // In the middle of real rendering; and while projects take the time that they would take on the hosted service.
  test.each(sampleOf(['instant', '2'], 2))(
    'while projects are rendering ends them all after a restart, each charged once (speed %s)',
    async (speed) => {
      const data = dataFolder();
      const first = await child(data, speed);
      const client = new Client(first.door);
      const target = await client.upload(await smallSample(6));
      const source = await client.upload(await photo(2), 'png');
      const ids = await Promise.all(
        Array.from({ length: 8 }, (_, i) => client.swap(target, source, `p${i}`)),
      );
      await eventually('one is rendering', async () => {
        const records = await Promise.all(ids.map((id) => client.record('image', id)));
        return records.some(({ status }) => status === 'rendering') || undefined;
      });
      await first.kill();

      const local = await service({ data });
      const again = new Client({ address: local.address, key: first.door.key });
      for (const [i, id] of ids.entries()) {
        const record = await again.settled('image', id);
        expect(record).toMatchObject({ status: 'complete', name: `p${i}`, credits_charged: 10 });
        const [output] = await again.outputs(record);
        expect(output?.length).toBeGreaterThan(100);
      }
      expect(chargesOf(local)).toEqual(new Map(ids.map((id) => [id, 1])));
      expect(local.ledger()).toHaveLength(1 + ids.length);
      expect(local.balance()).toBe(10_000 - 10 * ids.length);
    },
  );

  longTest('again and again loses nothing and charges nothing twice', async () => {
    const data = dataFolder();
    const ids: string[] = [];
    let file: string | undefined;
    for (let round = 0; round < 2; round++) {
      const running = await child(data, 'instant');
      const client = new Client(running.door);
      file ??= await client.upload(await smallSample(6));
      const [target, name] = [file, `round ${round}`];
      for (let i = 0; i < 3; i++) ids.push(await client.swap(target, target, `${name} ${i}`));
      await running.kill();
    }
    const local = await service({ data });
    const client = new Client(local);
    for (const id of ids)
      expect(await client.settled('image', id)).toMatchObject({ status: 'complete' });
    expect(chargesOf(local)).toEqual(new Map(ids.map((id) => [id, 1])));
    expect(local.balance()).toBe(10_000 - 10 * ids.length);
  });

  test('while creations come in has every project that it answered, and charged no other', async () => {
    const data = dataFolder();
    const first = await child(data, 'instant');
    const client = new Client(first.door);
    const file = await client.upload(await photo(1), 'png');
    const answered: string[] = [];
    const enough = Promise.withResolvers<void>();
    const asking = Array.from({ length: 30 }, async (_, i) => {
      // Those that the kill cuts off have no answer.
      const id = await client.swap(file, file, `p${i}`).catch(() => undefined);
      if (id !== undefined) answered.push(id);
      if (answered.length >= 10) enough.resolve();
    });
    await enough.promise;
    await first.kill();
    await Promise.all(asking);

    const local = await service({ data });
    const again = new Client(local);
    const charges = chargesOf(local);
    expect([...charges.values()].every((count) => count === 1)).toBe(true);
    for (const id of answered) expect(charges.get(id)).toBe(1);
    // A charge without an answer is a project all the same: it is there and is rendered.
    for (const id of charges.keys())
      expect(await again.settled('image', id)).toMatchObject({ status: 'complete' });
    expect(local.balance()).toBe(10_000 - 10 * charges.size);
  });

  longTest(
    'while a file comes in does not have that file, and clears what came of it',
    async () => {
      const data = dataFolder();
      const first = await child(data, 'instant');
      const client = new Client(first.door);
      const [place] = await client.uploadAddresses('image', 'png');
      const sending = request(place?.url ?? '', {
        method: 'PUT',
        headers: { 'content-length': 1_000_000 },
      });
      sending.on('error', () => {});
      sending.write(Buffer.alloc(400_000, 'x'));
      const incoming = (): number => readdirSync(join(data, 'incoming')).length;
      await eventually('the upload has begun', async () => incoming() === 1 || undefined);
      await first.kill();
      expect(incoming()).toBe(1);

      const again = new Client(await service({ data }));
      expect(incoming()).toBe(0);
      const answer = await again.ask('POST', '/v1/photo-colorizer', {
        assets: { image_file_path: place?.path ?? '' },
      });
      expect(answer.status).toBe(400);
    },
  );
});
