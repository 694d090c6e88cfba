// Writes docs/tools.md and docs/tools/*.md from the catalogue, and docs/reference.md from the schemas of pipeline files:
// `npm run pages`. Tests say when they are stale.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogue } from '../../src/contract/catalogue/entry.ts';
import { kinds } from '../../src/contract/kinds.ts';
import { pipelineSchema } from '../../src/language/schema.ts';
import { referencePage } from './reference-page.ts';
import { toolIndex, toolPage } from './tools-page.ts';

const groups = catalogue();

/** Every written page, by its path below docs/. */
export const toolPages: readonly (readonly [path: string, text: string])[] = [
  ['tools.md', toolIndex(groups)],
  ...[...groups.values()]
    .flat()
    .map((entry): readonly [string, string] => [`tools/${entry.name}.md`, toolPage(entry)]),
];

export const reference = referencePage(pipelineSchema(kinds));

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of [...toolPages, ['reference.md', reference] as const])
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
