// Runs a pipeline in a rehearsal, with real previews, and takes a picture of its report as Chromium shows it.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { openBrowser } from '../../test/service/hub/browser.ts';

interface Maker {
  /** The command line of shotlist. */
  readonly main: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Writes a WebP file. */
export async function photographReport(
  pipeline: string,
  file: string,
  { main, env }: Maker,
): Promise<void> {
  const html = join(dirname(pipeline), 'report.html');
  execFileSync(process.execPath, [main, 'run', pipeline, '--rehearse', '--quiet'], { env });
  execFileSync(process.execPath, [main, 'report', pipeline, '--out', html], { env });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({
      ...{ viewport: { width: 1200, height: 880 }, deviceScaleFactor: 1.5, colorScheme: 'light' },
    });
    await page.goto(pathToFileURL(html).href);
    await page.getByText('Compare', { exact: true }).click();
    await page.waitForLoadState('networkidle');
    await page.mouse.move(0, 0);
    await page.evaluate(() => Promise.all(Array.from(document.images, (image) => image.decode())));
    await sharp(await page.screenshot())
      .webp({ quality: 80 })
      .toFile(file);
  } finally {
    await browser.close();
  }
}
