// The examples that people read: the code blocks of the pages, and those in the comments of the library.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const read = (name: string): string => readFileSync(join(root, name), 'utf8');

const markdownIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => name.endsWith('.md'));
const topPages = readdirSync(root).filter((name) => name.endsWith('.md'));
/** The pages for users; the others are maps of the code. */
const userPages = [...topPages, ...markdownIn('docs')].sort();
export const pages = [...userPages, ...markdownIn('src'), ...markdownIn('bench')];

export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

/** The fenced blocks of a language. */
export function blocksIn(page: string, language: string): readonly CodeBlock[] {
  const text = read(page);
  const fenced = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm');
  return [...text.matchAll(fenced)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    text: match[1] ?? '',
  }));
}

export const blocks = (language: string): readonly CodeBlock[] =>
  userPages.flatMap((page) => blocksIn(page, language));

/** The TypeScript examples in the doc comments of the operations. */
export const examplesInComments = (): readonly string[] =>
  globSync('src/**/*.ts', { cwd: root })
    .sort()
    .flatMap((file) => [...read(file).matchAll(/ \* ```ts\n([\s\S]*?) \* ```/g)])
    .map(([, block = '']) => block.replace(/^ \* ?/gm, ''));
