// When something fails: the rest goes on as far as the pipeline says, each failure is listed with what can be done, and
// nothing is paid for what the service will refuse anyway.
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/service/faults/schema.ts';
import type { LocalService } from '../../src/service/start.ts';
import { bill, photoPipeline, photoRig, Rig, service } from '../rig.ts';
import { hub } from '../service/receiver.ts';

/** One at a time, so that what fails first is known. */
const oneByOne = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');
const withTop = (line: string): string => `${line}\n${oneByOne}`;

const unfit = (more: { readonly skip?: number; readonly count?: number } = {}): FaultRule => ({
  fault: 'job-error',
  on: 'face-swap-photo',
  code: 'no_source_face',
  message: 'No face was found.',
  ...more,
});

const creations = (local: LocalService, tool = 'face-swap-photo'): number =>
  local.requests()[`POST /v1/${tool}`] ?? 0;

const net = (local: LocalService): number =>
  [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0);

describe('how much may fail before nothing more is bought', () => {
  test.each<[string, number, string]>([
    ['max_failures: "40%"', 3, '3 items of 6 failed, and max_failures allows 40%'],
    ['max_credits_lost: 0', 6, ''],
  ])('%s: %i are tried', async (line, tried, why) => {
    const local = await service({ faults: { faults: [unfit()] } });
    const rig = await photoRig(6, withTop(line));
    const { summary } = await rig.run(local);
    expect(creations(local)).toBe(tried);
    expect(summary).toMatchObject({
      outcome: 'failed',
      credits: { charged: tried * 10, refunded: tried * 10 },
      tasks: { failed: tried },
    });
    expect(summary.stopped ?? '').toBe(why);
    expect(net(local)).toBe(0);
  });

  test('max_credits_lost counts what was paid for items that then failed, and was not refunded', async () => {
    // The swap is paid and done, then the colouring of it fails.
    const coloured = `${withTop('max_credits_lost: 15').replace(/ {2}save[\s\S]*/, '')}  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
`;
    const failing = { fault: 'job-error', on: 'photo-colorizer', code: 'unknown_error' } as const;
    const local = await service({ faults: { faults: [failing] } });
    const rig = await photoRig(
      5,
      coloured.replace('photo-colorizer,', 'photo-colorizer, retry: { attempts: 1 },'),
    );
    const { summary } = await rig.run(local);
    expect(summary.stopped).toBe('20 credits went to items that failed, and 15 may');
    expect(creations(local)).toBe(2);
    expect(net(local)).toBe(20);
  });

  test('what is under way when the limit is reached is still saved, and the next run goes on', async () => {
    const local = await service({ faults: { faults: [unfit({ skip: 2, count: 1 })] } });
    const rig = await photoRig(6, withTop('on_failure: stop'));
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'failed', items: { total: 6, done: 2 } });
    expect(rig.files('out')).toHaveLength(2);
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 6 } });
    expect(net(local)).toBe(60);
  });

  test('without such a line the others go on', async () => {
    const local = await service({ faults: { faults: [unfit({ count: 2 })] } });
    const rig = await photoRig(5, oneByOne);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'failed', items: { done: 3 }, tasks: { failed: 2 } });
    expect(summary.stopped).toBeUndefined();
  });
});

test('a failure that may pass is tried as often as the step says, and one that will not pass is tried once', async () => {
  const late = { fault: 'job-error', on: 'face-swap-photo', code: 'processing_timeout' } as const;
  const local = await service({ faults: { faults: [unfit({ count: 1 }), late] } });
  const rig = await photoRig(
    2,
    oneByOne.replace('uses: face-swap-photo', 'uses: face-swap-photo\n    retry: { attempts: 2 }'),
  );
  const { summary } = await rig.run(local);
  expect(summary.outcome).toBe('failed');
  expect(summary.problems).toMatchObject([
    { task: 'swap:p1.png', why: expect.stringContaining('no_source_face') },
    { task: 'swap:p2.png', why: expect.stringContaining('processing_timeout') },
  ]);
  expect(creations(local)).toBe(1 + 2);
});

describe('a request that the service takes from nobody', () => {
  /** A free step and a paid one for each word, then one whose requests are wrong. */
  const pipeline = (last: string, more = ''): string => `pipeline: words
items: { values: [one, two, three, four, five, six, seven, eight] }
limits: { items: 1 }
output: out
steps:
  picture: { uses: ai-meme-generator, with: { name: "\${{ item.value }}", style: { template: Random, topic: "\${{ item.value }}" } } }
  ${last}
${more}`;
  const voiceOfPicture =
    'wrong: { uses: ai-voice-cloner, with: { assets: { audio_file_path: "${{ steps.picture.url }}" }, style: { prompt: hello } } }';
  const saved = '  save: { uses: download, with: { of: picture, to: "${{ item.value }}.png" } }\n';

  /** As the service refuses it: with this status, whatever is sent. */
  const refusing = (local: LocalService): number => creations(local, 'ai-voice-cloner');

  test('stops after three: what only it would use is not paid for the others, and what is paid is not paid again by the next run', async () => {
    const local = await service();
    const rig = new Rig(pipeline(voiceOfPicture));
    const { summary } = await rig.run(local);
    expect(refusing(local)).toBe(3);
    expect(creations(local, 'ai-meme-generator')).toBe(3);
    expect(summary).toMatchObject({ outcome: 'failed', credits: { charged: 30 } });
    // What only the refused step would use waits, and has not failed.
    expect(summary.tasks.pending).toBe(summary.held);
    expect(summary.held).toBeGreaterThan(0);
    rig.write('pipeline.yaml', pipeline('', saved));
    expect((await rig.run(local)).summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 50 },
    });
    expect(net(local)).toBe(80);
  });

  test('while a step whose result is saved as well goes on', async () => {
    const local = await service();
    const rig = new Rig(pipeline(voiceOfPicture, saved));
    const { summary } = await rig.run(local);
    expect(refusing(local)).toBe(3);
    expect(creations(local, 'ai-meme-generator')).toBe(8);
    expect(rig.files('out')).toHaveLength(8);
    expect(summary).toMatchObject({ outcome: 'failed', credits: { charged: 80 } });
    expect(summary.problems.map(({ why }) => why).join('\n')).toContain(
      'refused for the first 3 items, so it is not tried for the others',
    );
  });
});

// Its resolution is known only once a picture is made: what is known before is checked before (prices.test.ts).
describe('a step that the account’s plan does not have (403)', () => {
  const pipeline = (more = ''): string => `pipeline: words
items: { values: [one, two, three, four] }
limits: { items: 1 }
output: out
steps:
  picture: { uses: ai-meme-generator, with: { name: "\${{ item.value }}", style: { template: Random, topic: "\${{ item.value }}" } } }
  sharp: { uses: ai-image-editor, with: { resolution: "\${{ steps.picture.width > 0 ? '4k' : '1k' }}", image_count: 1, assets: { image_file_path: "\${{ steps.picture.url }}" }, style: { prompt: sharper } } }
${more}`;

  test('is asked for once, and nothing is paid that only it would use', async () => {
    const local = await service({ tier: 'free' });
    const rig = new Rig(pipeline());
    const { summary } = await rig.run(local);
    expect(summary.outcome).toBe('failed');
    expect(summary.problems[0]?.why).toContain('(403)');
    expect(creations(local, 'ai-image-editor')).toBe(1);
    expect(creations(local, 'ai-meme-generator')).toBe(1);
    expect(net(local)).toBe(10);
  });

  test('while what is saved as well goes on', async () => {
    const local = await service({ tier: 'free' });
    const saved =
      '  save: { uses: download, with: { of: picture, to: "${{ item.value }}.png" } }\n';
    const rig = new Rig(pipeline(saved));
    const { summary } = await rig.run(local);
    expect(summary.outcome).toBe('failed');
    expect(creations(local, 'ai-image-editor')).toBe(1);
    expect(rig.files('out')).toHaveLength(4);
    expect(net(local)).toBe(40);
  });
});

test('a key that is revoked in the middle stops the run with exit code 5; with another key it goes on', async () => {
  const local = await service();
  const { id, key } = await hub(local.address, '/hub/keys', { name: 'for a while' });
  const rig = await photoRig(4, oneByOne);
  let paid = 0;
  const { summary } = await rig.run(
    { ...local, key: String(key) },
    {},
    {
      api: (api) => ({
        ...api,
        create: async (tool, body, known) => {
          paid += 1;
          if (paid === 3) await hub(local.address, `/hub/keys/${String(id)}/revoke`, {});
          return await api.create(tool, body, known);
        },
      }),
    },
  );
  expect(summary).toMatchObject({
    outcome: 'unauthorized',
    credits: { charged: 20, reserved: 0 },
    items: { done: 2 },
  });
  expect(summary.stopped).toContain('401');
  expect(creations(local)).toBe(3);
  expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
  expect(net(local)).toBe(40);
});
