// `profiles:`: changes of the file, of which `--profile` chooses one.
import type { Json } from '../../../contract/base/json.ts';
import { type Diagnostic, listing, suggestion } from '../../../contract/yaml/diagnostic.ts';
import type { Source } from '../../../contract/yaml/source.ts';
import {
  jsonOf,
  type Members,
  memberOf,
  membersOf,
  merged,
  objectAt,
  type Placed,
  spanOf,
} from './placed.ts';
import { profileFields } from './reuse-schema.ts';

export const profileNames = (root: Placed): readonly string[] => [
  ...(membersOf(memberOf(root, 'profiles'))?.keys() ?? []),
];

/** Profiles with one output folder share it in a rehearsal, too. */
export function outputProfileOf(root: Placed, chosen: string | undefined): string | undefined {
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
export function withProfile(
  root: Placed,
  name: string,
  main: Source,
  problems: Diagnostic[],
): Placed {
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
  return { severity: 'error', code: 'SL912', file: main.file, span, message, hint };
}

function noStep(
  profile: string,
  step: string,
  known: Members,
  at: Placed,
  main: Source,
): Diagnostic {
  return {
    severity: 'error',
    code: 'SL913',
    file: main.file,
    span: spanOf(at, 'key', main),
    message: `profile "${profile}": there is no step "${step}"`,
    hint: suggestion(step, known.keys()) ?? `steps: ${listing(known.keys())}`,
  };
}
