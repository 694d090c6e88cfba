// Writes the page of reports into dist/, after the compiler: a module with one script, one style, and the licenses of the
// packages in them, which licenses.txt gets as well.
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { bundlePage } from '../src/report/bundle.ts';
import { pageFile, pageModule } from './page-module.ts';

const dist = new URL('../dist/', import.meta.url);
const report = new URL('report/', dist);
const page = await bundlePage();
writeFileSync(pageFile(dist), pageModule(page));
appendFileSync(new URL('licenses.txt', dist), `\n\n${page.notices}`);
// Only the bundle runs in a browser, and only a checkout can make it.
rmSync(new URL('browser/', report), { recursive: true, force: true });
for (const name of ['bundle.js', 'bundle.d.ts']) rmSync(new URL(name, report), { force: true });
