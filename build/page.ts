// Writes the page of reports into dist/, after the compiler: a module with one script, one style, and the licenses of the
// packages in them, which licenses.txt gets as well.
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtPage } from '../src/report/assets.ts';
import { bundlePage } from '../src/report/bundle.ts';
import { pageModule } from './page-module.ts';

const adapter = new URL('../dist/report/', import.meta.url);
const page = await bundlePage();
writeFileSync(new URL(builtPage, adapter), pageModule(page));
appendFileSync(new URL('../dist/licenses.txt', import.meta.url), `\n\n${page.notices}`);
// Only the bundle runs in a browser, and only a checkout can make it.
rmSync(new URL('browser/', adapter), { recursive: true, force: true });
for (const name of ['bundle.js', 'bundle.d.ts']) rmSync(new URL(name, adapter), { force: true });
