// A live page follows the runs of any process, from before the first one to the end.
import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type LivePage,
  type LivePageOptions,
  openLivePage,
} from '../../../src/features/ui/live-page.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { get, listenTo } from '../../page-client.ts';
import { photoPipeline, photoRig, type Rig, service, until } from '../../rig.ts';

async function paging(rig: Rig, options: LivePageOptions = {}): Promise<LivePage> {
  const loaded = await loadPipeline(rig.file);
  const opened = await openLivePage(loaded, options);
  onTestFinished(() => opened.close());
  return opened;
}

/** One photo after the other, so that a page sees each state. */
const oneByOne = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');

describe('a live page', () => {
  test('shows items on their way from waiting to done, and their files', async () => {
    const faults = [{ fault: 'job-error', on: 'face-swap-photo', count: 1 }] as const;
    const local = await service({ faults: { faults: [{ ...faults[0], code: 'no_source_face' }] } });
    const rig = await photoRig(3, oneByOne);
    const { address, close } = await paging(rig);
    const heard = listenTo(address);
    await until('the page has the report', () => heard.data !== undefined);
    expect(heard.data).toMatchObject({ running: false, runs: [], credits: { charged: 0 } });
    expect(heard.data?.items.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting']);
    await rig.run(local);
    await until('the last item is done', () => heard.data?.items[2]?.state === 'done');
    await until('the run is over', () => heard.data?.running === false);
    expect(heard.data?.items.map(({ state }) => state)).toEqual(['failed', 'done', 'done']);
    expect(heard.data?.credits).toMatchObject({ charged: 20 });
    expect(heard.data?.failures.map(({ code }) => code)).toEqual(['no_source_face']);

    const [output] = heard.data?.items[1]?.outputs ?? [];
    const file = await get(`${address}${output?.href}`);
    expect(file.headers['content-type']).toBe('image/png');
    expect(file.body).toEqual(readFileSync(rig.path('out/p2.png')));
    const small = await get(`${address}pictures/${output?.picture}`);
    expect(small.body.subarray(8, 12).toString()).toBe('WEBP');
    const page = (await get(address)).body.toString();
    for (const text of [heard.text, page]) {
      expect(text).not.toContain(local.key);
      expect(text).not.toContain(rig.folder);
      expect(text).not.toContain(new URL(address).pathname.slice(1, -1));
    }
    // What is no longer a file of the output folder is not sent.
    rmSync(rig.path('out/p2.png'));
    expect((await get(`${address}${output?.href}`)).status).toBe(404);
    await close();
    await until('the page hears that nothing follows', () => heard.ended);
  });

  test('says that it cannot read the state file, and goes on when it can', async () => {
    const rig = await photoRig(1);
    const { address } = await paging(rig);
    const heard = listenTo(address);
    await until('the page has the report', () => heard.data !== undefined);
    rig.write('photos.state.jsonl', 'not a state file\n');
    await until('it says so', () => heard.types.includes('trouble'));
    expect(heard.text).toContain('photos.state.jsonl:1:');
    rmSync(rig.path('photos.state.jsonl'));
    await until('it goes on', () => heard.text.includes('event: trouble\ndata: null'));
  });

  test('reads the pipeline file again when it was changed, and says what is wrong with it', async () => {
    const rig = await photoRig(2);
    const { address } = await paging(rig);
    const heard = listenTo(address);
    await until('the page has the report', () => heard.data?.items.length === 2);
    const text = rig.read('pipeline.yaml');
    rig.write('pipeline.yaml', text.replace('uses: face-swap-photo', 'uses: face-swap-foto'));
    await until('it says so', () => heard.types.includes('trouble'));
    expect(heard.data?.steps.map(({ name }) => name)).not.toContain('keepsake');
    rig.write(
      'pipeline.yaml',
      `${text}  keepsake: { uses: ai-meme-generator, with: { style: { template: Drake, topic: us } } }\n`,
    );
    const steps = () => heard.data?.steps.map(({ name }) => name) ?? [];
    await until('it shows the new step', () => steps().includes('keepsake'));
    expect(heard.text).toContain('event: trouble\ndata: null');
  });

  test('refuses a damaged state file and a port that is taken', async () => {
    const rig = await photoRig(1);
    const { address } = await paging(rig);
    const port = Number(new URL(address).port);
    await expect(paging(rig, { port })).rejects.toThrow(`--port: port ${port} is in use`);
    rig.write('photos.state.jsonl', 'not a state file\n');
    await expect(paging(rig)).rejects.toThrow('photos.state.jsonl');
  });
});
