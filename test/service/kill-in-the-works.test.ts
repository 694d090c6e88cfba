// kill -9 while 24 projects are rendering and their events are on the way: after a restart every project ends, the
// ledger adds up, and no event is lost.
import { expect } from 'vitest';
import { photo, service } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { Client, eventually, listAt, textAt } from './client.ts';
import { child, dataFolder } from './killable.ts';
import { hub, receiver } from './receiver.ts';

const each = 6;

longTest(
  'kill -9 during 24 running jobs: every job ends, the ledger sums match, no event is lost',
  async () => {
    const data = dataFolder();
    // A slot for each, at the hosted service's pace: the first one ends after 10 seconds, so that there is a time when all
    // are in progress also on a slow machine.
    const first = await child(data, '1', { slots: 4 * each });
    const client = new Client(first.door);
    let killed = false;
    let answered = 0;
    // Until the kill every second event is not delivered, so that some wait for another attempt.
    const reply = (): number => (killed || answered++ % 2 === 0 ? 200 : 500);
    const { events } = await receiver(first.door.address, { reply });

    const image = { image_file_path: await client.upload(await photo(1), 'png') };
    const bad = { image_file_path: await client.upload(Buffer.from('no picture'), 'png') };
    const larger = { scale_factor: 2, style: { mode: 'preserve' } };
    const creations = Array.from({ length: each }, () => [
      client.create('ai-image-upscaler', { ...larger, assets: image }),
      client.create('ai-image-upscaler', { ...larger, assets: bad }),
      client.create('text-to-video', {
        ...{ end_seconds: 1, resolution: '480p', model: 'ltx-2.3' },
        style: { prompt: 'a boat' },
      }),
      client.create('ai-voice-cloner', {
        assets: { audio_file_path: 'https://example.com/a.mp3' },
        style: { prompt: 'x'.repeat(100) },
      }),
    ]).flat();
    const ids = (await Promise.all(creations)).map(({ id }) => id);
    await eventually('all are rendering', async () => {
      const list = await hub(first.door.address, '/hub/projects?status=rendering&limit=500');
      return listAt(list, 'projects').length === ids.length || undefined;
    });
    await first.kill();
    killed = true;

    const local = await service({ data });
    await eventually('every project ends', async () => {
      const open = [];
      for (const status of ['queued', 'rendering'])
        open.push(
          ...listAt(
            await hub(local.address, `/hub/projects?status=${status}&limit=500`),
            'projects',
          ),
        );
      return open.length === 0 || undefined;
    });
    await eventually('every event is delivered', async () => {
      const list = await hub(local.address, '/hub/deliveries?limit=500');
      return listAt(list, 'deliveries').every(({ state }) => state === 'delivered') || undefined;
    });

    // Each project once in each of its two states; more often only where delivery was at least once.
    const arrived = events.map(
      ({ type, payload }) => `${textAt(payload, 'id')} ${type.split('.')[1]}`,
    );
    const records = listAt(await hub(local.address, '/hub/projects?limit=500'), 'projects');
    expect(records.map(({ id }) => id).sort()).toEqual([...ids].sort());
    for (const { id, status } of records) {
      expect(arrived).toContain(`${id} started`);
      expect(arrived).toContain(`${id} ${status === 'complete' ? 'completed' : 'errored'}`);
    }
    expect(events.every(({ signed }) => signed)).toBe(true);
    expect(new Set(arrived).size).toBe(2 * ids.length);

    const endings = records.map(({ tool, status }) => `${tool} ${status}`);
    const count = (ending: string): number => endings.filter((one) => one === ending).length;
    expect({
      enlarged: count('ai-image-upscaler complete'),
      bad: count('ai-image-upscaler error'),
      videos: count('text-to-video complete'),
      voices: count('ai-voice-cloner complete'),
    }).toEqual({ enlarged: each, bad: each, videos: each, voices: each });

    const ledger = local.ledger();
    const sum = ledger.reduce(
      (all, { kind, credits }) => all + (kind === 'charge' ? -credits : credits),
      0,
    );
    expect(sum).toBe(local.balance());
    const charged = records.reduce((all, record) => all + Number(record['credits_charged']), 0);
    expect(local.balance()).toBe(10_000 - charged);
    const of = (wanted: string): readonly unknown[] =>
      ledger.filter(({ kind }) => kind === wanted).map(({ project }) => project);
    expect([...of('charge')].sort()).toEqual([...ids].sort());
    expect(of('refund')).toHaveLength(each);
  },
);
