// The types that the package publishes, as a user's compiler follows them from `dist/index.d.ts`: whoever type checks
// against shotlist needs the declarations of every package that they name.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = mkdtempSync(join(tmpdir(), 'shotlist-types-'));

/** By package: the declaration files that name it, as paths below dist/. */
let named: ReadonlyMap<string, ReadonlySet<string>> = new Map();
let reached: ReadonlySet<string> = new Set();

beforeAll(() => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const project = ['-p', join(root, 'tsconfig.build.json'), '--outDir', dist];
  execFileSync(process.execPath, [tsc, ...project, '--emitDeclarationOnly', '--noCheck']);
  ({ named, reached } = walk('index.d.ts'));
});
afterAll(() => rmSync(dist, { recursive: true, force: true }));

/** Follows imports from one declaration file; `import('…')` inside a type is one too. */
function walk(entry: string): { named: typeof named; reached: typeof reached } {
  const files = new Set([entry]);
  const packages = new Map<string, Set<string>>();
  for (const file of files) {
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, request = ''] of text.matchAll(
      /(?:\bfrom |\bimport\(|^import )["']([^"']+)["']/gm,
    ))
      if (request.startsWith('.')) {
        const target = relative(dist, join(dist, dirname(file), request));
        files.add(target.replace(/\.[jt]s$/, '.d.ts'));
      } else packages.set(request, (packages.get(request) ?? new Set()).add(file));
  }
  return { named: packages, reached: files };
}

/** Those of the pipeline's types: the shapes come from schemas, and a pipeline holds compiled expressions. */
const allowed: readonly string[] = [
  // In the examples of the doc comments.
  'shotlist',
  '@marcbachmann/cel-js',
  'ajv/dist/2020.js',
  'json-schema-to-ts',
];

describe('the published types', () => {
  test('name no web server, HTTP client, image library or database', () => {
    const strange = [...named].filter(
      ([name]) => !allowed.includes(name) && (!name.startsWith('node:') || name === 'node:sqlite'),
    );
    expect(strange).toEqual([]);
  });

  test('of the local service: its options and what it answers with, not how it is made', () => {
    const service = [...reached].filter((file) => file.startsWith('service/'));
    expect(service).toContain('service/options.d.ts');
    const inner = service.filter((file) =>
      /^service\/(http|store|jobs|events|hub|start)/.test(file),
    );
    expect(inner).toEqual([]);
  });
});
