// The module in which a built shotlist has the page of reports.
import { builtPage } from '../src/report/assets.ts';
import type { PageParts } from '../src/report/page/document.ts';

/** Where the built `report/assets.ts` looks for it. `dist`: the folder of what is built, which is all that gets published. */
export function pageFile(dist: URL): URL {
  const file = new URL(builtPage, new URL('report/', dist));
  if (!file.href.startsWith(dist.href)) throw new Error(`${file.href} is outside ${dist.href}`);
  return file;
}

export const pageModule = (page: PageParts): string =>
  Object.entries(page)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
