// The script and the style of a report's page: as `npm run build` made them, or bundled now if shotlist runs from its
// sources.
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** Relative to this file: the module that `npm run build` writes. */
export const builtPage = '../../report/page/bundle.js';

let bundled: Promise<PageAssets> | undefined;

export async function pageAssets(): Promise<PageAssets> {
  if (import.meta.url.endsWith('.ts')) {
    bundled ??= import('./bundle.ts').then(({ bundlePage }) => bundlePage());
    return await bundled;
  }
  const { script, style }: PageAssets = await import(new URL(builtPage, import.meta.url).href);
  return { script, style };
}
