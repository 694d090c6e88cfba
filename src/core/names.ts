// The names of values that only a run has: by what makes them and their place, so that nobody has to know whether they are
// there already. No text of an item can look like a name.
import type { Json } from '../base/json.ts';
import type { StepKind } from '../contract/kinds.ts';
import { fromCel, isPlain } from '../language/cel-value.ts';
import { toCel } from '../language/expression.ts';
import type { Filled } from '../language/template.ts';

/** What makes a value: a task. */
export interface Maker {
  readonly fingerprint: string;
  readonly kind: StepKind;
  /** The number of results that its request asks for, if the request says so. */
  readonly asked: number | undefined;
}

/** A field of an object, the index of a member of a list, or `?`: any member of a list whose length only a run knows. */
export type Key = string | bigint;

export abstract class Open {
  /** How deeply names are nested in this one, itself included. */
  abstract readonly nesting: number;
  /** Throws an EvaluationError without a place if there cannot be such a part. */
  abstract select(key: Key): unknown;
}

/** An output, or a part of one: `downloads/0/url`. */
export class Ref<M extends Maker = Maker> extends Open {
  /** Not a field, because the evaluation budget measures fields. */
  readonly #of: M;
  readonly path: string;
  readonly nesting = 1;

  constructor(of: M, path: string) {
    super();
    this.#of = of;
    this.path = path;
  }

  get of(): M {
    return this.#of;
  }

  select(key: Key): Ref<M> {
    const part = String(key).replaceAll('~', '~0').replaceAll('/', '~1');
    if (this.path !== '') return new Ref(this.#of, `${this.path}/${part}`);
    return new Ref(this.#of, (this.#of.kind.operation === 'create' && synonyms.get(part)) || part);
  }

  /** Of a list whose length the request says. */
  get members(): readonly Ref<M>[] | undefined {
    const { asked } = this.#of;
    if (this.path !== 'downloads' || asked === undefined) return undefined;
    return Array.from({ length: asked }, (_, index) => this.select(BigInt(index)));
  }
}

/** Outputs of tools that are parts of others. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['url', 'downloads/0/url'],
  ['download', 'downloads/0'],
]);

/** The first members of a list whose length only a run knows. Each keeps its place in the list. */
export class Taken extends Open {
  readonly of: Open;
  readonly most: number;
  readonly nesting: number;

  constructor(of: Open, most: number) {
    super();
    this.nesting = of.nesting + 1;
    this.of = of instanceof Taken ? of.of : of;
    this.most = of instanceof Taken ? Math.min(of.most, most) : most;
  }

  select(key: Key): unknown {
    const isMember = key === '?' || (typeof key === 'bigint' && key >= 0n && key < this.most);
    return isMember ? this.of.select(key) : new Opaque('[]', [this, key]);
  }
}

/** What only a run can compute: an operator or a function, with its arguments as CEL has them. */
export class Opaque extends Open {
  readonly op: string;
  readonly args: readonly unknown[];
  readonly nesting: number;
  readonly #select: ((key: Key) => unknown) | undefined;

  /** `select`: its parts, where these have names of their own. */
  constructor(op: string, args: readonly unknown[], select?: (key: Key) => unknown) {
    super();
    this.op = op;
    this.args = args;
    this.nesting = Math.max(nestingOf(args), 1);
    this.#select = select;
  }

  select(key: Key): unknown {
    return this.#select === undefined ? new Opaque('[]', [this, key]) : this.#select(key);
  }
}

/** JSON, with what is open anywhere inside. */
export type Named = Filled<Open>;

export const isList = (value: Named): value is readonly Named[] => Array.isArray(value);

/** False for what is open. */
export const isNamedObject = (value: Named): value is { readonly [key: string]: Named } =>
  isPlain(value);

/** Of lists and objects, which do not change. */
const nestings = new WeakMap<object, number>();

/** How deeply names are nested in a value of JSON or of CEL; 0 if it is known. */
export function nestingOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (value instanceof Open) return value.nesting;
  const found = nestings.get(value);
  if (found !== undefined) return found;
  const inner = entriesOf(value)?.reduce((most, [, one]) => Math.max(most, nestingOf(one)), 0) ?? 0;
  const nesting = inner === 0 ? 0 : inner + 1;
  nestings.set(value, nesting);
  return nesting;
}

/** True if a value of JSON or of CEL has something open in it. */
export const isOpen = (value: unknown): boolean => nestingOf(value) > 0;

export const isKnown = (value: Named): value is Json => !isOpen(value);

/** Undefined for what is neither a list nor an object. */
function entriesOf(value: object): readonly (readonly [unknown, unknown])[] | undefined {
  if (Array.isArray(value) || value instanceof Map) return [...value.entries()];
  return isPlain(value) ? Object.entries(value) : undefined;
}

/** As `toCel`, which does not know what is open. */
export function celOf(value: Named): unknown {
  if (value instanceof Open) return value;
  if (isKnown(value)) return toCel(value);
  if (isList(value)) return value.map(celOf);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, celOf(one)]));
}

/** As `fromCel`, which does not know what is open. */
export function namedOf(value: unknown): Named {
  if (value instanceof Open) return value;
  if (!isOpen(value)) return fromCel(value);
  if (Array.isArray(value)) return value.map(namedOf);
  const fields = isPlain(value) ? Object.entries(value) : [];
  return Object.fromEntries(fields.map(([key, one]) => [key, namedOf(one)]));
}

/** Canonical JSON that names exactly this value, with tokens for outputs. What makes these is added to `reads`. */
export const textOf = <M extends Maker>(value: Named, reads: Set<M>): string =>
  joined(piecesOf<M>(value), reads);

/** The same in pieces: what makes an output stands for its fingerprint. */
export function piecesOf<M extends Maker>(value: Named): readonly (string | M)[] {
  const pieces: (string | M)[] = [];
  write(value, false, pieces);
  return pieces;
}

export function joined<M extends Maker>(pieces: readonly (string | M)[], reads: Set<M>): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece !== 'string') reads.add(piece);
    text += typeof piece === 'string' ? piece : piece.fingerprint;
  }
  return text;
}

/** `isArgument`: a value of CEL, whose type matters: 4 / 3 is not 4.0 / 3. */
function write<M extends Maker>(value: unknown, isArgument: boolean, to: (string | M)[]): void {
  if (value instanceof Ref) {
    const path = JSON.stringify(value.path).slice(1);
    to.push(`"${tokenMark}`, value.of, `/${path}`);
  } else if (value instanceof Taken) writeOperation('.take', [value.of, BigInt(value.most)], to);
  else if (value instanceof Opaque) writeOperation(value.op, value.args, to);
  else if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) {
      to.push(at === 0 ? '[' : ',');
      write(one, isArgument, to);
    }
    to.push(value.length === 0 ? '[]' : ']');
  } else if (typeof value === 'string')
    to.push(JSON.stringify(value.startsWith(tokenMark) ? `${tokenMark}${value}` : value));
  else if (
    value === null ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && !isArgument)
  )
    to.push(JSON.stringify(value));
  else if (typeof value === 'bigint') to.push(String(value));
  else {
    const members = typeof value === 'object' ? entriesOf(value) : undefined;
    if (members !== undefined) return writeFields(members, isArgument, to);
    const type = typeof value === 'object' ? value.constructor.name : typeof value;
    const text = value instanceof Date ? value.toISOString() : String(value);
    writeOperation(type, [text], to);
  }
}

function writeFields<M extends Maker>(
  members: readonly (readonly [unknown, unknown])[],
  isArgument: boolean,
  to: (string | M)[],
): void {
  const fields = new Map(members.map(([key, one]) => [escaped(String(key)), one]));
  to.push('{');
  for (const [at, key] of [...fields.keys()].sort().entries()) {
    to.push(`${at === 0 ? '' : ','}${JSON.stringify(key)}:`);
    write(fields.get(key), isArgument, to);
  }
  to.push('}');
}

function writeOperation<M extends Maker>(
  op: string,
  args: readonly unknown[],
  to: (string | M)[],
): void {
  to.push('{"args":');
  write(args, true, to);
  to.push(`,"§op":${JSON.stringify(op)}}`);
}

/** How a token begins. A text of somebody that begins so has it twice. */
const tokenMark = 'shotlist:';

/** Only keys of operations begin with one §. */
export const escaped = (key: string): string => (key.startsWith('§') ? `§${key}` : key);
