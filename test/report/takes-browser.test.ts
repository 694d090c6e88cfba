// Takes side by side, in the page of a report in a real Chromium.
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { describe, expect } from 'vitest';
import { rerolls, unlike } from '../e2e/taken.ts';
import { dataIn } from '../reported.ts';
import { photoRig, service } from '../rig.ts';
import { openBrowser } from '../service/hub/browser.ts';
import { longTest } from '../sweep.ts';

describe('takes in Chromium', { tags: 'chromium' }, () => {
  longTest('are compared side by side, with the command that picks another one', async () => {
    const [rig, local] = [await photoRig(1), await service()];
    await rig.run(local, {}, unlike());
    await rerolls(rig, local, ['p1.png'], unlike());
    await rig.command(['report', 'pipeline.yaml']);
    const data = dataIn(rig.read('out/report.html'));
    const [swap] = data.items[0]?.tasks.filter(({ takes }) => takes !== undefined) ?? [];
    expect(swap?.takes).toMatchObject([
      { number: 1, picked: true, credits: 10, files: [{ name: 'p1.png', href: 'p1.png' }] },
      { number: 2, credits: 10, files: [{ href: 'takes/swap/p1.png.take2.png' }] },
    ]);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(pathToFileURL(rig.path('out/report.html')).href);
      await page.getByRole('button', { name: /^p1\.png ?, done/ }).click();
      await page.getByRole('button', { name: 'Compare takes' }).click();
      const box = page.getByRole('region', { name: 'Takes of swap' });
      const figures = box.getByRole('figure');
      expect(await figures.nth(0).textContent()).toMatch(/^Take 1 picked10 credit/);
      expect(await figures.nth(1).textContent()).toContain(
        'shotlist pick pipeline.yaml swap:p1.png 2',
      );
      expect(await box.getByRole('img', { name: 'swap, take 2' }).count()).toBe(1);
      await page.evaluate(axe.source);
      const found = await page.evaluate('axe.run(document, { runOnly: ["wcag2a", "wcag2aa"] })');
      expect(found).toMatchObject({ violations: [] });
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
