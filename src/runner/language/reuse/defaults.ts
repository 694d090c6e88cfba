// `defaults:`: values for all steps, and for all steps of a kind, that do not set them.
import { kindNamed, kinds } from '../../../contract/kinds/all.ts';
import { type Diagnostic, suggestion } from '../../../contract/yaml/diagnostic.ts';
import type { Source } from '../../../contract/yaml/source.ts';
import { memberOf, membersOf, merged, objectAt, type Placed, spanOf, textOf } from './placed.ts';

/** The file with its defaults in the steps and in `limits`. */
export function withDefaults(root: Placed): Placed {
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
export function checkDefaults(root: Placed, main: Source): readonly Diagnostic[] {
  return ['limits', 'kinds'].flatMap((field) =>
    [...(membersOf(memberOf(root, 'defaults', field)) ?? [])]
      .filter(([name]) => kindNamed(name) === undefined)
      .map(([name, value]): Diagnostic => {
        const hint =
          suggestion(
            name,
            kinds.map((kind) => kind.name),
          ) ?? 'shotlist tools lists the step kinds';
        const message = `defaults.${field}: ${JSON.stringify(name)} is not a step kind`;
        return {
          severity: 'error',
          code: 'SL110',
          file: main.file,
          span: spanOf(value, 'key', main),
          message,
          hint,
        };
      }),
  );
}
