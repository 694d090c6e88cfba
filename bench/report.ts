// How soon a report of many items opens in Chromium, and how it scrolls, without a graphics card.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { pageAssets } from '../src/report/assets.ts';
import { reportDocument } from '../src/report/page/document.ts';
import type {
  ReportData,
  ReportFile,
  ReportItem,
  ReportStep,
} from '../src/report/page/report-data.ts';
import { thumbnailSize } from '../src/report/thumbnails.ts';
import { openBrowser } from '../test/service/hub/browser.ts';
import { defineBench, type Row, shareOf, spreadOf } from './frame/bench.ts';

const begin = Date.parse('2026-11-22T09:12:00Z');
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

const names = ['photo', 'faces', 'swap', 'save', 'tidy'] as const;
const kinds = ['upload', 'face-detect', 'face-swap-photo', 'download', 'delete'] as const;
const operations = ['upload', 'detect', 'create', 'download', 'delete'] as const;

const file = (name: string, step: number, picture: number): ReportFile => ({
  ...{ name, step, medium: 'image', bytes: 1_200_000, sha256: hash(name), picture },
});

const keyOf = (number: number): string => `IMG_${String(number).padStart(5, '0')}.jpg`;

function item(number: number): ReportItem {
  const key = keyOf(number);
  const state = number % 60 === 7 ? 'failed' : 'done';
  const began = begin + number * 180;
  return {
    ...{ key, state, credits: 10, inputs: [file(key, 0, 2 * number)] },
    outputs: state === 'done' ? [file(`${key}.png`, 3, 2 * number + 1)] : [],
    tasks: names.map((name, step) => ({
      ...{ step, state: step === 2 ? state : 'done', began, ended: began + 4_000 },
      ...(step < 3 ? { fingerprint: hash(`${name} ${key}`) } : {}),
      ...(step === 2 ? { project: hash(key).slice(0, 36), credits: 10 } : {}),
    })),
  };
}

function dataOf(items: number): ReportData {
  const steps = names.map(
    (name, index): ReportStep => ({
      ...{ name, kind: kinds[index] ?? '', title: name, operation: operations[index] ?? 'create' },
      ...{ stage: 'item', after: names.slice(0, index), tasks: { done: items }, credits: 0 },
    }),
  );
  const at = new Date(begin).toISOString();
  const every = Array.from({ length: items }, (_, number) => number);
  return {
    ...{ pipeline: 'bench', at, rehearsal: true, running: false, inputs: true, steps },
    items: every.map(item),
    shared: { key: '', state: 'done', credits: 0, tasks: [], inputs: [], outputs: [] },
    runs: [{ at, charged: 10 * items }],
    credits: { charged: 10 * items, reserved: 0 },
    spending: every.map((number) => ({ at: begin + number * 180, step: 2, credits: 10 })),
    ...{ failures: [], doubts: [] },
  };
}

/** As many bytes as thumbnails of photographs have at this size: noise compresses worse, a surface better. */
async function thumbnail(number: number, side: number, quality: number): Promise<string> {
  const colour = { r: (number * 53) % 256, g: (number * 97) % 256, b: (number * 31) % 256 };
  const noise = { type: 'gaussian', mean: 128, sigma: 90 } as const;
  const plain = sharp({ create: { width: side, height: side, channels: 3, background: colour } });
  const grain = await sharp({
    create: { width: side, height: side, channels: 3, background: 'black', noise },
  })
    .blur(1.1)
    .png()
    .toBuffer();
  const made = plain.composite([{ input: grain, blend: 'overlay' }]);
  return (await made.webp({ quality }).toBuffer()).toString('base64');
}

/** Its path. */
async function writeReport(folder: string, items: number): Promise<string> {
  const { side, quality } = thumbnailSize(2 * items);
  const numbers = Array.from({ length: Math.min(40, 2 * items) }, (_, number) => number);
  const some = await Promise.all(numbers.map((number) => thumbnail(number, side, quality)));
  const pictures = Array.from({ length: 2 * items }, (_, n) => some[(n * 7) % some.length]);
  const page = await pageAssets();
  const scriptHash = createHash('sha256').update(page.script).digest('base64');
  const path = join(folder, 'report.html');
  const parts = reportDocument({ data: dataOf(items), pictures, page, scriptHash });
  writeFileSync(path, [...parts].join(''));
  return path;
}

export const report = defineBench({
  name: 'report',
  description: 'How soon a report of many items opens in Chromium, and how smoothly it scrolls.',
  full: { items: 10_000, frames: 240 },
  tiny: { items: 4, frames: 5 },
  goals: [],
  async *run({ items, frames }) {
    const folder = mkdtempSync(join(tmpdir(), 'shotlist-bench-'));
    const path = await writeReport(folder, items);
    yield { what: 'file', MB: statSync(path).size / 1e6 };
    const browser = await openBrowser();
    try {
      const tab = await browser.newPage({ viewport: { width: 1280, height: 860 } });
      const complaints: string[] = [];
      tab.on('console', (message) => complaints.push(message.text()));
      tab.on('pageerror', (error) => complaints.push(error.message));
      yield* measureTab(tab, pathToFileURL(path).href, items, frames);
      yield { what: 'complaints of the page', count: complaints.length };
      for (const complaint of complaints) process.stderr.write(`  complaint: ${complaint}\n`);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true });
    }
  },
});

async function* measureTab(
  tab: Page,
  address: string,
  items: number,
  frames: number,
): AsyncIterable<Row> {
  const opened = performance.now();
  const since = (): { readonly ms: number } => ({ ms: performance.now() - opened });
  await tab.goto(address, { waitUntil: 'commit' });
  await tab.waitForFunction(() => {
    const first = document.querySelector('.tile img');
    return first instanceof HTMLImageElement && first.complete && first.naturalWidth > 0;
  });
  yield { what: 'first pictures', ...since() };
  await tab.waitForLoadState('load');
  yield { what: 'all of the file read', ...since() };
  yield await scrolling(tab, 'frame at rest', frames, 0);
  yield await scrolling(tab, 'frame, scrolling 100 px', frames, 100);
  yield await scrolling(tab, 'frame, scrolling 900 px', frames, 900);
  for (const name of ['Timeline', 'Credits']) {
    const clicked = performance.now();
    await tab.getByRole('tab', { name }).click();
    await tab.locator('canvas').first().waitFor();
    yield { what: name, ms: performance.now() - clicked };
  }
  await tab.getByRole('tab', { name: 'Gallery' }).click();
  const typed = performance.now();
  await tab.getByRole('searchbox').fill(keyOf(items - 1));
  await tab.getByText('1 item of').waitFor();
  yield { what: 'search', ms: performance.now() - typed };
}

/** Milliseconds from frame to frame while the page scrolls so many pixels a frame. */
async function scrolling(tab: Page, what: string, frames: number, pixels: number): Promise<Row> {
  const found: unknown = await tab.evaluate(`new Promise((resolve) => {
    const times = [];
    let last = performance.now();
    const step = (now) => {
      times.push(now - last);
      last = now;
      scrollBy(0, ${pixels});
      if (times.length < ${frames}) requestAnimationFrame(step);
      else resolve(times.slice(1));
    };
    requestAnimationFrame(step);
  })`);
  const times = Array.isArray(found) ? found.map(Number) : [];
  const ms = spreadOf(times);
  if (ms === undefined) throw new Error('the page drew nothing');
  return {
    what,
    ms,
    'p95 ms': shareOf(
      times.toSorted((a, b) => a - b),
      0.95,
    ),
  };
}
