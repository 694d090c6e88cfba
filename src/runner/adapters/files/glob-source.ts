// The files that a list of globs finds, as items.
import { existsSync } from 'node:fs';
import { isAbsolute, posix, relative, resolve, sep } from 'node:path';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { Code } from '../../../contract/codes/all.ts';
import { isExclusion } from '../../language/items.ts';
import { isTemporaryName } from '../../plan/temporary-name.ts';
import { commonBase, fileItem, globBase } from '../../task/item.ts';
import { whyEmpty } from './empty-glob.ts';
import { type Barred, findFiles, type Odd } from './find-files.ts';
import { type Match, matchOf } from './glob.ts';
import { closeNothing, type ItemListProblem, type ItemSource, outsideHint } from './item-source.ts';
import { oddSentences } from './odd-files.ts';
import { realPathOr } from './real-path.ts';

export interface GlobSearch {
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
  const isExcluded = (path: string): boolean => {
    const by = excluded.value.filter(({ matches }) => matches(path));
    for (const one of by) one.hits += 1;
    return by.length > 0;
  };
  const paths = new Set<string>();
  const odd = new Map<string, Odd>();
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
    const strange = found.value.odd.filter(({ path }) => !isExcluded(path));
    for (const one of strange) odd.set(one.path, one);
    if (own > 0 || growing) continue;
    const why =
      strange.length > 0 ? sentencesOf(strange).join('; ') : await whyEmpty(pattern, folder);
    const message = `${said(pattern)} finds no file (from ${folder})`;
    problems.push({ code: 'SL501', message, hint: why });
  }
  if (problems.length > 0) return err(problems);
  const chosen = [...paths].filter((path) => !isExcluded(path)).sort();
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
  const idle = growing ? [] : excluded.value.filter(({ hits }) => hits === 0);
  return ok({
    ...{ count: chosen.length, blind: odd.size > 0, base, paths: chosen, close: closeNothing },
    warnings: [
      ...sentencesOf([...odd.values()]),
      ...idle.map(({ pattern }) => `${said(pattern)} excludes no file`),
    ],
    at: (index) => fileItem(chosen[index] ?? '', base, index),
    placeOf: ({ fields }) => String(fields['path']),
  });
}

/** Whether the glob of a pipeline can find a file; `path` is relative to its folder, as items name it. */
export function canFind(patterns: readonly string[], folder: string): Match {
  const isList = patterns.length > 1;
  const excluded = exclusionsOf(isList ? patterns.filter(isExclusion) : [], folder);
  const wanted = patterns.flatMap((pattern) => {
    if (isList && isExclusion(pattern)) return [];
    const base = globBase(pattern);
    const matches = matchOf(baseOf(base, folder) + posix.normalize(pattern.slice(base.length)));
    return matches.ok ? [matches.value] : [];
  });
  return (path) =>
    wanted.some((matches) => matches(path)) &&
    excluded.ok &&
    !excluded.value.some(({ matches }) => matches(path));
}

interface Exclusion {
  readonly pattern: string;
  readonly matches: Match;
  hits: number;
}

/** Patterns are compared with paths in the form that `filesOf` gives them. */
function exclusionsOf(
  patterns: readonly string[],
  folder: string,
): Result<Exclusion[], readonly ItemListProblem[]> {
  const exclusions: Exclusion[] = [];
  for (const pattern of patterns) {
    const glob = pattern.slice(1);
    const base = globBase(glob);
    const matches = matchOf(baseOf(base, folder) + glob.slice(base.length), { dot: true });
    if (!matches.ok) return problem('SL107', `${said(pattern)} ${matches.error}`, patternHint);
    exclusions.push({ pattern, matches: matches.value, hits: 0 });
  }
  return ok(exclusions);
}

interface Found {
  readonly paths: readonly string[];
  readonly odd: readonly Odd[];
}

/** Paths are relative to the folder of the pipeline file. */
async function filesOf(
  pattern: string,
  { folder, barred = () => undefined }: GlobSearch,
): Promise<Result<Found, ItemListProblem>> {
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
  const found = await findFiles(pattern.slice(base.length), root, barred);
  if (!found.ok)
    return err({ code: 'SL107', message: `${said(pattern)} ${found.error}`, hint: patternHint });
  return ok({
    paths: found.value.paths.map((path) => `${before}${path}`),
    odd: found.value.odd.map((one) => ({ ...one, path: `${before}${one.path}` })),
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
