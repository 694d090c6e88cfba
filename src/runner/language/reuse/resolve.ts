// The file as it is run: `x-` keys left out, fragments included, the profile and the defaults
// applied. All later checks see a file without any of these.
import { isObject } from '../../../contract/base/json.ts';
import { validatorOf } from '../../../contract/base/schema.ts';
import type { Diagnostic } from '../../../contract/yaml/diagnostic.ts';
import { diagnose } from '../../../contract/yaml/shape.ts';
import type { Source } from '../../../contract/yaml/source.ts';
import { withoutEchoes } from '../../../contract/yaml/unknown-key.ts';
import { checkDefaults, withDefaults } from './defaults.ts';
import type { FragmentFiles } from './fragment-files.ts';
import { Includes } from './include.ts';
import { membersOf, objectAt, type Placed, placedRoot, sourceOf } from './placed.ts';
import { outputProfileOf, profileNames, withProfile } from './profile.ts';
import { extensionPrefix, reuseFields, reuseSchema } from './reuse-schema.ts';

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
    ...{ source: main, problems: [], complete: true },
    ...{ profiles: [], outputProfile: undefined },
  };
  if (!isObject(main.value)) return unchanged;
  const reuses = Object.keys(main.value).some(isReuse);
  if (!reuses && profile === undefined) return unchanged;
  const problems = shapeProblems(main);
  const written = placedRoot(main);
  const profiles = profileNames(written);
  const outputProfile = outputProfileOf(written, profile);
  const names = { profiles, outputProfile };
  if (problems.length > 0) return { source: main, problems, complete: false, ...names };

  const includes = new Includes(fragments);
  const included = withSteps(written, includes.stepsOf(written));
  problems.push(...includes.problems);
  const chosen = profile === undefined ? included : withProfile(included, profile, main, problems);
  const changed = profile === undefined ? [] : reshaped(chosen, main);
  problems.push(...changed);
  if (changed.length > 0) return { source: main, problems, complete: false, ...names };
  problems.push(...checkDefaults(chosen, main));
  const source = sourceOf(withoutReuse(withDefaults(chosen)), main);
  return { source, problems, complete: includes.problems.length === 0, ...names };
}

const isReuse = (key: string): boolean =>
  Object.hasOwn(reuseFields, key) || key.startsWith(extensionPrefix);

function shapeProblems(source: Source): Diagnostic[] {
  const validate = validatorOf(reuseSchema);
  validate(source.value);
  return withoutEchoes(validate.errors ?? []).map((error) => diagnose(error, source));
}

/** A profile may change `defaults:`, which must still be right. */
const reshaped = (chosen: Placed, main: Source): readonly Diagnostic[] =>
  shapeProblems(sourceOf(chosen, main));

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
