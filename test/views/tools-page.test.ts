// The pages about the step kinds are what the catalogue says.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolPages } from '../../docs/tools/generate.ts';
import { kinds } from '../../src/contract/kinds.ts';
import { read, root } from '../examples.ts';

describe('docs/tools', () => {
  test.each(toolPages)('%s is current (else: npm run pages)', (path, text) => {
    expect(read(`docs/${path}`)).toBe(text);
  });

  test('has a page for each kind and no others', () => {
    const pages = readdirSync(join(root, 'docs/tools')).filter((name) => name.endsWith('.md'));
    expect(pages.sort()).toEqual(kinds.map(({ name }) => `${name}.md`).sort());
  });
});
