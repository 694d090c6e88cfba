// The page of a report in a real Chromium, opened from disk as a person opens it.
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hostile, mixedRun } from '../../../reported.ts';
import { noBrowser, openBrowser } from '../../../service/hub/browser.ts';

describe.skipIf(noBrowser)(
  'a report in Chromium (skipped where there is none, never in CI)',
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
      return () => browser.close();
    });

    interface Visit {
      readonly page: Page;
      /** What the console said, and every request to anything but a file. */
      readonly complaints: readonly string[];
    }

    async function visit(file: string): Promise<Visit> {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!/^(?:file|data):/.test(request.url())) complaints.push(request.url());
      });
      await page.goto(pathToFileURL(file).href);
      return { page, complaints };
    }

    async function reported(): Promise<string> {
      const { rig } = await mixedRun();
      const { code } = await rig.command(['report', 'pipeline.yaml']);
      expect(code).toBe(0);
      return rig.path('out/report.html');
    }

    /** The page renders soon after an event, not in it. */
    const rendered = { timeout: 30_000 };
    const tiles = (page: Page) => page.getByRole('listitem');

    test('shows every item with its state, filters them, and opens one in full', async () => {
      const { page, complaints } = await visit(await reported());
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('photos');
      expect(await page.getByText('</script><b>Everyone</b> as one actor').count()).toBe(1);
      expect(await tiles(page).getByRole('button').evaluateAll(names)).toEqual([
        `${hostile}, in doubt`,
        ...['p1.png, failed', 'p2.png, done 10 credits', 'p3.png, done 10 credits'],
      ]);
      await page.getByRole('radio', { name: '2 done' }).check();
      await expect.poll(() => tiles(page).count(), rendered).toBe(2);
      await page.getByRole('radio', { name: 'All 4' }).check();
      await page.getByRole('searchbox', { name: 'Search' }).fill('p3');
      await expect.poll(() => tiles(page).count(), rendered).toBe(1);
      await page.getByRole('searchbox', { name: 'Search' }).fill('nothing has this name');
      await page.getByRole('button', { name: 'Show all items' }).click();
      await page.getByRole('button', { name: /^p2\.png ?, done/ }).click();
      const box = page.getByRole('dialog', { name: 'p2.png' });
      await box.getByRole('slider', { name: 'Before and after' }).fill('80');
      const sizes = await box
        .getByRole('img', { name: /^p2\.png, (before|after)$/ })
        .evaluateAll((images: HTMLImageElement[]) =>
          images.map(({ naturalWidth }) => naturalWidth),
        );
      expect(sizes).toHaveLength(2);
      expect(Math.min(...sizes)).toBeGreaterThan(40);
      expect(await box.getByRole('link', { name: 'p2.png' }).getAttribute('href')).toBe('p2.png');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^p2\.png ?, done/ }).click();
      await page.getByRole('button', { name: 'Next item' }).click();
      await page.getByRole('dialog', { name: 'p3.png' }).waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('dialog', { name: 'p2.png' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
    });

    test('leads by keyboard to the steps, the timeline, the credits and the problems', async () => {
      const { page, complaints } = await visit(await reported());
      await page.getByRole('tab', { name: 'Gallery' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('img', { name: /^The steps/ }).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('img', { name: /^Timeline of \d+ tasks by step$/ }).waitFor();
      await page.getByRole('columnheader', { name: '95 %' }).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('img', { name: 'Credits over time, up to 20' }).waitFor();
      expect(await page.getByRole('row', { name: /^swap/ }).textContent()).toContain('100%');
      await page.keyboard.press('End');
      await page.getByText('use a picture that shows a face').waitFor();
      expect(await page.getByText(/^Nobody can tell: shotlist resolve .* --abandon$/).count()).toBe(
        1,
      );
      await page.getByRole('button', { name: 'p1.png' }).click();
      await page.getByRole('searchbox', { name: 'Search' }).waitFor();
      expect(await tiles(page).getByRole('button').evaluateAll(names)).toEqual(['p1.png, failed']);
      expect(complaints).toEqual([]);
    });

    test('is accessible in both themes and at the width of a phone', async () => {
      const { page } = await visit(await reported());
      const serious: string[] = [];
      await page.evaluate(axe.source);
      const check = async (where: string): Promise<void> => {
        const found = await page.evaluate(
          `axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`,
        );
        if (Array.isArray(found)) serious.push(...found.map((one) => `${where}: ${one}`));
      };
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const name of ['Steps', 'Timeline', 'Credits', 'Problems', 'Gallery']) {
          await page.getByRole('tab', { name }).click();
          await check(`${name}, ${colorScheme}`);
        }
      }
      await page.setViewportSize({ width: 390, height: 844 });
      await check('phone');
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      await page.getByRole('button', { name: /^p2\.png ?, done/ }).click();
      await check('dialog');
      expect(serious).toEqual([]);
    });
  },
);

const names = (elements: Element[]): readonly string[] =>
  elements.map((element) => {
    const caption = element.querySelector('.caption')?.textContent ?? '';
    return caption.replace(/\s+/g, ' ').trim();
  });
