// Which steps run once for each element of a list: those with `for_each`, and those that follow one. Which steps gather the
// outputs of all items or all elements. Both follow from the references alone.
import { isObject, type Json } from '../base/json.ts';
import {
  type Diagnostic,
  type Finding,
  listing,
  nearest,
  type Path,
  type Span,
  suggestion,
} from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import {
  type Draft,
  gatheredBy,
  isInList,
  type PlacedReference,
  readElementwise,
  readsEach,
  stepsIn,
  targetOf,
} from './draft.ts';
import { gathered } from './reference.ts';
import type { Template } from './template.ts';

export interface FanOuts {
  /** The fan-outs to which a step belongs, by the names of their steps with `for_each`. More than one is an error. */
  of(step: string): readonly string[];
  /** The other fan-outs that a step with `for_each` would have to follow, which is an error. */
  around(step: string): readonly string[];
}

export function fanOutsOf(drafts: ReadonlyMap<string, Draft>): FanOuts {
  const of = new Map<string, readonly string[]>();
  const around = new Map<string, readonly string[]>();
  const visit = (name: string): readonly string[] => {
    const known = of.get(name);
    const draft = drafts.get(name);
    if (known !== undefined || draft === undefined) return known ?? [];
    // A cycle ends here, and is reported elsewhere.
    of.set(name, draft.list === undefined ? [] : [name]);
    const followed = [...new Set(readElementwise(draft).flatMap(visit))];
    if (draft.list === undefined) of.set(name, followed);
    else
      around.set(
        name,
        followed.filter((fan) => fan !== name),
      );
    return of.get(name) ?? [];
  };
  for (const name of drafts.keys()) visit(name);
  return { of: (step) => of.get(step) ?? [], around: (step) => around.get(step) ?? [] };
}

/** The steps that the list of a step's fan-out reads, if the step reads `each`: its requests need them, too. */
export function listUses(
  draft: Draft,
  fans: FanOuts,
  drafts: ReadonlyMap<string, Draft>,
): readonly string[] {
  const [fan] = readsEach(draft) ? fans.of(draft.name) : [];
  return stepsIn(drafts.get(fan ?? '')?.references.filter(isInList) ?? []);
}

const always = ['value', 'index'];

/** The fields of `each`, as far as the list alone shows them; undefined if only a run does. */
function eachFields({ list, raw }: Draft): readonly string[] | undefined {
  if (list === undefined) return undefined;
  const written = raw['for_each'];
  if (Array.isArray(written))
    return list.kind === 'list' && list.items.every(({ kind }) => kind !== 'expression')
      ? [
          ...always,
          ...new Set(written.flatMap((one: Json) => (isObject(one) ? Object.keys(one) : []))),
        ]
      : undefined;
  if (list.kind !== 'expression') return undefined;
  const [, output = ''] =
    /^\s*steps(?:\.\w+|\["[^"]+"\])\.(downloads|faces)\s*$/.exec(list.expression.text) ?? [];
  if (output === 'downloads') return [...always, 'url', 'expires_at'];
  return output === 'faces' ? [...always, 'path', 'url'] : undefined;
}

// Checks of fan-outs and fan-ins: which steps may follow which, and where `each`, `all` and `on_missing` mean something.

interface Steps {
  readonly drafts: ReadonlyMap<string, Draft>;
  readonly fans: FanOuts;
  readonly shared: ReadonlySet<string>;
  readonly hasItems: boolean;
  readonly source: Source;
}

type FindingAt = Finding & { readonly span: Span };

export function checkFanOuts(steps: Steps): readonly Diagnostic[] {
  const { file } = steps.source;
  return [...steps.drafts.values()].flatMap((draft) =>
    [
      ...aboutList(draft, steps),
      ...aboutFollowing(draft, steps),
      ...aboutEach(draft, steps),
      ...aboutGathering(draft, steps),
    ].map((finding): Diagnostic => ({ severity: 'error', file, ...finding })),
  );
}

const placeOf = ({ name }: Draft, ...below: Path): Path => ['steps', name, ...below];

const at = ({ path, text, start, end }: PlacedReference, source: Source): Span =>
  source.spanInside(path, text, start, end);

function* aboutList(draft: Draft, { fans, source }: Steps): Generator<FindingAt> {
  const { list, kind, name } = draft;
  if (list === undefined) return;
  const span = source.keySpanOf(placeOf(draft, 'for_each'));
  if (kind?.operation === 'download' || kind?.operation === 'delete')
    return yield {
      code: 'SL111',
      span,
      message: `step "${name}": for_each is not for ${kind.name}, which follows the fan-out of its of: by itself`,
      hint: 'remove for_each:',
    };
  if (isText(list))
    yield {
      code: 'SL103',
      span: source.spanOf(placeOf(draft, 'for_each')),
      message: `step "${name}": for_each is a text; it must be a list, or one expression that is a list`,
      hint: 'for example for_each: ${{ steps.img.downloads }}',
    };
  const [outer] = fans.around(name);
  if (outer !== undefined)
    yield {
      code: 'SL221',
      span,
      message: `step "${name}" has a for_each inside the fan-out of "${outer}", and fan-outs cannot be nested`,
      hint: `remove for_each: to follow ${outer}, or use a list over all its elements: steps.<name>.all`,
    };
}

/** Without the texts in which an expression is wrong: that is another problem. */
const isText = (list: Template): boolean =>
  list.kind === 'value' ||
  list.kind === 'object' ||
  (list.kind === 'text' && list.parts.some((part) => typeof part === 'string'));

function* aboutFollowing(draft: Draft, { fans, shared, source }: Steps): Generator<FindingAt> {
  const { name, kind } = draft;
  const [one, other] = fans.of(name);
  if (one === undefined || draft.list !== undefined) return;
  const span = source.keySpanOf(placeOf(draft));
  // A step that only follows one with this mistake would repeat the message.
  const isRepeated = readElementwise(draft).some((step) => fans.of(step).length > 1);
  if (other !== undefined && isRepeated) return;
  if (other !== undefined)
    return yield {
      code: 'SL222',
      span,
      message: `step "${name}" follows two fan-outs, of "${one}" and of "${other}"`,
      hint: `use all elements of one of them: steps.<name>.all`,
    };
  const follows = (step: string): boolean => fans.of(step).includes(one);
  const repeats = readElementwise(draft).some((step) => !shared.has(step) && follows(step));
  if (!shared.has(name) && shared.has(one) && repeats) return;
  if (!shared.has(name) && shared.has(one))
    return yield {
      code: 'SL223',
      span,
      message: `step "${name}" runs for each item, and follows the fan-out of "${one}", which runs once for all items`,
      hint: `use all its elements, steps.<name>.all, or give "${name}" a for_each of its own`,
    };
  const of = targetOf(draft);
  if (of !== undefined && fans.of(of).length === 0)
    return yield {
      code: 'SL224',
      span: source.spanOf(placeOf(draft, 'with', 'of')),
      message: `step "${name}" follows the fan-out of "${one}", and "${of}" is not part of it: ${kind?.name} would do the same for each element`,
      hint: `refer to no element of ${one}`,
    };
  if (kind?.operation !== 'download') return;
  const tells = draft.references.some(
    ({ root, key, field, path }) =>
      path[2] === 'with' &&
      path[3] === 'to' &&
      (root === 'each' ||
        (root === 'steps' && field !== gathered && fans.of(key ?? '').length > 0)),
  );
  if (!tells)
    yield {
      code: 'SL510',
      span: source.spanOf(placeOf(draft, 'with', 'to')),
      message: `step "${name}" follows the fan-out of "${one}", and every element would write the same file`,
      hint: 'add the number of the element to to:, for example "picture-${{ each.index }}.png"',
    };
}

/** True if a misspelled name, which is reported, may be why a step is in no fan-out. */
const mayFollow = (draft: Draft, drafts: ReadonlyMap<string, Draft>): boolean =>
  readElementwise(draft).some((name) => !drafts.has(name)) ||
  Object.keys(draft.raw).some((key) => nearest(key, ['for_each']) !== undefined);

function* aboutEach(draft: Draft, { fans, drafts, source }: Steps): Generator<FindingAt> {
  if (!readsEach(draft)) return;
  const [fan] = fans.of(draft.name);
  const root = fan === undefined ? undefined : drafts.get(fan);
  if (root === undefined && mayFollow(draft, drafts)) return;
  const fields = root === undefined ? undefined : eachFields(root);
  for (const reference of draft.references) {
    if (reference.root !== 'each') continue;
    const { key, path } = reference;
    if (root === undefined || (path[2] === 'for_each' && path[1] === fan))
      yield {
        code: 'SL219',
        span: at(reference, source),
        message:
          'there is no each: it exists only in a step with for_each, and in steps that follow one',
        hint: 'add for_each: to the step, or read an output of a step that has it',
      };
    else if (key !== undefined && fields !== undefined && !fields.includes(key))
      yield {
        code: 'SL220',
        span: at(reference, source),
        message: `each has no "${key}"`,
        hint: suggestion(key, fields) ?? `known: ${listing(fields)}`,
      };
  }
}

function* aboutGathering(draft: Draft, steps: Steps): Generator<FindingAt> {
  const { fans, shared, drafts, hasItems, source } = steps;
  const { name, references, raw } = draft;
  const gathers = gatheredBy(references);
  if (gathers.length === 0 && raw['on_missing'] !== undefined && isObject(raw))
    yield {
      code: 'SL225',
      span: source.keySpanOf(placeOf(draft, 'on_missing')),
      message: `step "${name}": on_missing is for a step that reads steps.<name>.all, and this one does not`,
      hint: 'remove on_missing:',
    };
  for (const reference of references) {
    const { root, key = '', field } = reference;
    if (root !== 'steps' || field !== gathered || !drafts.has(key)) continue;
    const span = at(reference, source);
    const [fan] = fans.of(key);
    if (fan !== undefined) {
      if (fans.of(name).includes(fan))
        yield {
          code: 'SL226',
          span,
          message: `step "${name}" reads all elements of "${key}", and follows its fan-out element by element`,
          hint: 'do one of the two',
        };
    } else if (!hasItems || shared.has(key))
      yield {
        code: 'SL227',
        span,
        message: `steps.${key}.all: "${key}" runs only once`,
        hint: `write steps.${key}.<output>`,
      };
    else if (!shared.has(name))
      yield {
        code: 'SL228',
        span,
        message: `step "${name}" runs for each item, and reads "${key}" of all items`,
        hint: `read it in a step that refers to no item, or write steps.${key}.<output> for this item`,
      };
  }
}
