// The parts of the pages that `npm run pages` writes.

export const writtenFrom = (source: string): string =>
  `<!-- Written by \`npm run pages\` from ${source}. Do not edit. -->`;

export const code = (text: string): string => `\`${text}\``;

/** Outside of code, `<` begins HTML and `|` ends a cell. */
export const marked = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`')
    .replaceAll('|', '\\|');

export const listOf = (items: readonly string[]): string =>
  items.map((item) => `- ${item}`).join('\n');

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '-').join('|')}|`, ...rows.map(line)].join('\n');
}

export const pageOf = (blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`;
