// Writes docs/diagnostics.md from the codes in src/: `npm run diagnostics`. A test says when it is stale.
// `npm run diagnostics -- --publish`, for a release, also records the codes as published.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { explanations, groups } from '../src/contract/codes/all.ts';
import type { Example, Explanation, Finder } from '../src/contract/codes/explanation.ts';
import { circumstances, shownFiles, shownLines } from '../src/features/explain/explain-text.ts';

const introduction = `# Diagnostics

<!-- npm run diagnostics writes this page. -->

Every error and warning about a pipeline file has a code, a place, a sentence and a remedy. A code keeps its meaning in later versions.
\`npx shotlist explain SL012\` prints the same in the terminal, and \`npx shotlist explain\` lists all codes.

\`validate\` finds what the pipeline file alone can show. \`plan\` and \`run\` also look at the items, the files and the account; the examples say where.

## For programs

| command | output |
|-|-|
| \`validate\` | for people: the place, the code, the lines around it, the remedy |
| \`validate\` in GitHub Actions (\`GITHUB_ACTIONS=true\`) | the same, and workflow commands, which become annotations of the changed lines |
| \`validate --json\` | one object for each file |

The JSON of \`plan\`, \`run\`, \`watch\` and \`schedule\` contains the codes, too. The exit code is always the same.
`;

const block = (title: string, language: string, lines: readonly string[]): string =>
  `${title}:\n\n\`\`\`${language}\n${lines.join('\n')}\n\`\`\`\n`;

const exampleBlock = (title: string, language: string, example: Example, found: Finder): string =>
  [
    block(`${title}${circumstances(example, found)}`, language, shownLines(example)),
    ...shownFiles(example).map(([name, lines]) =>
      name.endsWith('.yaml')
        ? block('And', language, [`# ${name}`, ...lines])
        : block(`\`${name}\``, 'text', lines),
    ),
  ].join('\n');

function section(code: string, explanation: Explanation): string {
  const { title, meaning, warning = false, found = 'validate', wrong, right } = explanation;
  return [
    `### ${code}\n`,
    `**${title}**${warning ? ' A warning.' : ''}\n`,
    `${meaning}\n`,
    // An editor would underline a wrong example.
    exampleBlock('Wrong', 'text', wrong, found),
    exampleBlock('Right', 'yaml', right, found),
  ].join('\n');
}

/** The whole page. */
export const diagnosticsPage = (): string =>
  [
    introduction,
    ...groups.flatMap(({ title, codes }) => [
      `## ${title}\n`,
      ...Object.entries(codes).map(([code, explanation]) => section(code, explanation)),
    ]),
  ].join('\n');

export const pagePath = fileURLToPath(new URL('diagnostics.md', import.meta.url));
const publishedPath = fileURLToPath(new URL('published-codes.json', import.meta.url));

/** The codes of all releases. */
export const publishedCodes = (): unknown => JSON.parse(readFileSync(publishedPath, 'utf8'));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(pagePath, diagnosticsPage());
  if (process.argv.includes('--publish'))
    writeFileSync(publishedPath, `${JSON.stringify([...explanations.keys()], null, 2)}\n`);
}
