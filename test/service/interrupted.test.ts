// Transfers that meet a fault and whose client then goes away; and projects that go while they hold a place.
import { existsSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FaultRule } from '../../src/service/faults/schema.ts';
import { service, until } from '../rig.ts';
import { addressIn, Client, textAt } from './client.ts';
import { clockwork } from './clockwork.ts';
import { dataFolder } from './killable.ts';

/** What the service says of its own trouble. */
function complaints(): readonly unknown[] {
  const spy = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => spy.mockRestore());
  return spy.mock.calls;
}

const fds = '/proc/self/fd';

/** The files that this process has open. */
function openFiles(): readonly string[] {
  return readdirSync(fds).flatMap((name) => {
    try {
      return [readlinkSync(join(fds, name))];
    } catch {
      // Closed since the folder was read.
      return [];
    }
  });
}

const spoilers: readonly (readonly [string, FaultRule])[] = [
  ['corrupt', { fault: 'corrupt', at_bytes: 10 }],
  ['stalled', { fault: 'stalled', at_bytes: 10 }],
  ['truncated', { fault: 'truncated', at_bytes: 10 }],
];

describe.each(spoilers)('a transfer that is %s, and whose client goes away,', (_, rule) => {
  test('leaves nothing of an upload behind, and the service goes on', async () => {
    const said = complaints();
    const data = dataFolder();
    const local = await service({ data, faults: { faults: [{ ...rule, on: 'PUT /uploads/*' }] } });
    const client = new Client(local);
    const incoming = (): number => readdirSync(join(data, 'incoming')).length;
    const [place] = await client.uploadAddresses('image', 'png');
    const sending = request(place?.url ?? '', {
      method: 'PUT',
      headers: { 'content-length': 5_000_000 },
    });
    const gone = new Promise((resolve) => sending.once('close', resolve));
    sending.on('error', () => {});
    sending.write(Buffer.alloc(2_000_000, 'x'));
    await until('it has begun', () => incoming() === 1 || sending.destroyed);
    sending.destroy();
    await gone;
    expect((await client.ask('GET', '/v1/account')).status).toBe(200);
    // Who does not read a socket does not see that the other side closed it.
    if (rule.fault === 'stalled') await local.close();
    await until('nothing of it is left', () => incoming() === 0);
    expect(said).toEqual([]);
  });

  test.skipIf(!existsSync(fds))(
    'lets the file of a download go (where /proc shows it)',
    async () => {
      const said = complaints();
      const local = await service({ faults: { faults: [{ ...rule, on: 'GET /downloads/*' }] } });
      const client = new Client(local);
      const clip = await client.upload(Buffer.alloc(4_000_000, 'x'), 'mp4', 'video');
      const { id } = await client.create('auto-subtitle-generator', {
        ...{ start_seconds: 0, end_seconds: 1, style: { template: 'karaoke' } },
        assets: { video_file_path: clip },
      });
      const url = addressIn(await client.settled('video', id));
      const open = (): boolean => openFiles().some((file) => file.includes(id));
      const receiving = request(url);
      receiving.on('error', () => {});
      const gone = new Promise((resolve) => receiving.once('close', resolve));
      receiving.on('response', (response) => {
        response.on('error', () => {});
        response.once('data', () => receiving.destroy());
      });
      receiving.end();
      await gone;
      await until('its file is closed', () => !open());
      expect((await client.ask('GET', '/v1/account')).status).toBe(200);
      expect(said).toEqual([]);
    },
  );
});

describe('a project that goes', () => {
  const voice = { style: { prompt: 'Hello', voice_name: 'Elon' } };

  test.each(['cancel', 'DELETE'])(
    'while it holds the only slot makes room for the next (%s)',
    async (way) => {
      const clock = clockwork();
      const local = await service({ ...clock.options, speed: 'realtime', slots: 1 });
      const client = new Client(local);
      const leave = async (id: string): Promise<void> => {
        if (way === 'DELETE') await client.ask('DELETE', `/v1/audio-projects/${id}`);
        else await client.ask('POST', `/hub/projects/${id}/cancel`, {});
      };
      const ids: string[] = [];
      for (let count = 0; count < 3; count++)
        ids.push(textAt(await client.create('ai-voice-generator', voice), 'id'));
      const [holding = '', queued = '', last = ''] = ids;
      const status = async (id: string): Promise<unknown> =>
        (await client.record('audio', id))['status'];
      // All three have waited their time, and only one has a slot.
      clock.pass(6000);
      await vi.waitFor(async () => expect(await status(holding)).toBe('rendering'));
      expect([await status(queued), await status(last)]).toEqual(['queued', 'queued']);
      await leave(queued);
      await leave(holding);
      await vi.waitFor(async () => expect(await status(last)).toBe('rendering'));
    },
  );

  test.each(['canceled', 'error'])(
    'leaves no folder behind when the service is killed before it is cleared away (%s)',
    async (end) => {
      const data = dataFolder();
      const before = await service({ data, ...(end === 'canceled' && { speed: 'realtime' }) });
      const client = new Client(before);
      const file = await client.upload(Buffer.from('no picture'), 'png');
      const id = await client.swap(file, file);
      if (end === 'canceled') await client.ask('POST', `/hub/projects/${id}/cancel`, {});
      else await client.settled('image', id);
      await before.close();
      // As a kill leaves it: the move is on disk, the folder too, and nobody noted that it is gone.
      const database = new DatabaseSync(join(data, 'service.sqlite'));
      database.prepare('UPDATE projects SET swept = 0 WHERE id = ?').run(id);
      database.close();
      mkdirSync(join(data, 'outputs', id), { recursive: true });
      const after = new Client(await service({ data }));
      expect((await after.record('image', id))['status']).toBe(end);
      expect(existsSync(join(data, 'outputs', id))).toBe(false);
    },
  );
});
