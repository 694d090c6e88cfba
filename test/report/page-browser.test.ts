// The page of a report in a real Chromium, opened from disk as a person opens it.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hostile, mixedRun } from '../reported.ts';
import { openBrowser } from '../service/hub/browser.ts';
import { longTest } from '../sweep.ts';

describe('a report in Chromium', { tags: 'chromium' }, () => {
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

  const folder = mkdtempSync(join(tmpdir(), 'shotlist-page-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const report = join(folder, 'out/report.html');

  /** One for all tests: nothing changes it. */
  async function reported(): Promise<string> {
    if (existsSync(report)) return report;
    const { rig } = await mixedRun();
    const { code } = await rig.command(['report', 'pipeline.yaml']);
    expect(code).toBe(0);
    cpSync(rig.folder, folder, { recursive: true });
    return report;
  }

  /** The page renders soon after an event, not in it. */
  const rendered = { timeout: 30_000 };
  const tiles = (page: Page) => page.getByRole('listitem');

  test('shows every item with its state, filters them, and opens one in full', async () => {
    const { page, complaints } = await visit(await reported());
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('photos');
    expect(await page.getByText('</script><b>Everyone</b> as one actor').count()).toBe(1);
    expect(await tiles(page).getByRole('button').evaluateAll(names)).toEqual([
      `${hostile}, in doubt: may be paid: the service did not answer: ECONNRESET`,
      ...[
        'p1.png, failed: No face in p1.png.',
        'p2.png, done 10 credits',
        'p3.png, done 10 credits',
      ],
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
      .evaluateAll((images: HTMLImageElement[]) => images.map(({ naturalWidth }) => naturalWidth));
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

  longTest(
    'leads by keyboard to the steps, the timeline, the credits and the problems',
    async () => {
      const { page, complaints } = await visit(await reported());
      await page.getByRole('tab', { name: 'Gallery' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('button', { name: 'Save as CSV' }).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('heading', { name: /^swap/ }).waitFor();
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
      expect(await tiles(page).getByRole('button').evaluateAll(names)).toEqual([
        'p1.png, failed: No face in p1.png.',
      ]);
      expect(complaints).toEqual([]);
    },
  );

  longTest('keeps the view, the filter and the item in its address', async () => {
    const report = await reported();
    const { page, complaints } = await visit(report);
    await page.getByRole('radio', { name: '2 done' }).check();
    await page.getByRole('button', { name: /^p2\.png ?, done/ }).click();
    await page.getByRole('dialog', { name: 'p2.png' }).waitFor();
    const address = page.url();
    expect(address).toMatch(/report\.html#gallery\?state=done&item=p2\.png$/);
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.goto('about:blank');
    await page.goto(address);
    await page.getByRole('dialog', { name: 'p2.png' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => tiles(page).count(), rendered).toBe(2);
    await page.goto(`${pathToFileURL(report).href}#tasks?state=failed`);
    await page
      .getByRole('row', { name: /^p1\.png swap .*failed.* No face in p1\.png\./ })
      .waitFor();
    // What no step and no view is called, and no item.
    await page.goto(`${pathToFileURL(report).href}#no-view?step=none&state=none&item=none`);
    await expect.poll(() => tiles(page).count(), rendered).toBe(4);
    expect(complaints).toEqual([]);
  });

  longTest('shows all tasks as a table that sorts and saves itself as CSV', async () => {
    const { page, complaints } = await visit(await reported());
    await page.getByRole('tab', { name: 'Tasks' }).click();
    const first = page.getByRole('row').nth(1);
    await page.getByRole('button', { name: 'Credits' }).click();
    await expect.poll(() => first.textContent(), rendered).toMatch(/^p2\.pngswap.*10/);
    await page.getByRole('columnheader', { name: 'Credits', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('doubt');
    await page
      .getByRole('status')
      .filter({ hasText: /^1 task of \d+, 0 credits$/ })
      .waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('photos-tasks.csv');
    const lines = readFileSync(await saved.path(), 'utf8').split('\r\n');
    expect(lines[0]).toBe('\uFEFFstep,item,state,credits,began,seconds,project,why');
    expect(lines[1]).toContain(`swap,"${hostile.replaceAll('"', '""')}",doubt,0,`);
    expect(lines).toHaveLength(3);
    expect(complaints).toEqual([]);
  });

  longTest(
    'shows a failed item with its input and the cause, whole, at every size and theme',
    async () => {
      const { page } = await visit(await reported());
      const tile = page.getByRole('button', { name: /^p1\.png ?, failed/ });
      const reason = tile.locator('.reason');
      const fits = (): Promise<unknown> =>
        reason.evaluate((element) => {
          const [own, frame] = [element, element.parentElement].map((one) =>
            one?.getBoundingClientRect(),
          );
          return (
            own !== undefined &&
            frame !== undefined &&
            own.bottom <= frame.bottom &&
            own.right <= frame.right &&
            element.scrollWidth <= element.clientWidth
          );
        });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const size of ['S', 'M', 'L']) {
          await page.getByRole('radio', { name: size, exact: true }).check();
          expect(await reason.textContent()).toBe('No face in p1.png.');
          await expect.poll(fits, rendered).toBe(true);
        }
      }
      expect(await tile.locator('.where').textContent()).toBe('swap');
      const shown = await tile
        .locator('img')
        .evaluate((image: HTMLImageElement) => [
          getComputedStyle(image).objectFit,
          image.naturalWidth,
        ]);
      expect(shown).toEqual(['contain', 48]);
      await tile.click();
      const box = page.getByRole('dialog', { name: 'p1.png' });
      expect(await box.locator('.cause').textContent()).toMatch(
        /failed in swap\s*No face in p1\.png\.\s*What to do: use a picture that shows a face/,
      );
    },
  );

  longTest('is accessible in both themes and at the width of a phone', async () => {
    const { page } = await visit(await reported());
    const serious: string[] = [];
    await page.evaluate(axe.source);
    const check = async (where: string): Promise<void> => {
      const found = await page.evaluate(
        `axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`,
      );
      if (Array.isArray(found)) serious.push(...found.map((one) => `${where}: ${one}`));
    };
    for (const [colorScheme, tabs] of [
      ['light', ['Steps', 'Gallery']],
      ['dark', ['Tasks', 'Steps', 'Timeline', 'Credits', 'Problems', 'Gallery']],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of tabs) {
        await page.getByRole('tab', { name }).click();
        await check(`${name}, ${colorScheme}`);
      }
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await check('phone');
    const badge = await page.getByRole('tab', { name: /^Problems/ }).boundingBox();
    expect((badge?.x ?? 0) + (badge?.width ?? 391)).toBeLessThanOrEqual(390);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: /^p2\.png ?, done/ }).click();
    await check('dialog');
    expect(serious).toEqual([]);
  });
});

const names = (elements: Element[]): readonly string[] =>
  elements.map((element) => {
    const caption = element.querySelector('.caption')?.textContent ?? '';
    return caption.replace(/\s+/g, ' ').trim();
  });
