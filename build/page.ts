// Writes the page of reports into dist/, after the compiler: a module with one script and one style.
import { rmSync, writeFileSync } from 'node:fs';
import { builtPage } from '../src/runner/adapters/page/assets.ts';
import { bundlePage } from '../src/runner/adapters/page/bundle.ts';

const adapter = new URL('../dist/runner/adapters/page/', import.meta.url);
const { script, style } = await bundlePage();
const text = `export const script = ${JSON.stringify(script)};\nexport const style = ${JSON.stringify(style)};\n`;
writeFileSync(new URL(builtPage, adapter), text);
// Only the bundle runs in a browser, and only a checkout can make it.
rmSync(new URL('../../report/page/browser/', adapter), { recursive: true, force: true });
for (const name of ['bundle.js', 'bundle.d.ts']) rmSync(new URL(name, adapter), { force: true });
