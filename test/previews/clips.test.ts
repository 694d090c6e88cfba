// Clips as a browser plays them, and a rendering that a stop interrupts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../src/service/start.ts';
import { Client, eventually } from '../service/client.ts';
import { openBrowser } from '../service/hub/browser.ts';
import { clipSize, portraitClip, portraitPhoto } from './media.ts';

test('Chromium plays a clip to its end, and finds a place in it', {
  tags: ['chromium', 'long'],
}, async () => {
  const browser = await openBrowser();
  onTestFinished(async () => await browser.close());
  const page = await browser.newPage();
  const source = `data:video/webm;base64,${(await portraitClip()).toString('base64')}`;
  await page.setContent(`<video muted src="${source}"></video>`);
  const seen = await page.evaluate(async () => {
    const video = document.querySelector('video');
    if (video === null) throw new Error('no video');
    const next = (event: string) =>
      new Promise((resolve) => video.addEventListener(event, resolve, { once: true }));
    if (video.readyState < 1) await next('loadedmetadata');
    const sought = next('seeked');
    video.currentTime = 0.5;
    await sought;
    const ended = next('ended');
    await video.play();
    await ended;
    return { width: video.videoWidth, height: video.videoHeight, seconds: video.duration };
  });
  const { width, height, seconds } = clipSize;
  expect(seen).toEqual({ width, height, seconds });
});

test('a rendering that a stop interrupts is done again by the next start', async () => {
  const data = mkdtempSync(join(tmpdir(), 'shotlist-interrupted-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  let local = await startService({ data, credits: 1_000_000, faces: 1 });
  onTestFinished(async () => await local.close());
  const client = new Client(local);
  const { id } = await client.create('character-replace', {
    end_seconds: 3,
    assets: {
      video_file_path: await client.upload(await portraitClip(), 'webm', 'video'),
      image_file_path: await client.upload(await portraitPhoto()),
    },
  });
  await eventually('it is rendering', async () =>
    (await client.record('video', id))['status'] === 'rendering' ? true : undefined,
  );
  await local.close();
  local = await startService({ data, credits: 1_000_000, faces: 1 });
  const record = await new Client(local).settled('video', id);
  expect(record).toMatchObject({ status: 'complete', error: null });
  expect(local.ledger().filter(({ kind }) => kind === 'refund')).toEqual([]);
});
