// Bundles the page of reports from its sources: when shotlist is built, and when it runs from its sources.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { PageParts } from './page/document.ts';

const browser = new URL('browser/', import.meta.url);

/** Needs the development dependencies. */
export async function bundlePage(): Promise<PageParts> {
  const { build } = await import('rolldown');
  const { output } = await build({
    input: fileURLToPath(new URL('main.ts', browser)),
    platform: 'browser',
    write: false,
    logLevel: 'warn',
    output: { format: 'iife', minify: true },
  });
  const [{ code, moduleIds }] = output;
  const charts = createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css');
  const styles = ['theme.css', 'page.css', 'gallery.css', 'lightbox.css', 'views.css'];
  const own = styles.map((name) => readFileSync(new URL(name, browser), 'utf8'));
  return {
    script: code,
    style: [readFileSync(charts, 'utf8'), ...own].join('\n'),
    notices: noticesOf([...moduleIds, charts]),
  };
}

/** The licenses of the packages that the files belong to, each once. Copies of a package must include its license. */
export function noticesOf(files: readonly string[]): string {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll('\\', '/'))?.[0] ?? [],
  );
  return [...new Set(folders)]
    .map((folder) => {
      const name = folder.slice(folder.lastIndexOf('/node_modules/') + '/node_modules/'.length);
      return `${name}\n\n${readFileSync(`${folder}/LICENSE`, 'utf8').trim()}\n`;
    })
    .sort()
    .join('\n\n');
}
