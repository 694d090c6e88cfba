// The module in which a built shotlist has the page of reports.
import type { PageParts } from '../src/report/page/document.ts';

export const pageModule = (page: PageParts): string =>
  Object.entries(page)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
