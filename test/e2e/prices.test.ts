// What a run costs, and what the account's plan allows, is said before anything is sent, and is what happens then.
import { describe, expect, test } from 'vitest';
import { envOf, Rig, service } from '../rig.ts';
import { Client } from '../service/client.ts';

const step = (kind: string, body: string, more = ''): string =>
  `pipeline: p\noutput: out\nsteps:\n  it: { uses: ${kind}, ${more}with: ${body} }\n`;

const pro = '{ image_count: 4, model: nano-banana-pro, resolution: 1k, style: { prompt: a boat } }';
const unpriced =
  '{ end_seconds: 5, model: minimax-h3, resolution: 720p, style: { prompt: a boat } }';

describe('a rehearsal', () => {
  test('charges what the plan says', async () => {
    const rig = new Rig(step('ai-image-generator', pro));
    expect((await rig.command(['plan', 'pipeline.yaml'])).stdout).toContain('At most 600 credits.');
    const { stdout, code } = await rig.command(['run', 'pipeline.yaml']);
    expect([stdout, code]).toEqual([expect.stringMatching(/600 charged|600 credits/), 0]);
  });

  test('refuses a price that is not known, and says what would give it one', async () => {
    const rig = new Rig(step('text-to-video', unpriced));
    for (const command of ['plan', 'run']) {
      const { stderr, code } = await rig.command([command, 'pipeline.yaml']);
      expect(stderr).toContain(
        'pipeline.yaml:4:3: error SL602: a rehearsal needs every price, and the price of "it" (text-to-video) is not known',
      );
      expect(stderr).toContain('no price is published for model "minimax-h3"');
      expect(stderr).toContain('set model: to a value that has a price');
      expect(stderr).toContain('estimate: <credits>');
      expect(code).toBe(2);
    }
  });

  test('refuses what its default model does not take, as a paid plan would', async () => {
    const body = '{ end_seconds: 1, style: { prompt: a boat } }';
    const { stderr, code } = await new Rig(step('text-to-video', body)).command([
      'plan',
      'pipeline.yaml',
    ]);
    expect(stderr).toContain(
      'step "it": kling-3.0 supports 3–15 seconds, not 1 (kling-3.0 is the plan’s default model; set model: to choose another)',
    );
    expect(code).toBe(2);
  });

  test('charges a step’s own estimate where no price is published', async () => {
    const rig = new Rig(step('text-to-video', unpriced, 'estimate: 321, '));
    expect((await rig.command(['plan', 'pipeline.yaml'])).stdout).toContain('At most 321 credits.');
    const { stdout, code } = await rig.command(['run', 'pipeline.yaml']);
    expect([stdout, code]).toEqual([expect.stringMatching(/321 charged|321 credits/), 0]);
  });
});

describe('a service', () => {
  test('is sent a creation whose price is not known where nothing caps it, and charges the dearest', async () => {
    const local = await service();
    const { summary } = await new Rig(step('text-to-video', unpriced)).run(local);
    expect(summary.credits.charged).toBe(5 * 576);
  });

  const large = '{ end_seconds: 5, model: ltx-2.3, resolution: 1080p, style: { prompt: a boat } }';

  test('whose account says its plan is not asked for what the plan does not have', async () => {
    const local = await service({ tier: 'free' });
    const rig = new Rig(step('text-to-video', large));
    for (const command of ['plan', 'run']) {
      const { stderr, code } = await rig.command([command, 'pipeline.yaml'], envOf(local));
      expect(stderr).toMatch(
        /pipeline.yaml:4:\d+: error SL603: step "it": resolution 1080p is not available on the free plan, which has 480p only/,
      );
      expect(code).toBe(2);
    }
    expect(local.requests()['POST /v1/text-to-video'] ?? 0).toBe(0);
    expect(local.ledger()).toHaveLength(1);
  });

  test('whose account cannot be read is asked, and refuses', async () => {
    const broken = { fault: 'broken', when: 'before', on: 'GET /v1/account' } as const;
    const local = await service({ tier: 'free', faults: { faults: [broken] } });
    const rig = new Rig(step('text-to-video', large));
    const { summary } = await rig.run(local);
    expect(summary.outcome).toBe('failed');
    expect(local.requests()['POST /v1/text-to-video']).toBe(1);
    expect(local.ledger()).toHaveLength(1);
  });
});

describe('an address of the account’s library', () => {
  const library = (id: string): string => `https://magichour.ai/my-library?${id}=abc123`;

  test('may be an input, without an extension', async () => {
    const local = await service();
    const body = `{ assets: { image_file_path: "${library('imageId')}" } }`;
    const { summary } = await new Rig(step('photo-colorizer', body)).run(local);
    expect(summary.outcome).toBe('done');
  });

  test('of another medium is refused by the service', async () => {
    const client = new Client(await service());
    const ask = async (url: string): Promise<number> =>
      (await client.ask('POST', '/v1/photo-colorizer', { assets: { image_file_path: url } }))
        .status;
    expect(await ask(library('imageId'))).toBe(200);
    expect(await ask(library('videoId'))).toBe(422);
    expect(await ask('https://magichour.ai/my-library')).toBe(400);
    expect(await ask('https://example.com/my-library?imageId=abc123')).toBe(400);
  });
});
