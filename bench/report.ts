// How soon a report of many items opens in Chromium, and how it scrolls: node bench/report.ts [items]
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { pageAssets } from '../src/runner/adapters/page/assets.ts';
import { thumbnailSize } from '../src/runner/adapters/thumbnails/thumbnails.ts';
import { reportDocument } from '../src/runner/report/page/document.ts';
import type {
  ReportData,
  ReportFile,
  ReportItem,
  ReportStep,
} from '../src/runner/report/page/report-data.ts';
import { openBrowser } from '../test/service/hub/browser.ts';

const items = Number(process.argv[2] ?? 10_000);
const begin = Date.parse('2026-11-22T09:12:00Z');
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

const names = ['photo', 'faces', 'swap', 'save', 'tidy'] as const;
const kinds = ['upload', 'face-detect', 'face-swap-photo', 'download', 'delete'] as const;
const operations = ['upload', 'detect', 'create', 'download', 'delete'] as const;

const steps = names.map(
  (name, index): ReportStep => ({
    ...{ name, kind: kinds[index] ?? '', title: name, operation: operations[index] ?? 'create' },
    ...{ stage: 'item', after: names.slice(0, index), tasks: { done: items }, credits: 0 },
  }),
);

const file = (name: string, step: number, picture: number): ReportFile => ({
  ...{ name, step, medium: 'image', bytes: 1_200_000, sha256: hash(name), picture },
});

function item(number: number): ReportItem {
  const key = `IMG_${String(number).padStart(5, '0')}.jpg`;
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

const data: ReportData = {
  ...{ pipeline: 'bench', at: new Date(begin).toISOString(), rehearsal: true, running: false },
  ...{ inputs: true, steps, items: Array.from({ length: items }, (_, number) => item(number)) },
  shared: { key: '', state: 'done', credits: 0, tasks: [], inputs: [], outputs: [] },
  runs: [{ run: 1, at: new Date(begin).toISOString(), charged: 10 * items, refunded: 0 }],
  credits: { charged: 10 * items, refunded: 0, reserved: 0 },
  spending: Array.from({ length: items }, (_, n) => ({
    at: begin + n * 180,
    step: 2,
    credits: 10,
  })),
  ...{ failures: [], doubts: [] },
};

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

const { side, quality } = thumbnailSize(2 * items);
const some = await Promise.all(Array.from({ length: 40 }, (_, n) => thumbnail(n, side, quality)));
const pictures = Array.from({ length: 2 * items }, (_, n) => some[(n * 7) % some.length]);
const page = await pageAssets();
const scriptHash = createHash('sha256').update(page.script).digest('base64');
const folder = mkdtempSync(join(tmpdir(), 'shotlist-report-'));
const path = join(folder, 'report.html');
writeFileSync(path, [...reportDocument({ data, pictures, page, scriptHash })].join(''));
const bytes = some.reduce((sum, text) => sum + text.length * 0.75, 0) / some.length;
print(
  `${items} items, ${pictures.length} thumbnails of ${side} px and ${Math.round(bytes)} bytes: ${Math.round(statSync(path).size / 1e6)} MB`,
);

const browser = await openBrowser();
const tab = await browser.newPage({ viewport: { width: 1280, height: 860 } });
const complaints: string[] = [];
tab.on('console', (message) => complaints.push(message.text()));
tab.on('pageerror', (error) => complaints.push(error.message));
const opened = Date.now();
await tab.goto(pathToFileURL(path).href, { waitUntil: 'commit' });
await tab.waitForFunction(() => {
  const first = document.querySelector('.tile img');
  return first instanceof HTMLImageElement && first.complete && first.naturalWidth > 0;
});
print(`first pictures after ${Date.now() - opened} ms`);
await tab.waitForLoadState('load');
print(`all of the file read after ${Date.now() - opened} ms`);
/** Milliseconds from frame to frame, the shortest first, while the page scrolls so many pixels a frame. */
async function frames(pixels: number): Promise<string> {
  const found: unknown = await tab.evaluate(`new Promise((resolve) => {
    const times = [];
    let last = performance.now();
    const step = (now) => {
      times.push(now - last);
      last = now;
      scrollBy(0, ${pixels});
      if (times.length < 240) requestAnimationFrame(step);
      else resolve(times.slice(1).sort((a, b) => a - b));
    };
    requestAnimationFrame(step);
  })`);
  const sorted = Array.isArray(found) ? found.map(Number) : [];
  const at = (share: number): string =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms a frame`;
}
print(`at rest:                  ${await frames(0)}`);
print(`scrolling 100 px a frame: ${await frames(100)}`);
print(`scrolling 900 px a frame: ${await frames(900)}`);
for (const name of ['Timeline', 'Credits']) {
  const clicked = Date.now();
  await tab.getByRole('tab', { name }).click();
  await tab.locator('canvas').first().waitFor();
  print(`${name} after ${Date.now() - clicked} ms`);
}
await tab.getByRole('tab', { name: 'Gallery' }).click();
const typed = Date.now();
await tab.getByRole('searchbox').fill('IMG_09999');
await tab.getByText('1 item of').waitFor();
print(`search after ${Date.now() - typed} ms; complaints: ${complaints.join('; ') || 'none'}`);
await browser.close();
rmSync(folder, { recursive: true });
