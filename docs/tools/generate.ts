// Writes docs/tools.md and docs/tools/*.md from the catalogue: `npm run pages`. A test says when they are stale.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogue } from '../../src/contract/catalogue/entry.ts';
import { toolIndex, toolPage } from '../../src/runner/report/tools-page.ts';

const groups = catalogue();

/** Every written page, by its path below docs/. */
export const toolPages: readonly (readonly [path: string, text: string])[] = [
  ['tools.md', toolIndex(groups)],
  ...[...groups.values()]
    .flat()
    .map((entry): readonly [string, string] => [`tools/${entry.name}.md`, toolPage(entry)]),
];

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of toolPages)
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
