// The free jobs that make inputs.

import { describe, expect, test } from 'vitest';
import { err, ok } from '../../../../src/base/result.ts';
import type { MediaApi } from '../../../../src/core/ports.ts';
import { LookSchedule } from '../../../../src/plan/look-schedule.ts';
import type { DetectOrder, UploadOrder } from '../../../../src/run/jobs/job.ts';
import { detect, digest, reupload, upload } from '../../../../src/run/jobs/supply.ts';
import { digestOfText } from '../../../fakes/memory-disk.ts';
import { fingerprint, uploadOrder } from '../parts.ts';
import { busy, performed, Scene, unfit } from './performing.ts';

function scene(change: Partial<MediaApi> = {}): Scene {
  const one = new Scene([], change);
  one.disk.files.set('a.png', 'a photo');
  return one;
}

const order: UploadOrder = { ...uploadOrder('u'), content: digestOfText('a photo') };

describe('an upload', () => {
  test('is recorded with the path that requests name', async () => {
    const { said, events, outcome } = await performed(upload(order, scene().context));
    expect(said).toEqual(['supplied']);
    expect(events[0]).toMatchObject({
      ...{ kind: 'upload', task: 'photo:u', job: order.fingerprint },
      result: { file_path: expect.stringMatching(/^api-assets/) },
    });
    expect(outcome).toMatchObject({
      is: 'done',
      live: { file_path: expect.stringMatching(/^api-assets/) },
    });
  });

  test('of a file that changed meanwhile fails, and is not recorded', async () => {
    const one = scene();
    one.disk.files.set('a.png', 'another photo');
    const { said, outcome } = await performed(upload(order, one.context));
    expect(said).toEqual([]);
    expect(outcome).toEqual({
      ...{ is: 'ended', ending: 'failed', why: 'a.png changed while it was being uploaded' },
    });
  });

  test('asks for another address with each try: the first may have gone stale', async () => {
    let addresses = 0;
    const one: Scene = scene({
      uploadAddresses: async (items) => {
        addresses += 1;
        return await one.service.uploadAddresses(items);
      },
      put: async (target, file) =>
        addresses < 3 ? err(busy) : await one.service.put(target, file),
    });
    expect((await performed(upload(order, one.context))).outcome.is).toBe('done');
    expect(addresses).toBe(3);
  });

  test('that is refused fails its task', async () => {
    const { outcome } = await performed(
      upload(order, scene({ put: async () => err(unfit) }).context),
    );
    expect(outcome).toMatchObject({ ending: 'failed' });
  });
});

test('the files of a deleted project are uploaded in place of its addresses', async () => {
  const one = scene();
  const files = ['a', 'b'].map((name) => ({
    ...{ fingerprint: fingerprint(name), from: { in: 'output', path: 'a.png' } as const },
    output: { task: 't', index: 0, path: 'a.png', bytes: 7, sha256: digestOfText('a photo') },
  }));
  const { key, task, kind, attempts } = order;
  const again = {
    ...{ key, task, kind, attempts, files },
    operation: 'reupload',
    result: { downloads: 2 },
  } as const;
  const { said, outcome } = await performed(reupload(again, one.context));
  expect(said).toEqual(['supplied', 'supplied']);
  expect(outcome).toMatchObject({ live: { downloads: [{ url: expect.any(String) }, {}] } });
});

test.each([
  ['a.png', 'image', 'png'],
  ['clip.MP4', 'video', 'mp4'],
  ['voice.mp3', 'audio', 'mp3'],
  ['a.unknown', 'image', 'unknown'],
])('%s is uploaded as %s', async (name, type, extension) => {
  const asked: unknown[] = [];
  const one: Scene = scene({
    uploadAddresses: async (items) => {
      asked.push(...items);
      return await one.service.uploadAddresses(items);
    },
  });
  await performed(upload({ ...order, name }, one.context));
  expect(asked).toEqual([{ type, extension }]);
});

describe('an upload that fails', () => {
  test('for want of an address fails its task, and puts nothing', async () => {
    let puts = 0;
    const one: Scene = scene({
      uploadAddresses: async () => err(unfit),
      put: async (target, file) => {
        puts += 1;
        return await one.service.put(target, file);
      },
    });
    const { said, outcome } = await performed(upload(order, one.context));
    expect([said, puts]).toEqual([[], 0]);
    expect(outcome).toMatchObject({ ending: 'failed', why: expect.stringContaining('no face') });
  });

  test('in place of a deleted project ends there: later files are not sent', async () => {
    const one = scene();
    const file = (name: string, content: string) => ({
      ...{ fingerprint: fingerprint(name), from: { in: 'output', path: 'a.png' } as const },
      output: { task: 't', index: 0, path: 'a.png', bytes: 7, sha256: digestOfText(content) },
    });
    const { key, task, kind, attempts } = order;
    const { said, events, outcome } = await performed(
      reupload(
        {
          ...{ key, task, kind, attempts, operation: 'reupload', result: { downloads: 3 } },
          files: [file('a', 'a photo'), file('b', 'another'), file('c', 'a photo')],
        },
        one.context,
      ),
    );
    expect(said).toEqual(['supplied']);
    expect(events).toMatchObject([
      {
        ...{ job: fingerprint('a'), task, kind: 'upload' },
        result: { file_path: expect.stringMatching(/^api-assets/) },
      },
    ]);
    expect(outcome).toMatchObject({ ending: 'failed' });
  });
});

describe('a face detection', () => {
  const detection = (more: Partial<DetectOrder> = {}): DetectOrder => ({
    ...{ key: 'd', task: 'faces:a', kind: 'face-detect', attempts: 3, operation: 'detect' },
    ...{ fingerprint: fingerprint('d'), body: {}, timeoutMs: 5000 },
    ...more,
  });
  const begun: Partial<MediaApi> = { detectFaces: async () => ok({ id: 'f1' }) };
  const status = (...list: readonly ('queued' | 'complete' | 'error')[]): Partial<MediaApi> => {
    const left = [...list];
    return {
      ...begun,
      faceDetection: async (id) => {
        const next = left.length > 1 ? left.shift() : left[0];
        return ok({
          id,
          status: next ?? 'queued',
          credits_charged: 0,
          faces: [{ path: 'x', url: 'y' }],
        });
      },
    };
  };

  test('is waited for, and recorded once', async () => {
    const { said, outcome } = await performed(
      detect(detection(), scene(status('queued', 'complete')).context),
    );
    expect(said).toEqual(['supplied']);
    expect(outcome).toMatchObject({ is: 'done', live: { id: 'f1' } });
  });

  test('that is only read again is not recorded', async () => {
    const { said, outcome } = await performed(
      detect(detection({ detection: 'f0' }), scene(status('complete')).context),
    );
    expect([said, outcome.is]).toEqual([[], 'done']);
  });

  test('that is gone is done again, with its input', async () => {
    const one = scene({ faceDetection: async () => err({ reason: 'not-found', message: '' }) });
    const { outcome } = await performed(detect(detection({ detection: 'f0' }), one.context));
    expect(outcome).toEqual({ is: 'resupply', why: 'the face detection is gone' });
  });

  test('that cannot be begun fails, and is not looked at', async () => {
    let reads = 0;
    const one = scene({
      detectFaces: async () => err(unfit),
      faceDetection: async () => {
        reads += 1;
        return err(unfit);
      },
    });
    const { outcome } = await performed(detect(detection(), one.context));
    expect(outcome).toMatchObject({ ending: 'failed', why: expect.stringContaining('no face') });
    expect(reads).toBe(0);
  });

  test.each<readonly [string, Partial<DetectOrder>, MediaApi['faceDetection']]>([
    ['begun now is gone', {}, async () => err({ reason: 'not-found', message: '' })],
    ['of an earlier run is refused', { detection: 'f0' }, async () => err(unfit)],
  ])('that was %s fails: doing it again is no help', async (_, more, faceDetection) => {
    const one = scene({ ...begun, faceDetection });
    const { outcome } = await performed(detect(detection(more), one.context));
    expect(outcome).toMatchObject({ is: 'ended', ending: 'failed' });
  });

  test('is looked at every half second at first, and more often at a faster service', async () => {
    for (const speedFactor of [1, 2]) {
      const one = scene(status('queued', 'queued', 'queued', 'complete'));
      const lookSchedule = new LookSchedule({ speedFactor });
      await performed(detect(detection({ timeoutMs: 10_000 }), { ...one.context, lookSchedule }));
      expect(one.clock.slept.map((ms) => ms * speedFactor)).toEqual([500, 500, 500, 500]);
    }
  });

  test('is not waited for any more when the run stops', async () => {
    const one = scene(status('queued'));
    one.clock.sleep = async () => one.stopper.abort();
    const { outcome } = await performed(detect(detection(), one.context));
    expect(outcome).toEqual({ is: 'ended', ending: 'pending', why: 'stopped' });
  });

  test('has its time prolonged by what the service was away for', async () => {
    const one: Scene = scene({
      ...begun,
      faceDetection: async (id) => {
        const is = one.clock.elapsed() < 20_000;
        if (is) return err({ reason: 'unreachable', message: '' });
        const seen = one.clock.elapsed() > 34_000;
        return ok({ id, status: seen ? 'complete' : 'queued', credits_charged: 0, faces: [] });
      },
    });
    // The service comes back after 31 seconds.
    const { outcome } = await performed(detect(detection(), one.context));
    expect(outcome.is).toBe('done');
  });

  test('that the service could not do fails', async () => {
    const { outcome } = await performed(detect(detection(), scene(status('error')).context));
    expect(outcome).toMatchObject({
      ending: 'failed',
      why: 'the service could not look for faces in it',
    });
  });

  test('that takes too long fails: it cost nothing', async () => {
    const one = scene(status('queued'));
    const { outcome } = await performed(detect(detection(), one.context));
    expect(outcome).toMatchObject({
      ending: 'failed',
      why: 'the face detection was not over in time',
    });
    expect(one.clock.elapsed()).toBeLessThanOrEqual(5000);
  });
});

test('files are hashed, and those that could not be read are named', async () => {
  const one = scene();
  one.disk.unread.add('a.png');
  const places = ['a.png', 'b.png'].map((path) => ({ in: 'input', path }) as const);
  const { key, task, kind, attempts } = order;
  const { said, outcome } = await performed(
    digest({ ...{ key, task, kind, attempts }, operation: 'digest', places }, one.context),
  );
  expect(said).toEqual([]);
  expect(outcome).toEqual({
    is: 'read',
    unreadable: [{ place: places[1], why: 'does not exist' }],
  });
  expect(one.disk.input('a.png')).toMatchObject({ digest: digestOfText('a photo') });
});
