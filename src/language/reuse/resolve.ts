// The file as it is run: `x-` keys left out, fragments included, the profile and the defaults
// applied. All later checks see a file without any of these.
import { isObject, type Json } from '../../base/json.ts';
import { kindNamed } from '../../contract/kinds.ts';
import { type Diagnostic, errorAt, listing, suggestion } from '../../contract/yaml/diagnostic.ts';
import { shapeProblems } from '../../contract/yaml/shape.ts';
import type { Source } from '../../contract/yaml/source.ts';
import { kindHint } from '../shape.ts';
import { type FragmentFiles, Includes } from './include.ts';
import {
  errorAtPlaced,
  jsonOf,
  type Members,
  memberOf,
  membersOf,
  merged,
  objectAt,
  type Placed,
  placedRoot,
  sourceOf,
  textOf,
} from './placed.ts';
import { extensionPrefix, profileFields, reuseFields, reuseSchema } from './reuse-schema.ts';

export interface ReuseOptions {
  /** The name after `--profile`. */
  readonly profile?: string | undefined;
  /** Without it, the file can include nothing. */
  readonly fragments?: FragmentFiles | undefined;
}

export interface ResolvedFile {
  /** The file as it is run; the file as it was written if what it reuses cannot be used. */
  readonly source: Source;
  readonly problems: readonly Diagnostic[];
  /** False if the steps are incomplete, so that other checks would only cause more errors. */
  readonly complete: boolean;
  /** The names of all profiles. */
  readonly profiles: readonly string[];
  /** The first profile with the output folder that the chosen profile sets; undefined: it sets none. */
  readonly outputProfile: string | undefined;
}

export function resolveReuse(
  main: Source,
  { profile, fragments }: ReuseOptions = {},
): ResolvedFile {
  const unchanged = {
    source: main,
    problems: [],
    complete: true,
    profiles: [],
    outputProfile: undefined,
  };
  if (!isObject(main.value)) return unchanged;
  const reuses = Object.keys(main.value).some(isReuse);
  if (!reuses && profile === undefined) return unchanged;
  const problems = [...shapeProblems(reuseSchema, main)];
  const written = placedRoot(main);
  const profiles = profileNames(written);
  const outputProfile = outputProfileOf(written, profile);
  const names = { profiles, outputProfile };
  if (problems.length > 0) return { source: main, problems, complete: false, ...names };

  const includes = new Includes(fragments);
  const included = withSteps(written, includes.stepsOf(written));
  problems.push(...includes.problems);
  const chosen = profile === undefined ? included : withProfile(included, profile, main, problems);
  // A profile may change `defaults:`, which must still be right.
  const changed = profile === undefined ? [] : shapeProblems(reuseSchema, sourceOf(chosen, main));
  problems.push(...changed);
  if (changed.length > 0) return { source: main, problems, complete: false, ...names };
  problems.push(...checkDefaults(chosen, main));
  const source = sourceOf(withoutReuse(withDefaults(chosen)), main);
  return { source, problems, complete: includes.problems.length === 0, ...names };
}

const isReuse = (key: string): boolean =>
  Object.hasOwn(reuseFields, key) || key.startsWith(extensionPrefix);

/** Included steps come first: what follows may use them. */
function withSteps(root: Placed, included: ReadonlyMap<string, Placed>): Placed {
  if (included.size === 0) return root;
  const members = new Map(membersOf(root));
  const written = members.get('steps') ?? root;
  const own = membersOf(members.get('steps'));
  if (own === undefined && members.has('steps')) return root;
  return objectAt(
    root,
    members.set('steps', objectAt(written, new Map([...included, ...(own ?? [])]))),
  );
}

const withoutReuse = (root: Placed): Placed =>
  objectAt(root, new Map([...(membersOf(root) ?? [])].filter(([key]) => !isReuse(key))));

// `defaults:`: values for all steps, and for all steps of a kind, that do not set them.

/** The file with its defaults in the steps and in `limits`. */
function withDefaults(root: Placed): Placed {
  const members = new Map(membersOf(root));
  const defaults = members.get('defaults');
  if (membersOf(defaults) === undefined || defaults === undefined) return root;
  const steps = members.get('steps');
  const own = membersOf(steps);
  if (steps !== undefined && own !== undefined)
    members.set(
      'steps',
      objectAt(steps, new Map([...own].map(([name, step]) => [name, stepOver(step, defaults)]))),
    );
  const limits = memberOf(defaults, 'limits');
  if (limits !== undefined) {
    // `checkDefaults` reports the others.
    const known = [...(membersOf(limits) ?? [])].filter(([kind]) => kindNamed(kind) !== undefined);
    const below = objectAt(defaults, new Map([['steps', objectAt(limits, new Map(known))]]));
    const written = members.get('limits');
    members.set('limits', written === undefined ? below : merged(below, written, 'over'));
  }
  return objectAt(root, members);
}

function stepOver(step: Placed, defaults: Placed): Placed {
  if (membersOf(step) === undefined) return step;
  const kind = textOf(memberOf(step, 'uses')) ?? '';
  const ofKind = memberOf(defaults, 'kinds', kind);
  const general = pick(
    defaults,
    ['retry', 'timeout'].filter((key) => hasUse(key, kind)),
  );
  const below = ofKind === undefined ? general : merged(general, pick(ofKind, ofKinds), 'over');
  return (membersOf(below)?.size ?? 0) === 0 ? step : inOrderOf(step, merged(below, step, 'over'));
}

/** The step's own fields first, for people who read the file as it is run. */
function inOrderOf(step: Placed, full: Placed): Placed {
  const members = new Map(membersOf(full));
  const own = [...(membersOf(step)?.keys() ?? [])].flatMap((key): [string, Placed][] => {
    const value = members.get(key);
    return value === undefined ? [] : [[key, value]];
  });
  return objectAt(full, new Map([...own, ...members]));
}

/** Only a project has a timeout. */
const hasUse = (key: string, kind: string): boolean =>
  key !== 'timeout' || kindNamed(kind)?.operation === 'create';

const ofKinds: readonly string[] = ['with', 'retry', 'timeout', 'estimate'];

const pick = (placed: Placed, keys: readonly string[]): Placed =>
  objectAt(placed, new Map([...(membersOf(placed) ?? [])].filter(([key]) => keys.includes(key))));

/** A default for a kind that does not exist would silently change nothing. */
function checkDefaults(root: Placed, main: Source): readonly Diagnostic[] {
  return ['limits', 'kinds'].flatMap((field) =>
    [...(membersOf(memberOf(root, 'defaults', field)) ?? [])]
      .filter(([name]) => kindNamed(name) === undefined)
      .map(([name, value]): Diagnostic => {
        const message = `defaults.${field}: ${JSON.stringify(name)} is not a step kind`;
        const finding = { code: 'SL110', message, hint: kindHint(name) } as const;
        return errorAtPlaced(value, 'key', finding, main);
      }),
  );
}

// `profiles:`: changes of the file, of which `--profile` chooses one.

const profileNames = (root: Placed): readonly string[] => [
  ...(membersOf(memberOf(root, 'profiles'))?.keys() ?? []),
];

/** Profiles with one output folder share it in a rehearsal, too. */
function outputProfileOf(root: Placed, chosen: string | undefined): string | undefined {
  const outputOf = (name: string): Json | undefined => {
    const output = memberOf(root, 'profiles', name, 'output');
    return output && jsonOf(output);
  };
  const output = chosen === undefined ? undefined : outputOf(chosen);
  return output === undefined
    ? undefined
    : profileNames(root).find((name) => outputOf(name) === output);
}

/** The file with the changes of a profile, whose steps must exist. `root` has the steps of fragments. */
function withProfile(root: Placed, name: string, main: Source, problems: Diagnostic[]): Placed {
  const profile = memberOf(root, 'profiles', name);
  if (profile === undefined) {
    problems.push(noProfile(name, profileNames(root), main));
    return root;
  }
  const fields = membersOf(profile) ?? new Map<string, Placed>();
  const own = membersOf(memberOf(root, 'steps')) ?? new Map<string, Placed>();
  const known = (steps: Placed): Placed => {
    const all = [...(membersOf(steps) ?? [])];
    for (const [step, value] of all)
      if (!own.has(step)) problems.push(noStep(name, step, own, value, main));
    return objectAt(steps, new Map(all.filter(([step]) => own.has(step))));
  };
  const changes = new Map(
    [...fields]
      .filter(([key]) => Object.hasOwn(profileFields, key))
      .map(([key, value]) => [key, key === 'steps' ? known(value) : value]),
  );
  const changed = merged(root, objectAt(profile, changes), 'below');
  const values = fields.get('with');
  if (values === undefined) return changed;
  return merged(changed, objectAt(profile, new Map([['steps', withOf(known(values))]])), 'below');
}

/** `{ edit: { model } }` as `{ edit: { with: { model } } }`. */
const withOf = (values: Placed): Placed =>
  objectAt(
    values,
    new Map(
      [...(membersOf(values) ?? [])].map(([step, value]): [string, Placed] => [
        step,
        objectAt(value, new Map([['with', value]])),
      ]),
    ),
  );

function noProfile(name: string, known: readonly string[], main: Source): Diagnostic {
  const hint =
    suggestion(name, known) ??
    (known.length === 0
      ? 'remove --profile, or add profiles: to the file'
      : `profiles: ${listing(known)}`);
  const message = `--profile ${name}: the pipeline has no such profile`;
  const span = main.keySpanOf([known.length === 0 ? 'pipeline' : 'profiles']);
  return errorAt(main.file, span, { code: 'SL912', message, hint });
}

function noStep(
  profile: string,
  step: string,
  known: Members,
  at: Placed,
  main: Source,
): Diagnostic {
  const message = `profile "${profile}": there is no step "${step}"`;
  const hint = suggestion(step, known.keys()) ?? `steps: ${listing(known.keys())}`;
  return errorAtPlaced(at, 'key', { code: 'SL913', message, hint }, main);
}
