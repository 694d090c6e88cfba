// The house rules that a machine can keep. The import rules are read from the tables in src/README.md, so that the map cannot lie.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { assertedTexts } from './asserted-texts.ts';

const src = fileURLToPath(new URL('../src', import.meta.url));

interface Folder {
  readonly side: string;
  readonly packages: readonly string[];
}

const cellsOf = (readme: string): readonly (readonly string[])[] =>
  readFileSync(join(src, readme), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

const rows = cellsOf('README.md');

/** The rows of the map, in their order. */
const folders = new Map<string, Folder>(
  rows
    .filter(([, , side]) => side === 'pure' || side === 'io')
    .map(([, name = '', side = '', packages = '']): [string, Folder] => [
      name,
      {
        side,
        packages: packages
          .split(',')
          .map((text) => text.trim())
          .filter((text) => text !== ''),
      },
    ]),
);
const order = [...folders.keys()];

/** Rooms that may import less than what is above them: rows such as `| report/browser | only report/browser | why |`. */
const narrow = new Map<string, readonly string[]>(
  rows.flatMap(([, name = '', only = '']): [string, string[]][] => {
    const allowed = /^only (.+)$/.exec(only)?.[1]?.split(', ');
    return allowed === undefined ? [] : [[name, allowed]];
  }),
);

/** The file of no room: the library, which may import all rooms. */
const root = 'root';

/** The row that a path belongs to: the longest that fits. */
function folderOf(path: string): string {
  if (!path.includes('/')) return root;
  const fitting = order.filter((folder) => path.startsWith(`${folder}/`));
  return fitting.sort((one, other) => other.length - one.length)[0] ?? dirname(path);
}

interface SourceFile {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const files: readonly SourceFile[] = readdirSync(src, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(src, path), 'utf8');
    const { module } = parseSync(path, text);
    const dynamic = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map((match) => match[1] ?? '');
    const exported = module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value])),
    );
    const imported = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
    return { path, folder: folderOf(path), text, imports: [...imported, ...exported, ...dynamic] };
  });

/**
 * The one file through which a room is reached from another, where not every file may be: the only one that imports
 * it, or the only one that is imported.
 */
const doors: readonly { readonly from: RegExp; readonly to: string; readonly door: string }[] = [
  { from: /^(?!service\/)/, to: 'service', door: 'service-api/local-service.ts' },
  { from: /^service\//, to: 'previews', door: 'previews/open.ts' },
];

/** What acts: a command reaches it through its feature. */
const acting = /^(files|service-api|state|stores)\//;
/** Names, and choices that are made before a feature is called. */
const harmless = [
  'files/shown-path.ts',
  'service-api/local-service.ts',
  'service-api/secrets.ts',
  'state/locate-state.ts',
];

const targetOf = (file: SourceFile, request: string): string =>
  relative(src, join(src, dirname(file.path), request));
const isLocal = (request: string): boolean => request.startsWith('.');

describe('the map in src/README.md', () => {
  test('name every folder', () => {
    const unnamed = files.filter(({ folder }) => folder !== root && !folders.has(folder));
    expect(unnamed.map(({ path }) => path)).toEqual([]);
    const empty = order.filter((folder) => !files.some((file) => file.folder === folder));
    expect(empty).toEqual([]);
  });

  test('a file imports only from its own folder and folders above it, types included', () => {
    const wrong = files.flatMap((file) =>
      file.imports.filter(isLocal).flatMap((request) => {
        const target = folderOf(targetOf(file, request));
        const fits =
          file.folder === root ||
          (folders.has(target) && order.indexOf(target) <= order.indexOf(file.folder));
        return fits
          ? []
          : [`${file.path} imports ${request}: ${target} is not above ${file.folder}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('a folder that may import less than that does', () => {
    expect([...narrow.keys()]).toContain('report/browser');
    const wrong = files.flatMap((file) => {
      const allowed = narrow.get(file.folder);
      if (allowed === undefined) return [];
      return file.imports
        .filter(isLocal)
        .filter((request) => {
          const target = targetOf(file, request);
          return !allowed.some(
            (place) => target === `${place}.ts` || target.startsWith(`${place}/`),
          );
        })
        .map((request) => `${file.path} imports ${request}: only ${allowed.join(', ')}`);
    });
    expect(wrong).toEqual([]);
  });

  test('a room that has a door is reached through it', () => {
    const wrong = files.flatMap((file) =>
      file.imports.filter(isLocal).flatMap((request) => {
        const target = targetOf(file, request);
        const passed = doors.find(
          ({ from, to }) => from.test(file.path) && target.startsWith(`${to}/`),
        );
        return passed === undefined || [file.path, target].includes(passed.door)
          ? []
          : [`${file.path} imports ${request}, past ${passed.door}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('a command acts only through features, as a program does', () => {
    const commands = files.filter(
      ({ path, imports }) =>
        /^(features|triggers)\//.test(path) &&
        imports.some((request) => /\/terminal\//.test(request)),
    );
    expect(commands.length).toBeGreaterThan(20);
    const wrong = commands.flatMap((file) =>
      file.imports
        .filter((request) => {
          const target = targetOf(file, request);
          return (
            isLocal(request) && acting.test(target) && folders.get(folderOf(target))?.side === 'io'
          );
        })
        .filter((request) => !harmless.includes(targetOf(file, request)))
        .map((request) => `${file.path} imports ${request}`),
    );
    expect(wrong).toEqual([]);
  });

  test('a file imports only the packages that its row lists', () => {
    const wrong = files
      .filter(({ folder }) => folder !== root)
      .flatMap((file) =>
        file.imports
          .filter((request) => !isLocal(request))
          .filter((request) => {
            const allowed = folders.get(file.folder)?.packages ?? [];
            return !allowed.some((name) =>
              name === 'node:*'
                ? request.startsWith('node:')
                : request === name || request.startsWith(`${name}/`),
            );
          })
          .map(
            (request) =>
              `${file.path} imports ${request}, which the table does not list for ${file.folder}`,
          ),
      );
    expect(wrong).toEqual([]);
  });

  test('the files of a folder do not import each other in a circle', () => {
    const edges = new Map(
      files.map((file) => [
        file.path,
        file.imports.filter(isLocal).map((request) => targetOf(file, request)),
      ]),
    );
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): readonly string[] => {
      if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
      if (done.has(path)) return [];
      for (const next of edges.get(path) ?? []) {
        const circle = visit(next, [...trail, path]);
        if (circle.length > 0) return circle;
      }
      done.add(path);
      return [];
    };
    const circles = files
      .map(({ path }) => visit(path, []).join(' → '))
      .filter((circle) => circle !== '');
    expect(circles).toEqual([]);
  });

  test('the pure folders touch no clock, no chance, no disk, no network and no await', () => {
    const banned: readonly (readonly [RegExp, string])[] = [
      [/\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/, 'hand in the time'],
      [/\bMath\.random\b|\brandomUUID\b|\brandomBytes\b/, 'hand in the chance'],
      [/\bawait\b|\basync\b/, 'waiting belongs right of the line'],
      [/\bprocess\.|\bfetch\(|\bsetTimeout\b/, 'the world belongs right of the line'],
    ];
    const wrong = files
      .filter(({ folder }) => folders.get(folder)?.side === 'pure')
      .flatMap(({ path, text }) =>
        banned
          .filter(([pattern]) => pattern.test(code(text)))
          .map(([pattern, instead]) => `${path}: ${pattern}: ${instead}`),
      );
    expect(wrong).toEqual([]);
  });
});

/** Without comments and texts. */
function code(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/(['"`])(?:\\.|(?!\1)[^\\])*\1/g, "''");
}

describe('files', () => {
  test('none is named after nothing', () => {
    const nameless = files.filter(({ path }) =>
      /(^|\/)(utils?|helpers?|common|misc|shared|manager|types)(\.ts|\/)/.test(path),
    );
    expect(nameless.map(({ path }) => path)).toEqual([]);
  });

  test('nothing is left over: no console, no open ends, no way round the compiler', () => {
    const banned = /\bTO[D]O\b|\bFIX[M]E\b|\bas any\b|\bas unknown as\b|@ts-|biome-ignore/;
    // The examples in the comments of the library print.
    const wrong = files
      .filter(({ text }) => banned.test(text) || /\bconsole\./.test(code(text)))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });
});

test('the map of the tests names files that exist', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const map = readFileSync(join(folder, 'README.md'), 'utf8');
  const linked = [...map.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  expect(linked.length).toBeGreaterThan(100);
  expect(linked.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
});

/** How many assertions outside of test/transcripts still quote texts for people. This number only falls: lower it when it has. */
const mostAssertedTexts = 332;

test('what a person reads is asserted in transcripts, and in fewer and fewer other tests', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const found = readdirSync(folder, { recursive: true })
    .map(String)
    // Not the player's own test.
    .filter((name) => name.endsWith('.test.ts') && name !== 'transcript.test.ts')
    .flatMap((name) =>
      assertedTexts(name, readFileSync(join(folder, name), 'utf8')).map(
        (line) => `${name}:${line}`,
      ),
    );
  expect(found.length, `asserted texts:\n${found.join('\n')}`).toBeLessThanOrEqual(
    mostAssertedTexts,
  );
});

test.each([
  ["expect(stdout).toContain('Nothing to pay.')", true],
  ['expect((await run()).stderr).toMatch(/there is no (file|folder)/)', true],
  ["expect(problem.message).toBe('the disk is full: make room')", true],
  ['expect(text, `what the test says of itself`).toBe(1)', false],
  ["expect(stderr).toContain('people.csv:5:19: error SL507')", false],
  ["expect(JSON.parse(stdout)).toMatchObject({ outcome: 'done' })", false],
  ["expect({ code, stderr }).toEqual({ code: 0, stderr: '' })", false],
  ["expect(stdout).toContain('--pay-again')", false],
])('%s is about a text: %s', (assertion, isAboutText) => {
  expect(assertedTexts('a.test.ts', `${assertion};\n`)).toEqual(isAboutText ? [1] : []);
});
