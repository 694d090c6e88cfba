// A real browser for tests of pages: the system's Chromium, driven over its own protocol.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The one that CHROMIUM names, else the one that the system has; undefined: none. */
export const executablePath = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

/** True where the tests cannot have one. In CI they must: .ci/run installs it. */
export const noBrowser = executablePath === undefined && process.env['CI'] !== 'true';

export async function openBrowser(): Promise<Browser> {
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
