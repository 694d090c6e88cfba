// The script and the style of a report's page: as `npm run build` made them, or bundled now if shotlist runs from its
// sources.
import { readFile } from 'node:fs/promises';

export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

const built = new URL('../../report/page/bundle/', import.meta.url);

/** The names of the built files, relative to `report/page/bundle`. */
export const assetNames = { script: 'page.js', style: 'page.css' } as const;

let bundled: Promise<PageAssets> | undefined;

export async function pageAssets(): Promise<PageAssets> {
  if (!import.meta.url.endsWith('.ts')) {
    const read = (name: string): Promise<string> => readFile(new URL(name, built), 'utf8');
    const [script, style] = await Promise.all([read(assetNames.script), read(assetNames.style)]);
    return { script, style };
  }
  bundled ??= import('./bundle.ts').then(({ bundlePage }) => bundlePage());
  return await bundled;
}
