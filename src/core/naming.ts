// Evaluates templates and expressions without the outputs of steps. Whatever does not depend on an output is evaluated by the
// CEL library. An output is a name, which may be passed on whole, put into a list, an object or a text, selected from, and
// mapped; as soon as an operator or a function takes it, the result is what only a run can compute.
import { type ASTNode, EvaluationError } from '@marcbachmann/cel-js';
import { err, ok, type Result } from '../base/result.ts';
import type { Path } from '../contract/yaml/diagnostic.ts';
import { isPlain } from '../language/cel-value.ts';
import { inOurNames } from '../language/environment.ts';
import { budget } from '../language/evaluation-budget.ts';
import {
  applyTo,
  type Expression,
  type ExpressionError,
  errorOf,
  evaluateNode,
  type Scope,
} from '../language/expression.ts';
import { childrenOf } from '../language/reference.ts';
import { resultNames } from '../language/result-name.ts';
import {
  errorOfExpression,
  fillWith,
  type Template,
  type TemplateError,
  type TextParts,
  textWith,
} from '../language/template.ts';
import {
  celOf,
  isNamedObject,
  isOpen,
  type Key,
  type Maker,
  type Named,
  namedOf,
  nestingOf,
  Opaque,
  Open,
  Ref,
  Taken,
} from './names.ts';

/** What expressions see. The roots are as CEL has them, except for steps and `each`. */
export interface Names<M extends Maker = Maker> {
  readonly item?: unknown;
  readonly matrix?: unknown;
  readonly inputs: unknown;
  readonly env: unknown;
  readonly run: unknown;
  /** What makes the outputs of a step; a list for one that is read with `all`. */
  readonly steps: Readonly<Record<string, M | readonly M[] | undefined>>;
  readonly each?: { readonly element: Named; readonly index: number | '?' } | undefined;
}

export type Naming = (names: Names) => Result<Named, TemplateError>;

/** The value of a template, which stops at the first expression that fails. */
export const compileNames =
  (template: Template): Naming =>
  (names) => {
    const frame = frameOf(names);
    return fillWith(
      template,
      (expression) => nameExpression(expression, frame),
      (path, parts) => nameText(path, parts, frame),
    );
  };

/** The same for an expression that is a whole value: `if:`. */
export const compileName = (expression: Expression, path: Path): Naming =>
  compileNames({ kind: 'expression', path, expression });

/** A member of a list, such as `for_each` has. `?`: of a list whose length only a run knows. */
export function memberOf(list: Named, index: number | '?'): Named {
  const key = index === '?' ? index : BigInt(index);
  if (!(list instanceof Open))
    return Array.isArray(list) && index !== '?' ? (list[index] ?? null) : null;
  budget.start();
  const member = attempt(() => list.select(key));
  return member instanceof Failed ? new Opaque('[]', [list, key]) : namedOf(member);
}

function nameText(path: Path, parts: TextParts, frame: Frame): Result<Named, TemplateError> {
  const terms: (string | Open)[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = nameExpression(part, frame);
    if (!value.ok) return err(errorOfExpression(path, part, value.error));
    if (value.value instanceof Open) {
      terms.push(text, value.value);
      text = '';
      continue;
    }
    const longer = textWith(text, value.value, path, part);
    if (!longer.ok) return longer;
    text = longer.value;
  }
  if (terms.length === 0) return ok(text);
  const written = [...terms, text].filter((term) => term !== '');
  return ok(sumOf(written, 'text'));
}

/** `a${{ x }}` is `"a" + x`. `otherwise`: what it is if none of the terms is known to be a text. */
function sumOf(terms: readonly unknown[], otherwise: string): Opaque {
  const all = terms.flatMap((term) =>
    term instanceof Opaque && term.op === '+' && term.args.some(isText) ? term.args : [term],
  );
  if (!all.some(isText)) return new Opaque(otherwise, terms);
  const joined: unknown[] = [];
  for (const term of all) {
    const last = joined.at(-1);
    if (isText(term) && isText(last)) joined[joined.length - 1] = last + term;
    else joined.push(term);
  }
  const written = joined.filter((term) => term !== '');
  return new Opaque('+', written.some(isText) ? written : ['', ...written]);
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** What one evaluation sees. */
interface Frame {
  /** For the library. `each` is there unless it is open. */
  readonly known: Scope & Readonly<Record<string, unknown>>;
  readonly steps: Opaque;
  readonly each: unknown;
  /** The variables that macros around the node declare. */
  readonly locals: ReadonlyMap<string, unknown>;
  /** How many of these stand for all members of a list. */
  readonly depth: number;
  /** Gets everything open that is come across. */
  readonly opened?: unknown[];
}

const frames = new WeakMap<Names, Frame>();

function frameOf(names: Names): Frame {
  const frame = frames.get(names) ?? newFrame(names);
  frames.set(names, frame);
  return frame;
}

function newFrame({ item, matrix, inputs, env, run, steps, each: own }: Names): Frame {
  const known = { item, matrix, inputs, env, run, steps: {}, result: resultNames };
  const each = own === undefined ? undefined : eachOf(own.element, own.index);
  return {
    known: own === undefined || isOpen(each) ? known : { ...known, each },
    steps: new Opaque('steps', [], (name) => outputsOf(name, steps[String(name)])),
    each,
    locals: new Map(),
    depth: 0,
  };
}

function outputsOf(name: Key, made: Maker | readonly Maker[] | undefined): unknown {
  if (made === undefined)
    throw new EvaluationError({ code: 'no_such_key', message: `No such key: ${name}` });
  return 'kind' in made ? new Ref(made, '') : { all: made.map((one) => new Ref(one, '')) };
}

/** The fields of the element, if it has any, the element itself, and its index. */
function eachOf(element: Named, at: number | '?'): unknown {
  const index = at === '?' ? new Opaque('index', []) : at;
  if (!(element instanceof Open))
    return celOf({ ...(isNamedObject(element) ? element : {}), value: element, index });
  return new Opaque('each', [element, celOf(index)], (key) =>
    key === 'value' ? element : key === 'index' ? celOf(index) : element.select(key),
  );
}

function nameExpression(expression: Expression, frame: Frame): Result<Named, ExpressionError> {
  const { tree, text, references } = expression;
  const isEachOpen = isOpen(frame.each);
  if (!references.some(({ root }) => root === 'steps' || (root === 'each' && isEachOpen)))
    return expression.evaluate(frame.known);
  try {
    budget.start();
    const value = evaluate(tree(), frame);
    budget.check();
    if (nestingOf(value) > mostNested) throw new Error('the expression is nested too deeply');
    return ok(namedOf(value));
  } catch (error) {
    return err(errorOf(error, text));
  }
}

/** What is nested more deeply could not be written. */
const mostNested = 500;

const identifiers = new WeakMap<ASTNode, ReadonlySet<string>>();

function identifiersIn(node: ASTNode): ReadonlySet<string> {
  const known = identifiers.get(node);
  if (known !== undefined) return known;
  const parts = childrenOf(node).flatMap((part) => [...identifiersIn(part)]);
  const found = new Set(node.op === 'id' ? [node.args] : parts);
  identifiers.set(node, found);
  return found;
}

function evaluate(node: ASTNode, frame: Frame): unknown {
  const used = identifiersIn(node);
  if (
    !used.has('steps') &&
    !used.has('each') &&
    ![...frame.locals.keys()].some((name) => used.has(name))
  )
    return evaluateNode(node, frame.known);
  budget.spend(1);
  const value = evaluateOpen(node, frame);
  // A value may be in another many times.
  if (!(value instanceof Ref)) budget.sizeOf(value);
  if (value instanceof Open) frame.opened?.push(value);
  return value;
}

function evaluateOpen(node: ASTNode, frame: Frame): unknown {
  const { steps, each, locals } = frame;
  const inner = (part: ASTNode): unknown => evaluate(part, frame);
  switch (node.op) {
    case 'id':
      return locals.has(node.args) ? locals.get(node.args) : node.args === 'steps' ? steps : each;
    case '.':
      return selected(inner(node.args[0]), node.args[1], node);
    case '[]':
      return selected(inner(node.args[0]), inner(node.args[1]), node);
    case 'list':
      return node.args.map(inner);
    case 'map':
      return objectOf(node.args.map(([key, value]) => [inner(key), inner(value)]));
    case '?:': {
      const [test, yes, no] = node.args;
      const holds = inner(test);
      if (typeof holds === 'boolean') return inner(holds ? yes : no);
      if (!isOpen(holds)) return applyTo([holds], 'args[0] ? true : true', test);
      return new Opaque('?:', [holds, attempt(() => inner(yes)), attempt(() => inner(no))]);
    }
    case '||':
    case '&&':
      return decided(node, frame);
    case 'call': {
      const [name, args] = node.args;
      const [first, second] = args;
      if (name === 'has' && first?.op === '.') return has(inner(first.args[0]), first.args[1]);
      if (name === 'default' && first !== undefined && second !== undefined)
        return valueOrDefault(first, second, frame);
      return operated(node, name, `${name}(${slots(args.length)})`, args.map(inner));
    }
    case 'rcall': {
      const [name, receiver, args] = node.args;
      const [variable, first, second] = args;
      const namespace = receiver.op === 'id' && !locals.has(receiver.args) ? receiver.args : '';
      if (variable?.op === 'id' && first !== undefined) {
        if (macros.has(name)) return mapped(node, variable.args, first, second, frame);
        if (namespace === 'cel' && name === 'bind' && second !== undefined)
          return evaluate(second, withLocal(frame, variable.args, inner(first)));
      }
      if (namespace === 'math')
        return operated(
          node,
          `math.${name}`,
          `math.${name}(${slots(args.length)})`,
          args.map(inner),
        );
      const text = `args[0].${name}(${slots(args.length, 1)})`;
      const op = name === 'size' ? name : `.${inOurNames(name)}`;
      return operated(node, op, text, [receiver, ...args].map(inner));
    }
    case '!_':
    case '-_':
      return operated(node, node.op, `${node.op[0]}args[0]`, [inner(node.args)]);
    case 'value':
    case '.?':
    case '[?]':
      throw new Error(`bug: ${node.op} depends on an output`);
    default:
      return operated(node, node.op, `args[0] ${node.op} args[1]`, node.args.map(inner));
  }
}

const macros: ReadonlySet<string> = new Set(['map', 'filter', 'all', 'exists', 'exists_one']);

const withLocal = (frame: Frame, name: string, value: unknown): Frame => ({
  ...frame,
  locals: new Map([...frame.locals, [name, value]]),
});

/** Arguments in a text for `applyTo`, from one on. */
const slots = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `args[${index + from}]`).join(', ');

/** A part that fails, where only a run knows whether it is needed. */
class Failed extends Opaque {
  readonly #error: EvaluationError | RangeError;

  constructor(error: EvaluationError | RangeError) {
    super('error', []);
    this.#error = error;
  }

  /** A field or a member does not exist. */
  get isMissing(): boolean {
    const code = 'code' in this.#error ? this.#error.code : '';
    return code === 'no_such_key' || code === 'index_out_of_bounds';
  }

  fail(): never {
    throw this.#error;
  }
}

function attempt(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    const isOfValue = error instanceof RangeError && !error.message.includes('call stack');
    if (error instanceof EvaluationError || isOfValue) return new Failed(error);
    throw error;
  }
}

function selected(base: unknown, key: unknown, node: ASTNode): unknown {
  if (isOpen(key)) return new Opaque('[]', [base, key]);
  const of = withMembers(base);
  if (of instanceof Open) {
    if (typeof key !== 'string' && typeof key !== 'bigint') return new Opaque('[]', [of, key]);
    try {
      return of.select(key);
    } catch (error) {
      throw error instanceof EvaluationError ? error.withAst(node) : error;
    }
  }
  const member = Array.isArray(of)
    ? (typeof key === 'bigint' || typeof key === 'number') && of[Number(key)]
    : isPlain(of) && Object.hasOwn(of, String(key)) && of[String(key)];
  return isOpen(member) ? member : applyTo([of, key], 'args[0][args[1]]', node);
}

/** A list of names, if a name is that of a list whose length is known. */
const withMembers = (value: unknown): unknown =>
  value instanceof Ref ? (value.members ?? value) : value;

function has(base: unknown, field: string): unknown {
  if (base instanceof Open) return new Opaque('has', [base, field]);
  return base instanceof Map ? base.has(field) : isPlain(base) && Object.hasOwn(base, field);
}

function valueOrDefault(first: ASTNode, second: ASTNode, frame: Frame): unknown {
  const opened: unknown[] = [];
  const value = attempt(() => evaluate(first, { ...frame, opened }));
  const other = (): unknown => evaluate(second, frame);
  if (value instanceof Failed && value.isMissing) return other();
  // What the value leaves out may be missing as well.
  if (value instanceof Open || opened.length > 0)
    return new Opaque('default', [value, attempt(other), ...(isChain(first) ? [] : [[...opened]])]);
  return value === null || value === '' ? other() : value;
}

const isChain = (node: ASTNode): boolean =>
  node.op === 'id' || ((node.op === '.' || node.op === '[]') && isChain(node.args[0]));

/** As the library makes objects. */
function objectOf(entries: readonly (readonly [unknown, unknown])[]): unknown {
  if (entries.some(([key]) => isOpen(key))) return new Opaque('entries', entries.flat());
  const fields = entries.map(([key, value]) => [String(key), value] as const);
  return Object.fromEntries(fields.filter(([key]) => !skippedKeys.has(key)));
}

const skippedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** `&&` and `||`, of which one side can decide whatever the other is. */
function decided(node: ASTNode & { readonly op: '&&' | '||' }, frame: Frame): unknown {
  const [left, right] = node.args;
  const decisive = node.op === '||';
  const one = attempt(() => evaluate(left, frame));
  if (one === decisive) return one;
  const isOneOpen = isOpen(one) && !(one instanceof Failed);
  const other = isOneOpen ? attempt(() => evaluate(right, frame)) : evaluate(right, frame);
  if (other === decisive || (one === !decisive && isOpen(other))) return other;
  if (isOneOpen || isOpen(other)) return new Opaque(node.op, [one, other]);
  return one instanceof Failed
    ? one.fail()
    : applyTo([one, other], `args[0] ${node.op} args[1]`, node);
}

/** An operator or a function, whose value `text` computes. */
function operated(node: ASTNode, op: string, text: string, values: readonly unknown[]): unknown {
  if (!values.some(isOpen)) return applyTo(values, text, node);
  const [first, second, third] = values;
  const [list, other] = [withMembers(first), withMembers(second)];
  switch (op) {
    case '+':
      if (Array.isArray(list) && Array.isArray(other)) return [...list, ...other];
      return sumOf(values, '+');
    case '>':
      return new Opaque('<', [second, first]);
    case '>=':
      return new Opaque('<=', [second, first]);
    case 'size':
      return Array.isArray(first) ? BigInt(first.length) : new Opaque(op, values);
    case '.take':
    case '.slice': {
      if (isOpen(second) || isOpen(third)) return new Opaque(op, values);
      if (Array.isArray(list)) {
        const places = applyTo([list.map((_, at) => BigInt(at)), second, third], text, node);
        return Array.isArray(places) ? places.map((place) => list[Number(place)]) : places;
      }
      const most = op === '.take' ? second : second === 0n ? third : undefined;
      const isStart = list instanceof Open && typeof most === 'bigint' && most >= 0n;
      return isStart ? new Taken(list, Number(most)) : new Opaque(op, values);
    }
    default:
      return new Opaque(op, values);
  }
}

/** `list.map(x, x.url)` and the like; `list.map(x, x > 1, x + 1)` has a second body. */
function mapped(
  node: ASTNode & { readonly op: 'rcall' },
  variable: string,
  body: ASTNode,
  second: ASTNode | undefined,
  frame: Frame,
): unknown {
  const [name, receiver] = node.args;
  const over = evaluate(receiver, frame);
  const list = withMembers(over);
  const isSimple = name === 'map' && second === undefined;
  if (list instanceof Open) {
    const depth = BigInt(frame.depth);
    const any = withLocal(frame, variable, new Opaque('variable', [depth]));
    const inside = { ...any, depth: frame.depth + 1 };
    const bodies = second === undefined ? [body] : [body, second];
    const trees = bodies.map((one) => attempt(() => evaluate(one, inside)));
    const select = (key: Key): unknown =>
      evaluate(body, withLocal(frame, variable, selected(list, key, receiver)));
    return new Opaque(name, [list, depth, ...trees], isSimple ? select : undefined);
  }
  const members = Array.isArray(list) ? list : applyTo([list], 'args[0].map(x, x)', receiver);
  if (!Array.isArray(members)) return members;
  const frames = members.map((member) => withLocal(frame, variable, member));
  if (isSimple) return frames.map((one) => evaluate(body, one));
  // An error of one member does not matter if another decides.
  const isLenient = name === 'all' || name === 'exists';
  const tests = frames.map((one) =>
    isLenient ? attempt(() => evaluate(body, one)) : evaluate(body, one),
  );
  const valueAt = (at: number): unknown =>
    second === undefined ? members[at] : evaluate(second, frames[at] ?? frame);
  if (tests.some(isOpen))
    return isLenient && tests.includes(name === 'exists')
      ? name === 'exists'
      : new Opaque(name, [
          tests,
          second === undefined
            ? members
            : frames.map((one) => attempt(() => evaluate(second, one))),
        ]);
  if (name !== 'map' && name !== 'filter') return applyTo([tests], `args[0].${name}(x, x)`, node);
  applyTo([tests], 'args[0].filter(x, x)', node);
  return tests.flatMap((test, at) => (test === true ? [valueAt(at)] : []));
}
