// A real browser for tests of pages: the system's Chromium, driven over its own protocol.
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../programs.ts';

export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('there is no Chromium: apt-get install chromium');
  return await chromium.launch({
    executablePath,
    // Nothing leaves this machine; the sandbox does not work for root.
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
  });
}
