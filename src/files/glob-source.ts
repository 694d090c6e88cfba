// The files that a list of globs finds, as items.
import { existsSync, type Stats } from 'node:fs';
import { opendir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { realPathOr } from '../base/real-path.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemReason } from '../base/system-error.ts';
import { grouped } from '../base/text.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { Code } from '../contract/codes.ts';
import { suggestion } from '../contract/yaml/diagnostic.ts';
import { isExclusion } from '../language/items.ts';
import { commonBase, fileItem, globBase } from '../model/item.ts';
import { type Barred, type FoundFiles, findFiles, type Odd } from './find-files.ts';
import { type CountedPattern, type Match, matchesOne, matchOf, partsOf } from './glob.ts';
import { closeNothing, type ItemListProblem, type ItemSource, outsideHint } from './item-source.ts';
import { isSystemName, type LeftOut, leftOutSentence, systemNames } from './system-names.ts';

interface GlobSearch {
  readonly patterns: readonly string[];
  /** Absolute; patterns are relative to it. */
  readonly folder: string;
  /** Absolute. */
  readonly output: string;
  readonly barred?: Barred | undefined;
  /** The files come and go: see `ItemFilter`. */
  readonly growing: boolean;
}

export interface GlobSource extends ItemSource {
  /** The folder below which keys are paths, with "/" at its end; "" for the folder of the pipeline file. */
  readonly base: string;
  /** By the number of the item: relative to the folder of the pipeline file. */
  readonly paths: readonly string[];
}

export async function globSource(
  search: GlobSearch,
): Promise<Result<GlobSource, readonly ItemListProblem[]>> {
  const { patterns, folder, output, growing } = search;
  const isList = patterns.length > 1;
  const wanted = patterns.filter((pattern) => !(isList && isExclusion(pattern)));
  const excluded = exclusionsOf(isList ? patterns.filter(isExclusion) : [], folder);
  if (!excluded.ok) return excluded;
  const paths = new Set<string>();
  const odd = new Map<string, Odd>();
  const left = new Map<string, LeftOut>();
  const problems: ItemListProblem[] = [];
  for (const pattern of wanted) {
    const found = await filesOf(pattern, search);
    if (!found.ok) {
      problems.push(found.error);
      continue;
    }
    let own = 0;
    for (const path of found.value.paths) {
      if (growing && !isWhole(path)) continue;
      own += 1;
      paths.add(path);
    }
    const strange = found.value.odd.filter(({ path }) => !matchesOne(path, excluded.value));
    for (const one of strange) odd.set(one.path, one);
    const kept = found.value.left.filter(({ path }) => !matchesOne(path, excluded.value));
    for (const one of kept) left.set(one.path, one);
    if (own > 0 || growing) continue;
    const why =
      strange.length > 0
        ? sentencesOf(strange).join('; ')
        : (leftOutSentence(kept) ?? (await whyEmpty(pattern, folder)));
    const message = `${said(pattern)} finds no file (from ${folder})`;
    problems.push({ code: 'SL501', message, hint: why });
  }
  if (problems.length > 0) return err(problems);
  const chosen = [...paths].filter((path) => !matchesOne(path, excluded.value)).sort();
  if (chosen.length === 0 && !growing)
    return problem(
      'SL501',
      `items.glob finds no file: its exclusions match all ${paths.size} files that its patterns find`,
      'remove an exclusion, or make it narrower',
    );
  const inside = chosen.find((path) => isBelow(resolve(folder, path), output));
  if (inside !== undefined)
    return problem(
      'SL503',
      `${isList ? 'items.glob' : said(patterns[0] ?? '')} finds ${inside}, which is in the output folder: results would become items`,
      'use a narrower glob, or another output folder',
    );
  const base = baseOf(commonBase(wanted), folder);
  // What one pattern leaves out, another one may name. A folder that is watched gets thumbnails all the time.
  const unnamed = growing ? [] : [...left.values()].filter(({ path }) => !paths.has(path));
  const leftOut = leftOutSentence(unnamed);
  const idle = growing ? [] : excluded.value.filter(({ hits }) => hits === 0);
  return ok({
    count: chosen.length,
    blind: odd.size > 0,
    base,
    paths: chosen,
    close: closeNothing,
    warnings: [
      ...sentencesOf([...odd.values()]),
      ...(leftOut === undefined ? [] : [leftOut]),
      ...idle.map(({ pattern }) => `${said(pattern)} excludes no file`),
    ],
    at: (index) => fileItem(chosen[index] ?? '', base, index),
    placeOf: ({ fields }) => String(fields['path']),
  });
}

/** Patterns are compared with paths in the form that `filesOf` gives them. */
function exclusionsOf(
  patterns: readonly string[],
  folder: string,
): Result<CountedPattern[], readonly ItemListProblem[]> {
  const exclusions: CountedPattern[] = [];
  for (const pattern of patterns) {
    const glob = pattern.slice(1);
    const base = globBase(glob);
    const matches = matchOf(baseOf(base, folder) + glob.slice(base.length), { dot: true });
    if (!matches.ok) return problem('SL107', `${said(pattern)} ${matches.error}`, patternHint);
    exclusions.push({ pattern, matches: matches.value, hits: 0 });
  }
  return ok(exclusions);
}

/** Paths are relative to the folder of the pipeline file. */
async function filesOf(
  pattern: string,
  { folder, barred = () => undefined }: GlobSearch,
): Promise<Result<FoundFiles, ItemListProblem>> {
  const base = globBase(pattern);
  const before = baseOf(base, folder);
  const root = resolve(folder, base);
  const refused = existsSync(root) ? barred(realPathOr(root)) : undefined;
  if (refused !== undefined)
    return err({
      code: 'SL702',
      message: `${said(pattern)}: the folder ${base || '.'} ${refused}`,
      hint: outsideHint,
    });
  const found = await findFiles(pattern.slice(base.length), root, barred, systemNames(pattern));
  if (!found.ok)
    return err({ code: 'SL107', message: `${said(pattern)} ${found.error}`, hint: patternHint });
  return ok({
    paths: found.value.paths.map((path) => `${before}${path}`),
    odd: found.value.odd.map((one) => ({ ...one, path: `${before}${one.path}` })),
    left: found.value.left.map((one) => ({ ...one, path: `${before}${one.path}` })),
  });
}

const sentencesOf = (odd: readonly Odd[]): readonly string[] =>
  oddSentences(odd, (path) => path.replace(/\/$/, '') || 'its folder');

const isWhole = (path: string): boolean => !isTemporaryName(path.slice(path.lastIndexOf('/') + 1));

const said = (pattern: string): string =>
  `items.glob ${JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern)}`;

const problem = (
  code: Code,
  message: string,
  hint: string,
): Result<never, readonly ItemListProblem[]> => err([{ code, message, hint }]);

const patternHint = 'write a pattern such as "photos/*.jpg" or "photos/**/*.{jpg,png}"';

/**
 * The folder before a glob's first wildcard, in the form that found paths have: relative, without "./", with "/" at the
 * end.
 */
function baseOf(base: string, folder: string): string {
  const path = relative(folder, resolve(folder, base));
  return path === '' ? '' : `${sep === '/' ? path : path.split(sep).join('/')}/`;
}

function isBelow(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
}

// Explains why a glob finds nothing: what is there instead, and which glob would find it.

/** A sentence that says what to do. `folder` is absolute. */
export async function whyEmpty(glob: string, folder: string): Promise<string> {
  return misspelt(glob) ?? (await missing(glob, folder)) ?? (await present(glob, folder));
}

/** Mistakes in the glob itself, whatever is on the disk. */
function misspelt(glob: string): string | undefined {
  if (/^~([^/]*\/|$)/.test(glob))
    return 'only a shell expands "~": write the whole path, or one relative to the pipeline file';
  if (/^[A-Za-z]:[\\/]/.test(glob) && process.platform !== 'win32')
    return `${JSON.stringify(glob.slice(0, 2))} is a Windows drive: write a path that exists on this machine`;
  if (glob.includes('\\'))
    return `a backslash does not separate folders: write ${JSON.stringify(glob.replaceAll('\\', '/'))}?`;
  if (glob.startsWith('!') && !glob.startsWith('!('))
    return '"!" excludes nothing here: use --exclude to exclude items';
  return undefined;
}

/** Reports that the folder before the first wildcard is missing or is not a folder, or that the glob names a folder. */
async function missing(glob: string, folder: string): Promise<string | undefined> {
  const base = globBase(glob);
  const at = resolve(folder, base);
  const found = await statOf(at);
  if (typeof found !== 'string')
    if (!found.isDirectory()) return `${shown(at, folder)} is a file, not a folder`;
    else {
      const whole = await statOf(resolve(folder, glob));
      return typeof whole !== 'string' && whole.isDirectory()
        ? `${JSON.stringify(glob)} is a folder: ${JSON.stringify(`${glob.replace(/\/+$/, '')}/**`)}?`
        : undefined;
    }
  for (let above = dirname(at), last = at; ; last = above, above = dirname(above)) {
    const standing = await statOf(above);
    if (typeof standing === 'string' && above !== dirname(above)) continue;
    const near = suggestion(basename(last), await foldersIn(above));
    const what = `${JSON.stringify(basename(last))} in ${shown(above, folder)}`;
    if (typeof standing !== 'string' && !standing.isDirectory())
      return `${shown(above, folder)} is a file, not a folder`;
    return `there is no folder ${what}${near === undefined ? '' : `; ${near}`}`;
  }
}

async function statOf(path: string): Promise<Stats | string> {
  try {
    return await stat(path);
  } catch (error) {
    return systemReason(error);
  }
}

async function foldersIn(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => !entry.isFile()).map(({ name }) => name);
  } catch {
    // An unreadable folder has no names to suggest.
    return [];
  }
}

/** Describes the content of the folder before the first wildcard. */
async function present(glob: string, folder: string): Promise<string> {
  const base = globBase(glob);
  const at = resolve(folder, base);
  const last = partsOf(glob.slice(base.length)).at(-1) ?? '';
  const fits = matchOf(last);
  const seen = await glance(at, fits.ok && last !== '**' ? fits.value : () => false);
  const has = contentsOf(seen, shown(at, folder), base);
  const better = betterGlob(seen, glob, base, last);
  return better === undefined ? has : `${has}: ${JSON.stringify(better)}?`;
}

function contentsOf(
  { extensions, folders, hidden, cut }: Glance,
  here: string,
  base: string,
): string {
  const files = extensions.map(
    ([extension, n]) => `${grouped(n)} ${kindOf(extension)} file${n === 1 ? '' : 's'}`,
  );
  const parts = [
    ...files.slice(0, 3),
    ...(files.length > 3 ? ['other files'] : []),
    ...(folders.length > 0 ? [foldersOf(folders)] : []),
  ];
  if (parts.length > 0) return `${here} has ${cut ? 'at least ' : ''}${listed(parts)}`;
  return hidden > 0
    ? `${here} has only hidden files, which a glob finds if it names the dot: ${JSON.stringify(`${base}.*`)}`
    : `${here} is empty`;
}

/** A glob that finds some of the files that are there. */
function betterGlob(
  { extensions, folders, fitting }: Glance,
  glob: string,
  base: string,
  last: string,
): string | undefined {
  const deeper = `${base}**/${last}`;
  if (fitting > 0) return deeper;
  if (folders.length > 0) return glob.includes('**') ? undefined : deeper;
  const media = extensions
    .map(([extension]) => extension)
    .filter((extension) => mediaTypeOf(extension) !== undefined)
    .slice(0, 4);
  if (media.length === 0) return undefined;
  return `${base}*.${media.length > 1 ? `{${media.join(',')}}` : media.join()}`;
}

const kindOf = (extension: string): string =>
  extension === '' ? 'extensionless' : `.${extension}`;

function foldersOf(names: readonly string[]): string {
  const some = [...names].sort().slice(0, 3).join(', ');
  return names.length === 1
    ? `1 folder (${some})`
    : `${grouped(names.length)} folders (${some}${names.length > 3 ? ', …' : ''})`;
}

const listed = (parts: readonly string[]): string =>
  parts.length === 1 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;

/** A folder as the pipeline would name it. */
function shown(path: string, folder: string): string {
  const short = relative(folder, path);
  if (short === '') return 'the folder of the pipeline file';
  return JSON.stringify(sep === '/' ? short : short.split(sep).join('/'));
}

// A quick look at the content of a folder: bounded in entries and in time. Follows no links.

const maxGlanceEntries = 5000;
const maxGlanceMs = 800;

interface Glance {
  /** The visible files in the folder itself, counted by extension, the most frequent first. */
  readonly extensions: readonly (readonly [string, number])[];
  /** The names of the visible folders in the folder. */
  readonly folders: readonly string[];
  /** The number of hidden files in the folder. */
  readonly hidden: number;
  /** The number of files further below whose names match. */
  readonly fitting: number;
  /** True if the look ended before it had seen everything. */
  readonly cut: boolean;
}

/** Breadth first, real folders only. */
export async function glance(at: string, fits: Match): Promise<Glance> {
  const until = performance.now() + maxGlanceMs;
  const extensions = new Map<string, number>();
  const folders: string[] = [];
  let [hidden, fitting, left] = [0, 0, maxGlanceEntries];
  const queue = [at];
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    const top = folder === at;
    try {
      for await (const entry of await opendir(folder)) {
        left -= 1;
        if (left < 0 || performance.now() > until) {
          queue.length = 0;
          break;
        }
        const { name } = entry;
        if (isSystemName(name)) continue;
        if (name.startsWith('.')) hidden += top && entry.isFile() ? 1 : 0;
        else if (entry.isDirectory()) {
          if (top) folders.push(name);
          queue.push(resolve(folder, name));
        } else if (!top) fitting += fits(name) ? 1 : 0;
        else extensions.set(extensionOf(name), (extensions.get(extensionOf(name)) ?? 0) + 1);
      }
    } catch {
      // An unreadable folder shows nothing. The search for files has already reported it.
    }
  }
  const cut = left < 0 || performance.now() > until;
  return { extensions: counted(extensions), folders, hidden, fitting, cut };
}

const counted = (map: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...map].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));

// Describes the entries that a glob matched and that cannot be items: one sentence for each kind of problem, with
// examples.

const maxExamples = 3;

/** `shown` formats a path for people. */
export function oddSentences(
  odd: readonly Odd[],
  shown: (path: string) => string,
): readonly string[] {
  const groups = new Map<string, { readonly first: Odd; readonly paths: string[] }>();
  for (const one of odd) {
    const key = `${one.is} ${one.why}`;
    const group = groups.get(key) ?? { first: one, paths: [] };
    group.paths.push(shown(one.path));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ first, paths }) => {
    const some = paths.slice(0, maxExamples);
    const rest = paths.length - some.length;
    const who = [...some, ...(rest > 0 ? [`${grouped(rest)} more`] : [])];
    const subject =
      who.length === 1 ? some.join() : `${who.slice(0, -1).join(', ')} and ${who.at(-1) ?? ''}`;
    return sentence(first, subject, paths.length > 1);
  });
}

function sentence({ is, why }: Odd, subject: string, many: boolean): string {
  switch (is) {
    case 'broken':
      return many
        ? `${subject} are ignored: the links lead nowhere`
        : `${subject} is ignored: the link leads nowhere`;
    case 'special':
      return many
        ? `${subject} are ignored: they are not regular files`
        : `${subject} is ignored: it is not a regular file`;
    case 'undecodable':
      return many
        ? `${subject} are ignored: the names are not valid UTF-8; rename the files`
        : `${subject} is ignored: the name is not valid UTF-8; rename the file`;
    case 'repeated':
      return many
        ? `${subject} are not searched: other links lead to the same folders`
        : `${subject} is not searched: another link leads to the same folder`;
    case 'outside':
      return many
        ? `${subject} are links that are not followed: each ${why}`
        : `${subject} is a link that is not followed: it ${why}`;
    case 'unreadable':
      return `${subject} ${many ? 'are' : 'is'} not searched: the folder ${why}`;
  }
}

// Names of files that are still being written: browsers, editors and copy programs rename the file when it is complete.

const endings: readonly string[] = [
  ...['.part', '.partial', '.filepart', '.crdownload', '.download', '.tmp', '.temp', '.swp', '~'],
];

/** `name`: without a folder. */
export function isTemporaryName(name: string): boolean {
  const lower = name.toLowerCase();
  return name.startsWith('.') || endings.some((ending) => lower.endsWith(ending));
}
