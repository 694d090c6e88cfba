// What a step asks the service for, as far as it determines the result: the text whose hash is the fingerprint of a task.
import { type Digest, digestOf, digestOfBytes } from '../base/digest.ts';
import { isObject, type Json } from '../base/json.ts';
import { ok, type Result } from '../base/result.ts';
import { ignoredIn, type Schema } from '../base/schema.ts';
import type { Expression } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import type { Template, TemplateError } from '../language/template.ts';
import { cosmeticFields, type Fingerprint, fingerprintFrom } from '../model/fingerprint.ts';
import {
  escaped,
  isKnown,
  isList,
  isNamedObject,
  joined,
  type Maker,
  type Named,
  Open,
  piecesOf,
  textOf,
} from './names.ts';
import { compileNames, type Names, type Naming } from './naming.ts';

/**
 * The canonical text of a body: with defaults, without the fields that do not change a result, and with tokens for the outputs
 * of tasks, which are added to `reads`.
 */
export function requestText<M extends Maker>(
  step: Pick<Step, 'kind' | 'with'>,
  names: Names<M>,
  reads: Set<M>,
): Result<string, TemplateError> {
  const { kind, with: template } = step;
  const parts = compiled.get(template) ?? compile(template, kind.with);
  compiled.set(template, parts);
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const before = part.before.get(names);
    if (before !== undefined) {
      text += textFor(before, names, reads);
      continue;
    }
    const value = part.naming(names);
    if (!value.ok) {
      // The first error in the order of the file.
      const body = compileNames(template)(names);
      return body.ok ? value : body;
    }
    const counting = part.essential(value.value);
    const pieces = counting === undefined ? [] : piecesOf<M>(counting);
    text += joined(pieces, reads);
    part.before.keep(names, withSteps(pieces, names));
  }
  return ok(text);
}

/** Constant text, or a value that differs between items, and the part of it that counts. */
type Part = string | ValuePart;

interface ValuePart {
  readonly naming: Naming;
  readonly essential: (value: Named) => Named | undefined;
  readonly before: ForItems<Pieces>;
}

/** What was found of a template for the last item, and is right for the next one, too, if it reads the same. */
export class ForItems<T> {
  readonly #isSame: boolean;
  #last: { readonly names: Names; readonly value: T } | undefined;

  constructor(template: Template) {
    this.#isSame = isSameForItems(template);
  }

  get(names: Names): T | undefined {
    return this.#last !== undefined && areAlike(this.#last.names, names)
      ? this.#last.value
      : undefined;
  }

  keep(names: Names, value: T): void {
    if (this.#isSame) this.#last = { names, value };
  }
}

/** A text, and the steps whose fingerprints are in it. */
type Pieces = readonly (string | { readonly step: string })[];

function textFor<M extends Maker>(pieces: Pieces, names: Names<M>, reads: Set<M>): string {
  const made = pieces.map((piece) => {
    const maker = typeof piece === 'string' ? undefined : names.steps[piece.step];
    return isMaker(maker) ? maker : String(piece);
  });
  return joined(made, reads);
}

function withSteps(pieces: readonly (string | Maker)[], names: Names): Pieces {
  const steps = Object.entries(names.steps);
  const kept: Pieces[number][] = [];
  for (const piece of pieces) {
    const before = kept.at(-1);
    if (typeof piece !== 'string')
      kept.push({ step: steps.find(([, made]) => made === piece)?.[0] ?? '' });
    else if (typeof before === 'string') kept[kept.length - 1] = before + piece;
    else kept.push(piece);
  }
  return kept;
}

const isMaker = <M extends Maker>(made: M | readonly M[] | undefined): made is M =>
  made !== undefined && 'kind' in made;

/** What reads no item has the same shape in both. A list may be longer for another item. */
function areAlike(one: Names, other: Names): boolean {
  if (one.inputs !== other.inputs || one.env !== other.env || one.run !== other.run) return false;
  return Object.entries(one.steps).every(([step, made]) => {
    const now = other.steps[step];
    if (made === now) return true;
    return isMaker(made) && isMaker(now) && made.kind === now.kind && made.asked === now.asked;
  });
}

const ofItems: ReadonlySet<string> = new Set(['item', 'matrix', 'each']);

/** True if items differ by what makes the outputs that the value reads, and by nothing else. */
function isSameForItems(template: Template): boolean {
  const isSame = ({ references }: Expression): boolean =>
    !references.some(({ root }) => ofItems.has(root));
  switch (template.kind) {
    case 'value':
      return true;
    case 'expression':
      return isSame(template.expression);
    case 'text':
      return template.parts.every((part) => typeof part === 'string' || isSame(part));
    case 'list':
      return template.items.every(isSameForItems);
    case 'object':
      return template.fields.every(([, field]) => isSameForItems(field));
  }
}

const partOf = (template: Template, essential: ValuePart['essential']): ValuePart => ({
  naming: compileNames(template),
  essential,
  before: new ForItems(template),
});

const compiled = new WeakMap<Template, readonly Part[]>();

function compile(template: Template, schema: Schema): readonly Part[] {
  const cosmetic = cosmeticFields(schema);
  const parts: Part[] = [];
  let counting = template;
  if (template.kind === 'object') {
    // A value that does not count must exist all the same.
    for (const [name, field] of template.fields)
      if (cosmetic.has(name)) parts.push(partOf(field, () => undefined));
    const fields = template.fields.filter(([name]) => !cosmetic.has(name));
    counting = { kind: 'object', fields };
  }
  if (template.kind !== 'object' || isLookedAtAsAWhole(schema))
    parts.push(partOf(counting, (body) => essential(schema, body)));
  else add(counting, parts);
  return parts;
}

/** Which fields count depends on others, or fields may have to be added. */
function isLookedAtAsAWhole(schema: Schema): boolean {
  const inner = [schema['items'], ...Object.values(schemaIn(schema['properties']))];
  const isOneOf = inner.some((part) => isObject(part) && isLookedAtAsAWhole(part));
  return 'x-ignored' in schema || 'default' in schema || isOneOf;
}

function add(template: Template, parts: Part[]): void {
  switch (template.kind) {
    case 'value':
      return addText(textOf(template.value, new Set<Maker>()), parts);
    case 'list':
      addText('[', parts);
      for (const [index, item] of template.items.entries()) {
        if (index > 0) addText(',', parts);
        add(item, parts);
      }
      return addText(']', parts);
    case 'object': {
      const fields = template.fields.map(([name, field]) => [escaped(name), field] as const);
      addText('{', parts);
      for (const [index, [name, field]] of fields.toSorted(byName).entries()) {
        addText(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`, parts);
        add(field, parts);
      }
      return addText('}', parts);
    }
    case 'expression':
    case 'text':
      parts.push(partOf(template, (value) => value));
  }
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

function addText(text: string, parts: Part[]): void {
  const last = parts.at(-1);
  if (typeof last === 'string') parts[parts.length - 1] = last + text;
  else parts.push(text);
}

const schemaIn = (value: unknown): Schema => (isObject(value) ? value : {});

/** A value with the defaults of the objects in it, as far as it is known which objects there are. */
function complete(schema: Schema, value: Named): Named {
  if (isList(value)) return value.map((one) => complete(schemaIn(schema['items']), one));
  if (!isNamedObject(value)) return value;
  const whole: Record<string, Named> = { ...value };
  for (const [name, part] of Object.entries(schemaIn(schema['properties']))) {
    if (!isObject(part)) continue;
    const own = whole[name] === undefined ? part['default'] : whole[name];
    if (own !== undefined) whole[name] = complete(part, own);
  }
  return whole;
}

function essential(schema: Schema, body: Named): Named {
  let whole = complete(schema, body);
  for (const { field, unless, is } of ignoredIn(schema)) {
    const by = partAt(whole, unless.split('.'));
    if (!(by instanceof Open) && by !== is) whole = without(whole, field.split('.'));
  }
  for (const name of cosmeticFields(schema)) whole = without(whole, [name]);
  return whole;
}

/** A part of a value; what is open itself, if the part is in it. */
function partAt(value: Named | undefined, [key, ...below]: readonly string[]): Named | undefined {
  if (key === undefined || value === undefined || value instanceof Open) return value;
  return partAt(isNamedObject(value) && Object.hasOwn(value, key) ? value[key] : undefined, below);
}

function without(value: Named, [key = '', ...below]: readonly string[]): Named {
  if (!isNamedObject(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: member = null, ...others } = value;
  return below.length === 0 ? others : { ...value, [key]: without(member, below) };
}

/** The part that is known, for a price; undefined if nothing is. */
export function knownPart(value: Named): Json | undefined {
  if (isKnown(value)) return value;
  if (isList(value)) return value.map((one) => knownPart(one) ?? null);
  if (!isNamedObject(value)) return undefined;
  const known: [string, Json][] = [];
  for (const [name, field] of Object.entries(value)) {
    const part = knownPart(field);
    if (part !== undefined) known.push([name, part]);
  }
  return Object.fromEntries(known);
}

/** With an expression in place of everything open, which `knownBodyErrors` accepts anywhere. */
export function withExpressions(value: Named): Json {
  if (isKnown(value)) return value;
  if (isList(value)) return value.map(withExpressions);
  if (!isNamedObject(value)) return '${{ … }}';
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withExpressions(field)]),
  );
}

/** Six hex digits for each field of a canonical text, two levels deep: `style.prompt`. */
export function fieldDigests(text: string): Readonly<Record<string, string>> {
  const body: Json = JSON.parse(text);
  const fields = Object.entries(isObject(body) ? body : {}).flatMap(([name, value]) =>
    isObject(value) && !('§op' in value) && Object.keys(value).length > 0
      ? Object.entries(value).map(([inner, part]): [string, Json] => [`${name}.${inner}`, part])
      : [[name, value] satisfies [string, Json]],
  );
  return Object.fromEntries(fields.map(([name, value]) => [name, digestOf(value).slice(0, 6)]));
}

/** Results are not deterministic: a later take is another result of the same request. */
export function fingerprintOfRequest(kind: string, text: string, take = 1): Fingerprint {
  const later = take > 1 ? `,"take":${take}` : '';
  const whole: Digest = digestOfBytes(`{"body":${text},"kind":${JSON.stringify(kind)}${later}}`);
  return fingerprintFrom(whole);
}
