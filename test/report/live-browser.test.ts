// A live page in a real Chromium: opened before the run, it shows what the run does without being loaded again.

import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openLivePage } from '../../src/features/ui/live-page.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { photoRig, Rig, service } from '../rig.ts';
import { openBrowser } from '../service/hub/browser.ts';
import { longTest } from '../sweep.ts';

/** Renders for an hour, if the service is slow. */
const slowPipeline = `pipeline: codes
items: { values: [{ key: one }, { key: two }] }
budget: { credits: 300 }
steps:
  make:
    uses: ai-qr-code-generator
    with: { content: "\${{ item.key }}", style: { art_style: plain } }
  save: { uses: download, with: { of: make, to: "\${{ item.key }}.png" } }
`;

describe('a live page in Chromium', { tags: 'chromium' }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    return () => browser.close();
  });

  async function pageOf(width: number): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    onTestFinished(() => page.close());
    return page;
  }

  test('follows a run to its end, and stays readable after it', async () => {
    const [local, rig] = await Promise.all([service(), photoRig(2)]);
    const live = await openLivePage(await loadPipeline(rig.file));
    onTestFinished(() => live.close());
    const page = await pageOf(1280);
    const complaints: string[] = [];
    const { origin } = new URL(live.address);
    let visits = 0;
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (request.url() === live.address) visits += 1;
      if (!request.url().startsWith(`${origin}/`)) complaints.push(request.url());
    });
    await page.goto(live.address);
    await page.getByRole('button', { name: /^p2\.png ?, waiting/ }).waitFor();
    await page.getByRole('status').filter({ hasText: 'Live: no run is active' }).waitFor();

    await rig.run(local);
    const second = page.getByRole('button', { name: /^p2\.png ?, done/ });
    await second.waitFor();
    await page.getByRole('radio', { name: 'Compare' }).waitFor();
    await expect.poll(() => page.title()).toBe('2 of 2 · photos');
    await page.waitForLoadState('networkidle');
    await live.close();
    await page.getByRole('status').filter({ hasText: 'No longer live' }).waitFor();

    await second.click();
    const box = page.getByRole('dialog', { name: 'p2.png' });
    const after = box.getByRole('img', { name: 'p2.png, after' });
    await after.waitFor();
    await expect
      .poll(() => after.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(40);
    await box.getByText('10 credits').first().waitFor();
    expect({ visits, complaints }).toEqual({ visits: 1, complaints: [] });
  });

  longTest(
    'shows how long a run has taken, its budget, and the step that each card is in',
    async () => {
      const local = await service({ speed: 0.01 });
      const rig = new Rig(slowPipeline);
      const opened = await openLivePage(await loadPipeline(rig.file));
      onTestFinished(() => opened.close());
      const page = await pageOf(390);
      await page.goto(opened.address);
      const stopper = new AbortController();
      const running = rig.run(local, { signal: stopper.signal, budget: 250 });
      onTestFinished(async () => {
        stopper.abort();
        await running;
      });
      const tile = page.getByRole('button', { name: /^two ?, running/ });
      await tile.locator('.where', { hasText: 'make' }).waitFor();
      const summary = page.getByRole('region', { name: 'Summary' });
      await summary.getByText(/^\d[\d.]* (s|min) elapsed/).waitFor();
      await summary.getByText('of 250 budget').waitFor();
      stopper.abort();
      await running;
      await summary.getByText(/elapsed/).waitFor({ state: 'detached' });
      await summary.getByText('of 300 budget').waitFor();
    },
  );
});
