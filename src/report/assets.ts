// The script and the style of a report's page: as `npm run build` made them, or bundled now if shotlist runs from its
// sources.
import type { PageParts } from './page/document.ts';

/** Relative to this file: the module that `npm run build` writes. */
export const builtPage = 'page/bundle.js';

let bundled: Promise<PageParts> | undefined;

export async function pageAssets(): Promise<PageParts> {
  if (import.meta.url.endsWith('.ts')) {
    bundled ??= import('./bundle.ts').then(({ bundlePage }) => bundlePage());
    return await bundled;
  }
  const page: PageParts = await import(new URL(builtPage, import.meta.url).href);
  const { script, style, notices } = page;
  return { script, style, notices };
}
