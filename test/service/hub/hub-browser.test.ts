// The hub in a real Chromium, as a person uses it: first without JavaScript, since it promises to need none.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { LocalService } from '../../../src/service/start.ts';
import { photo, service } from '../../rig.ts';
import { longTest } from '../../sweep.ts';
import { Client, smallSample } from '../client.ts';
import { hub, receiver } from '../receiver.ts';
import { openBrowser } from './browser.ts';

describe('the hub in Chromium', { tags: 'chromium' }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    return () => browser.close();
  });

  /** A page of the hub, and what it complained of. */
  async function visit(
    local: LocalService,
    { javaScriptEnabled = false, path = '/hub' } = {},
  ): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
    const context = await browser.newContext({ javaScriptEnabled });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
    });
    await page.goto(`${local.address}${path}`, { waitUntil: 'load' });
    return { page, complaints };
  }

  longTest('shows projects with their pictures', async () => {
    const local = await service();
    const client = new Client(local);
    const file = await client.upload(await smallSample(1));
    await client.settled('image', await client.swap(file, file, 'Ann & <b>Bob</b>'));
    // Pictures must load under the other name of this machine too.
    const named = { ...local, address: local.address.replace('127.0.0.1', 'localhost') };
    const { page, complaints } = await visit(named, { javaScriptEnabled: true });
    expect(await page.title()).toBe('Overview · shotlist local service');
    expect(await page.getByText('Ann & <b>Bob</b>').count()).toBe(1);
    expect(await page.locator('.figures dd').allTextContents()).toEqual(['9,990', '10', '0']);
    const picture = page.getByAltText('Output of face-swap-photo');
    await picture.scrollIntoViewIfNeeded();
    // All of it, not only its size: the click would cancel the rest of the request.
    const width = await picture.evaluate(async (image: HTMLImageElement) => {
      await image.decode();
      return image.naturalWidth;
    });
    expect(width).toBeGreaterThan(100);
    await picture.click();
    await page.waitForURL(/\/hub\/projects\//);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Ann & <b>Bob</b>');
    expect(complaints).toEqual([]);
  });

  longTest('leads to every page, each with a heading, without a complaint', async () => {
    const local = await service();
    const { page, complaints } = await visit(local);
    const names = await page.getByRole('navigation').getByRole('link').allTextContents();
    expect(names).toHaveLength(8);
    for (const name of names) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await page.waitForLoadState('load');
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name);
      expect(await page.locator('[aria-current=page]').textContent()).toBe(name);
    }
    expect(complaints).toEqual([]);
  });

  longTest('makes a key that works, and revokes it', async () => {
    const local = await service();
    const { page } = await visit(local, { path: '/hub/keys' });
    await page.getByLabel('Name').fill('laptop');
    await page.getByLabel('delete').uncheck();
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.locator('.secret').textContent()) ?? '';
    const client = new Client({ address: local.address, key });
    expect((await client.ask('GET', '/v1/account')).status).toBe(200);
    await page.getByRole('link', { name: 'Back to the list' }).click();
    const row = page.getByRole('row').filter({ hasText: 'laptop' });
    expect(await row.textContent()).toContain(`…${key.slice(-4)}upload, create, read`);
    expect(await page.content()).not.toContain(key);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.waitForLoadState('load');
    expect((await client.ask('GET', '/v1/account')).status).toBe(401);
  });

  longTest('registers a webhook, shows what was delivered, and sends it again', async () => {
    const local = await service();
    const { events, url } = await receiver(local.address, { events: ['image.completed'] });
    const { page } = await visit(local, { path: '/hub/webhooks' });
    await page.getByLabel(/^Address/).fill(`${url}&second`);
    await page.getByLabel('image.completed').check();
    await page.getByRole('button', { name: 'Register' }).click();
    expect(await page.locator('.secret').textContent()).toMatch(/^whsec_/);
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    await client.settled('image', await client.swap(file, file));
    await expect.poll(() => events.length).toBe(2);
    await page.goto(`${local.address}/hub/deliveries`);
    expect(await page.getByText('delivered').count()).toBe(2);
    await page.getByRole('button', { name: 'Send again' }).first().click();
    await expect.poll(() => events.length).toBe(3);
  });

  test('cancels a project, gives credits and adds faults', async () => {
    const local = await service({ speed: 'realtime' });
    const { id } = await new Client(local).create('text-to-video', {
      end_seconds: 3,
      style: { prompt: 'a boat' },
    });
    const { page } = await visit(local, { path: `/hub/projects/${id}` });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('canceled').first().waitFor();
    await page.goto(`${local.address}/hub/accounts`);
    await page.getByLabel('Credits to give to local').fill('500');
    await page.getByRole('button', { name: 'Give credits' }).click();
    await page.getByRole('link', { name: '10,500' }).waitFor();
    expect(local.balance()).toBe(10_500);
    await page.goto(`${local.address}/hub/faults`);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Clear all' }).waitFor();
    const { faults } = await hub(local.address, '/hub/faults');
    expect(faults).toHaveLength(2);
  });

  longTest(
    'shows a balance of hundreds of billions and long names whole, on a desk and on a phone',
    async () => {
      const credits = 123_456_789_012;
      const local = await service({ credits });
      const client = new Client(local);
      const file = await client.upload(await photo(1), 'png');
      for (const name of ['short', 'a_long_name_without_any_break_'.repeat(3)])
        await client.settled('image', await client.swap(file, file, name));
      const { page } = await visit(local, { javaScriptEnabled: true });
      for (const width of [1280, 700, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${local.address}/hub`, { waitUntil: 'load' });
        const labels = await page.locator('.figures dd').allTextContents();
        expect(labels[0]).toBe((credits - 20).toLocaleString('en-US'));
        expect([width, await page.evaluate(textsOutside)]).toEqual([width, []]);
      }
    },
  );

  longTest('fits a narrow screen: nothing is wider than the page', async () => {
    const local = await service();
    await receiver(local.address);
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const id = await client.swap(file, file, 'a_very_long_name_without_any_break_in_it_'.repeat(5));
    await client.settled('image', id);
    const { page } = await visit(local, { javaScriptEnabled: true });
    await page.setViewportSize({ width: 360, height: 640 });
    for (const path of [
      '',
      '/projects',
      `/projects/${id}`,
      '/keys',
      '/deliveries',
      '/accounts',
      '/faults',
    ]) {
      await page.goto(`${local.address}/hub${path}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([path, wide]).toEqual([path, 360]);
    }
  });
});

/** In the page: every text of the figures and the cards that is not wholly inside what frames it. */
function textsOutside(): readonly string[] {
  const outside: string[] = [];
  let texts = 0;
  for (const frame of document.querySelectorAll('.words, .figures div')) {
    const box = frame.getBoundingClientRect();
    const style = getComputedStyle(frame);
    const left = box.left + Number.parseFloat(style.paddingLeft) - 0.5;
    const right = box.right - Number.parseFloat(style.paddingRight) + 0.5;
    const walker = document.createTreeWalker(frame, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const text of range.getClientRects()) {
        texts += 1;
        const within = text.left >= left && text.right <= right;
        if (!within || text.top < box.top - 0.5 || text.bottom > box.bottom + 0.5)
          outside.push(`${frame.tagName}: ${node.textContent ?? ''}`);
      }
    }
  }
  return texts > 15 ? outside : ['hardly any text was found'];
}
