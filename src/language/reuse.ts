// The file as it is run: a profile and the defaults applied, `x-` keys left out. All later checks see a file without any of
// these.
import { isObject, type Json } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { kindNamed } from '../contract/kinds.ts';
import {
  type Diagnostic,
  errorAt,
  listing,
  type Path,
  suggestion,
} from '../contract/yaml/diagnostic.ts';
import { shapeProblems } from '../contract/yaml/shape.ts';
import type { Source } from '../contract/yaml/source.ts';
import { extensionPrefix, profileFields, reuseFields, reuseSchema } from './schema.ts';
import { kindHint } from './shape.ts';

interface ResolvedFile {
  readonly source: Source;
  readonly problems: readonly Diagnostic[];
  /** The names of all profiles. */
  readonly profiles: readonly string[];
  /** The first profile with the output folder that the chosen profile sets; undefined: it sets none. */
  readonly outputProfile: string | undefined;
}

/** The error has what is wrong with the shape of defaults and profiles. Without their values, other checks would only cause more errors. */
export function resolveReuse(
  main: Source,
  profile?: string,
): Result<ResolvedFile, readonly Diagnostic[]> {
  const keys = isObject(main.value) ? Object.keys(main.value) : undefined;
  if (keys === undefined || (profile === undefined && !keys.some(isReuse)))
    return ok({ source: main, problems: [], profiles: [], outputProfile: undefined });
  const misshapen = shapeProblems(reuseSchema, main);
  if (misshapen.length > 0) return err(misshapen);

  const written: Placed = { at: [], value: main.value };
  const profiles = [...membersOf(memberOf(written, 'profiles')).keys()];
  const problems: Diagnostic[] = [];
  const chosen = profile === undefined ? written : withProfile(written, profile, main, problems);
  // A profile may change `defaults:`, which must still be right.
  const changed = profile === undefined ? [] : shapeProblems(reuseSchema, sourceOf(chosen, main));
  if (changed.length > 0) return err([...problems, ...changed]);
  problems.push(...checkDefaults(chosen, main));
  const source = sourceOf(withoutReuse(withDefaults(chosen)), main);
  return ok({ source, problems, profiles, outputProfile: outputProfileOf(written, profile) });
}

const isReuse = (key: string): boolean =>
  Object.hasOwn(reuseFields, key) || key.startsWith(extensionPrefix);

const withoutReuse = (root: Placed): Placed =>
  objectAt(root, new Map([...membersOf(root)].filter(([key]) => !isReuse(key))));

// `defaults:`: values for all steps, and for all steps of a kind, that do not set them.

/** The file with its defaults in the steps and in `limits`. */
function withDefaults(root: Placed): Placed {
  const defaults = memberOf(root, 'defaults');
  if (defaults === undefined || !isMap(defaults)) return root;
  const members = new Map(membersOf(root));
  const steps = members.get('steps');
  if (steps !== undefined && isMap(steps)) {
    const full = [...membersOf(steps)].map(
      ([name, step]) => [name, stepOver(step, defaults)] as const,
    );
    members.set('steps', objectAt(steps, new Map(full)));
  }
  const limits = memberOf(defaults, 'limits');
  if (limits !== undefined) {
    // `checkDefaults` reports the others.
    const known = [...membersOf(limits)].filter(([kind]) => kindNamed(kind) !== undefined);
    const below = objectAt(defaults, new Map([['steps', objectAt(limits, new Map(known))]]));
    const own = members.get('limits');
    members.set('limits', own === undefined ? below : merged(below, own, 'over'));
  }
  return objectAt(root, members);
}

function stepOver(step: Placed, defaults: Placed): Placed {
  if (!isMap(step)) return step;
  const uses = memberOf(step, 'uses');
  const kind = uses === undefined ? '' : String(jsonOf(uses));
  // Only a project has a timeout.
  const isTool = kindNamed(kind)?.operation === 'create';
  const general = picked(defaults, isTool ? ['retry', 'timeout'] : ['retry']);
  const ofKind = memberOf(defaults, 'kinds', kind);
  const below =
    ofKind === undefined
      ? general
      : merged(general, picked(ofKind, ['with', 'retry', 'timeout', 'estimate']), 'over');
  if (membersOf(below).size === 0) return step;
  const full = merged(below, step, 'over');
  // The step's own fields first, for people who read the file as it is run.
  const order = new Set([...membersOf(step).keys(), ...membersOf(full).keys()]);
  return picked(full, [...order]);
}

const picked = (placed: Placed, keys: readonly string[]): Placed => {
  const members = membersOf(placed);
  return objectAt(
    placed,
    new Map(
      keys.flatMap((key): [string, Placed][] => {
        const value = members.get(key);
        return value === undefined ? [] : [[key, value]];
      }),
    ),
  );
};

/** A default for a kind that does not exist would silently change nothing. */
function checkDefaults(root: Placed, main: Source): readonly Diagnostic[] {
  return ['limits', 'kinds'].flatMap((field) =>
    [...membersOf(memberOf(root, 'defaults', field))]
      .filter(([name]) => kindNamed(name) === undefined)
      .map(([name, { at }]) => {
        const message = `defaults.${field}: ${JSON.stringify(name)} is not a step kind`;
        const finding = { code: 'SL110', message, hint: kindHint(name) } as const;
        return errorAt(main.file, main.keySpanOf(at), finding);
      }),
  );
}

// `profiles:`: changes of the file, of which `--profile` chooses one.

/** Profiles with one output folder share it in a rehearsal, too. */
function outputProfileOf(root: Placed, chosen: string | undefined): string | undefined {
  const outputs = [...membersOf(memberOf(root, 'profiles'))].map(([name, profile]) => {
    const output = memberOf(profile, 'output');
    return { name, output: output && jsonOf(output) };
  });
  const own = outputs.find(({ name }) => name === chosen)?.output;
  return own === undefined ? undefined : outputs.find(({ output }) => output === own)?.name;
}

/** The file with the changes of a profile, whose steps must exist. */
function withProfile(root: Placed, name: string, main: Source, problems: Diagnostic[]): Placed {
  const profile = memberOf(root, 'profiles', name);
  if (profile === undefined) {
    problems.push(noProfile(name, membersOf(memberOf(root, 'profiles')), main));
    return root;
  }
  const steps = membersOf(memberOf(root, 'steps'));
  const known = (changed: Placed): Placed => {
    const all = [...membersOf(changed)];
    for (const [step, { at }] of all)
      if (!steps.has(step)) problems.push(noStep(name, step, steps, main, at));
    return objectAt(changed, new Map(all.filter(([step]) => steps.has(step))));
  };
  const fields = [...membersOf(profile)].filter(([key]) => Object.hasOwn(profileFields, key));
  const changes = fields.map(
    ([key, value]) => [key, key === 'steps' ? known(value) : value] as const,
  );
  const changed = merged(root, objectAt(profile, new Map(changes)), 'below');
  const values = memberOf(profile, 'with');
  if (values === undefined) return changed;
  // `{ edit: { model } }` as `{ edit: { with: { model } } }`.
  const ofSteps = [...membersOf(known(values))].map(
    ([step, value]) => [step, objectAt(value, new Map([['with', value]]))] as const,
  );
  const below = objectAt(profile, new Map([['steps', objectAt(values, new Map(ofSteps))]]));
  return merged(changed, below, 'below');
}

function noProfile(name: string, known: Members, main: Source): Diagnostic {
  const hint =
    suggestion(name, known.keys()) ??
    (known.size === 0
      ? 'remove --profile, or add profiles: to the file'
      : `profiles: ${listing(known.keys())}`);
  const message = `--profile ${name}: the pipeline has no such profile`;
  const span = main.keySpanOf([known.size === 0 ? 'pipeline' : 'profiles']);
  return errorAt(main.file, span, { code: 'SL912', message, hint });
}

function noStep(profile: string, step: string, known: Members, main: Source, at: Path): Diagnostic {
  const message = `profile "${profile}": there is no step "${step}"`;
  const hint = suggestion(step, known.keys()) ?? `steps: ${listing(known.keys())}`;
  return errorAt(main.file, main.keySpanOf(at), { code: 'SL913', message, hint });
}

// A value with the places where its parts were written, so that a problem in a merged value is shown where the value comes
// from.

type Placed =
  /** Written as it is; the parts of the value are at the same paths below `at`. */
  | { readonly at: Path; readonly value: Json }
  /** Merged; each member has a place of its own. */
  | { readonly at: Path; readonly members: Members };

type Members = ReadonlyMap<string, Placed>;

/** At the place of another value. */
const objectAt = ({ at }: Placed, members: Members): Placed => ({ at, members });

const isMap = (placed: Placed): boolean => 'members' in placed || isObject(placed.value);

/** None for other values than objects. */
function membersOf(placed: Placed | undefined): Members {
  if (placed === undefined) return new Map();
  if ('members' in placed) return placed.members;
  const { at, value } = placed;
  if (!isObject(value)) return new Map();
  return new Map(
    Object.entries(value).map(([key, member]) => [key, { at: [...at, key], value: member }]),
  );
}

const memberOf = (placed: Placed | undefined, ...keys: readonly string[]): Placed | undefined =>
  keys.reduce((outer, key) => membersOf(outer).get(key), placed);

const jsonOf = (placed: Placed): Json =>
  'members' in placed
    ? Object.fromEntries([...placed.members].map(([key, member]) => [key, jsonOf(member)]))
    : placed.value;

/**
 * One value over another. Objects are merged key by key; other values and lists replace what is below. `null` removes what is
 * below; where nothing is below, it stays as it was written. A merged object is at the place of `home`.
 */
function merged(below: Placed, over: Placed, home: 'below' | 'over'): Placed {
  if (!isMap(below) || !isMap(over)) return over;
  const members = new Map(membersOf(below));
  for (const [key, value] of membersOf(over)) {
    const own = members.get(key);
    if (own !== undefined && 'value' in value && value.value === null) members.delete(key);
    else members.set(key, own === undefined ? value : merged(own, value, home));
  }
  return objectAt(home === 'over' ? over : below, members);
}

/** A source with the merged value, and the places where its parts were written. */
const sourceOf = (root: Placed, main: Source): Source => ({
  file: main.file,
  text: main.text,
  value: jsonOf(root),
  spanOf: (path) => main.spanOf(originOf(root, path)),
  keySpanOf: (path) => main.keySpanOf(originOf(root, path)),
  spanInside: (path, part, start, end) => main.spanInside(originOf(root, path), part, start, end),
});

/** Where the value at a path was written, or would have been. */
function originOf(root: Placed, path: Path): Path {
  let placed = root;
  for (const [depth, key] of path.entries()) {
    const next = 'members' in placed ? placed.members.get(String(key)) : undefined;
    if (next === undefined) return [...placed.at, ...path.slice(depth)];
    placed = next;
  }
  return placed.at;
}
