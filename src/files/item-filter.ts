// Which items of a list a command covers: those whose keys match `--items`, not `--exclude`, up to `--limit`.
import { grouped } from '../base/grouped.ts';
import { err, ok, type Result } from '../base/result.ts';
import { suggestion } from '../contract/yaml/diagnostic.ts';
import { type Match, matchOf } from './glob.ts';
import type { ItemListProblem } from './item-source.ts';

export interface ItemFilter {
  /** Only items whose key matches this glob. */
  readonly only?: string | undefined;
  /** Without items whose key matches one of these globs. */
  readonly except?: readonly string[] | undefined;
  /** Only these keys. */
  readonly keys?: ReadonlySet<string> | undefined;
  /** Only this many items, from the start of the list. */
  readonly limit?: number | undefined;
  /**
   * The files come and go: nothing found is no error, a pattern may match nothing yet, and names of files that are still
   * being written are left out.
   */
  readonly growing?: boolean | undefined;
}

interface Excluded {
  readonly pattern: string;
  readonly matches: Match;
  hits: number;
}

/** The numbers of the items that are left, in order. `keys`: the numbers of all items, by key. */
export function chosenOf(
  keys: ReadonlyMap<string, number>,
  filter: ItemFilter,
): Result<readonly number[], ItemListProblem> {
  const { only, except = [], keys: wanted, limit = Number.POSITIVE_INFINITY } = filter;
  const mayBeEmpty = wanted !== undefined || filter.growing === true;
  const chosenBy = only === undefined ? ok(() => true) : keyMatch(only, keys);
  if (!chosenBy.ok) return problem(`--items ${short(only ?? '')} ${chosenBy.error}`, patternHint);
  const excluded: Excluded[] = [];
  for (const pattern of except) {
    const matches = keyMatch(pattern, keys);
    if (!matches.ok) return problem(`--exclude ${short(pattern)} ${matches.error}`, patternHint);
    excluded.push({ pattern, matches: matches.value, hits: 0 });
  }
  const chosen: number[] = [];
  for (const [key, number] of keys) {
    const against = excluded.filter((one) => one.matches(key));
    for (const one of against) one.hits += 1;
    if (against.length > 0 || !chosenBy.value(key) || wanted?.has(key) === false) continue;
    if (chosen.length < limit) chosen.push(number);
  }
  const idle = excluded.find(({ hits }) => hits === 0);
  if (idle !== undefined && filter.growing !== true)
    return problem(
      `--exclude ${idle.pattern}: there is no such step, and no item matches it`,
      likeKeys(idle.pattern, keys),
    );
  if (chosen.length === 0 && !mayBeEmpty)
    return only === undefined
      ? problem('no item is left', 'exclude less, or raise --limit')
      : problem(`no item matches --items ${short(only)}`, likeKeys(only, keys));
  return ok(chosen);
}

const problem = (message: string, hint: string): Result<never, ItemListProblem> =>
  err({ code: 'SL505', message, hint });

const patternHint = 'write a key, or a pattern such as "*.jpg"';

/** A pattern, shortened for a message. */
const short = (pattern: string): string =>
  pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern;

/** A pattern that equals a key selects that item alone. Any other pattern is a glob. */
function keyMatch(pattern: string, keys: ReadonlyMap<string, number>): Result<Match, string> {
  return keys.has(pattern) ? ok((key) => key === pattern) : matchOf(pattern, { dot: true });
}

const nearest = 2000;

/** Examples of keys, for a pattern that matches none. */
function likeKeys(pattern: string, keys: ReadonlyMap<string, number>): string {
  const some = [...keys.keys()].slice(0, nearest);
  const shown = some.slice(0, 3).map((key) => JSON.stringify(key));
  const near = suggestion(pattern, some);
  const looks = `keys look like ${shown.join(', ')}${keys.size > 3 ? `, … (${grouped(keys.size)} in all)` : ''}`;
  return near === undefined ? looks : `${near} ${looks[0]?.toUpperCase() ?? ''}${looks.slice(1)}`;
}
