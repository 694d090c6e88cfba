// The budget of one evaluation: CEL always ends, but nested macros and doubling values can take
// very long.

import type { ASTNode } from '@marcbachmann/cel-js';
import { grouped } from '../base/text.ts';

/** One step is one evaluated node, or an amount of work on a value that takes as long. */
export const maxSteps = 100_000;
/** Characters and elements of one value, at all depths. */
export const maxSize = 1_000_000;

/** Thrown through the evaluator, which cannot be stopped in another way. */
class OverBudget extends Error {}

const tooLong = `the expression takes too long (over ${grouped(maxSteps)} steps)`;
const tooLarge =
  'the expression creates a value that is too large ' +
  `(over ${grouped(maxSize)} characters and elements)`;

export class EvaluationBudget {
  #steps = 0;
  /** Sizes by identity: a list that occurs in a tree a million times is measured once. */
  #sizes = new Map<object, number>();
  /** Remembered, because `||` and `exists` swallow errors. */
  #over: OverBudget | undefined;

  start(): void {
    this.#steps = 0;
    this.#sizes = new Map();
    this.#over = undefined;
  }

  spend(steps: number): void {
    this.check();
    this.#steps += steps;
    if (this.#steps > maxSteps) this.#stop(tooLong);
  }

  /** Throws if the budget was exceeded at any time since the start. */
  check(): void {
    if (this.#over !== undefined) throw this.#over;
  }

  /** The size of a value; throws if it is too large. */
  sizeOf(value: unknown): number {
    if (typeof value === 'string') return value.length + 1;
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = 1;
    if (value instanceof Uint8Array) size += value.length;
    else
      for (const [key, part] of entriesOf(value)) {
        size += (typeof key === 'string' ? key.length : 0) + this.sizeOf(part);
        if (size > maxSize) this.#stop(tooLarge);
      }
    if (size > maxSize) this.#stop(tooLarge);
    this.#sizes.set(value, size);
    return size;
  }

  #stop(message: string): never {
    this.#over = new OverBudget(message);
    throw this.#over;
  }
}

/**
 * The budget of the current evaluation. Evaluations are synchronous, so there is only one at a
 * time.
 */
export const budget = new EvaluationBudget();

function entriesOf(value: object): Iterable<readonly [unknown, unknown]> {
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return value.entries();
  return Object.entries(value);
}

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;
const isEvaluate = (value: unknown): value is Evaluate => typeof value === 'function';

/**
 * Makes every node of a tree count its evaluation, and measure its value before an operator or a
 * function uses it. The library has no hook for this. It calls `evaluate` of each node, macros
 * included, and replaces `evaluate` by a faster version at the first call; that is why the property
 * accepts assignments.
 */
export function withBudget(node: ASTNode, budget: EvaluationBudget): void {
  hook(node, budget, undefined);
  limitParts(node, budget);
}

function limitParts(node: ASTNode, budget: EvaluationBudget): void {
  switch (node.op) {
    case 'value':
    case 'id':
      return;
    case '.':
    case '.?':
      return withBudget(node.args[0], budget);
    case '!_':
    case '-_':
      return withBudget(node.args, budget);
    case 'call':
      return limitCall(node.args[0], node.args[1], budget);
    case 'rcall':
      return limitCall(node.args[0], [node.args[1], ...node.args[2]], budget);
    case 'map':
      for (const part of node.args.flat()) withBudget(part, budget);
      return;
    case 'list':
    case '?:':
    case '||':
    case '&&':
    case '[]':
    case '[?]':
      for (const part of node.args) withBudget(part, budget);
      return;
    default:
      return limitCall(node.op, node.args, budget);
  }
}

/** The evaluator evaluates arguments from last to first, and operands from first to last. */
function limitCall(name: string, args: readonly ASTNode[], budget: EvaluationBudget): void {
  const sizes: number[] = args.map(() => 0);
  const last = isOperator(name) ? args.length - 1 : 0;
  args.forEach((arg, index) => {
    hook(arg, budget, (value) => {
      sizes[index] = constant.has(name) ? 0 : budget.sizeOf(value);
      if (index === last) budget.spend(workOf(name, sizes));
    });
    limitParts(arg, budget);
  });
}

function hook(
  node: ASTNode,
  budget: EvaluationBudget,
  measure: ((value: unknown) => void) | undefined,
): void {
  let inner: unknown = Reflect.get(node, 'evaluate');
  const counted: Evaluate = (evaluator, self, context) => {
    if (!isEvaluate(inner))
      throw new Error('bug: the CEL library does not evaluate nodes as expected');
    budget.spend(1);
    const value = Reflect.apply(inner, node, [evaluator, self, context]);
    measure?.(value);
    return value;
  };
  Object.defineProperty(node, 'evaluate', {
    get: () => counted,
    set: (next: unknown) => {
      inner = next;
    },
  });
}

const isOperator = (name: string): boolean => !/^\w/.test(name) || name === 'in';

/** Functions that take constant time, and macros, whose bodies are counted separately. */
const constant = new Set(
  ['size', 'take', 'type', 'dyn', 'has', 'bind', 'default'].concat([
    'map',
    'filter',
    'all',
    'exists',
    'exists_one',
  ]),
);

/**
 * The cost of a function or an operator for arguments of these sizes, in steps. The receiver comes
 * first.
 */
function workOf(name: string, sizes: readonly number[]): number {
  const [first = 0, second = 0] = sizes;
  const all = sizes.reduce((sum, size) => sum + size, 0) / 10;
  switch (name) {
    case 'contains':
    case 'indexOf':
    case 'lastIndexOf':
    case 'split':
      return all + (first * second) / 10_000;
    case 'join':
      return all + (first * second) / 10;
    case 'slug':
    case 'distinct':
      return all * 10;
    case 'duration':
      // Its pattern tries every way to divide a row of digits into three parts.
      return first ** 3 / 1000;
    default:
      // Each access in another time zone creates a new formatter.
      return name.startsWith('get') && sizes.length > 1 ? 500 : all;
  }
}
