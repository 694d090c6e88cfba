// The types that the package publishes, as a user's compiler follows them from `dist/index.d.ts`: whoever type checks
// against shotlist needs the declarations of every package that they name.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocks, examplesInComments, root } from '../examples.ts';
import { Rig } from '../rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-types-'));
const dist = join(folder, 'dist');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** By package: the declaration files that name it, as paths below dist/. */
let named: ReadonlyMap<string, ReadonlySet<string>> = new Map();
let reached: ReadonlySet<string> = new Set();

beforeAll(() => {
  const project = ['-p', join(root, 'tsconfig.build.json'), '--outDir', dist];
  execFileSync(process.execPath, [tsc, ...project, '--emitDeclarationOnly', '--noCheck']);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  ({ named, reached } = walk('index.d.ts'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

test('the examples in the comments of the library and on the pages compile against them by the strict rules of this project, and one that is wrong does not', () => {
  const onPages = blocks('ts').map(({ text }) => text);
  expect(onPages).not.toEqual([]);
  const wrong = "import { plan } from 'shotlist';\nplan(1);\n";
  const examples = [...examplesInComments(), ...onPages, wrong];
  const rig = new Rig('');
  const files = examples.map((example, number) => {
    rig.write(`example-${number}.ts`, example);
    return `example-${number}.ts`;
  });
  const compilerOptions = {
    exactOptionalPropertyTypes: true,
    incremental: false,
    typeRoots: [join(root, 'node_modules/@types')],
    paths: { shotlist: [join(dist, 'index.d.ts')] },
  };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
  rig.write('package.json', '{ "type": "module" }');
  rig.write('tsconfig.json', JSON.stringify(config));
  const args = [tsc, '-p', rig.path('tsconfig.json')];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const said = `${stdout}${stderr}`.split('\n').filter((line) => /^\S/.test(line));
  const place = `example-${examples.length - 1}.ts(2,6): error TS2345`;
  expect(said).toEqual([expect.stringContaining(place)]);
});
