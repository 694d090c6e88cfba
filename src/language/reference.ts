// The names in an expression: chains such as `steps.photo.file_path`, which begin at a root.
import type { ASTNode } from '@marcbachmann/cel-js';
import { roots } from './environment.ts';

/** A name that an expression uses: `steps.photo.file_path`, `item.path`, `inputs.actor`. */
export interface Reference {
  readonly root: (typeof roots)[number];
  /** The first key below the root; absent when the whole root is used. */
  readonly key?: string;
  /** The second key. */
  readonly field?: string;
  /**
   * True if the expression asks whether it exists, in `has()` and in the first argument of `default()`, or whether its
   * members have a field.
   */
  readonly asked: boolean;
  readonly start: number;
  readonly end: number;
  /** Where each part of the name ends: the root, the key, the field and so on. */
  readonly ends: readonly number[];
}

/** The output that is a list of the outputs of all items or all elements. */
export const gathered = 'all';

const isRoot = (name: string): name is Reference['root'] => roots.some((root) => root === name);

export function referencesOf(node: ASTNode): readonly Reference[] {
  const references: Reference[] = [];
  collect(node, references);
  return references;
}

/**
 * Collects the chains that begin at a root. A variable that a macro declares (`f` in `map(f, …)`)
 * is not a root.
 */
function collect(
  node: ASTNode,
  into: Reference[],
  declared: readonly string[] = [],
  asked = false,
): void {
  const chain = chainOf(node);
  if (chain !== undefined && isRoot(chain.root) && !declared.includes(chain.root)) {
    into.push({
      root: chain.root,
      key: chain.keys[0],
      field: chain.keys[1],
      asked,
      start: node.start,
      end: node.end,
      ends: chain.ends,
    });
    return;
  }
  const variable = macroVariable(node);
  if (node.op === 'rcall' && variable !== undefined) {
    const body = node.args[2].slice(1);
    collect(
      node.args[1],
      into,
      declared,
      asked || body.some((inner) => asksAbout(inner, variable)),
    );
    for (const inner of body) collect(inner, into, [...declared, variable], asked);
    return;
  }
  childrenOf(node).forEach((child, index) => {
    collect(child, into, declared, asked || (asks(node) && index === 0));
  });
}

const asks = (node: ASTNode): boolean =>
  node.op === 'call' && (node.args[0] === 'has' || node.args[0] === 'default');

/** True if an expression asks whether a member has a field: `has(p.url)` in `map(p, …)`. */
function asksAbout(node: ASTNode, variable: string): boolean {
  const children = childrenOf(node);
  const [first] = children;
  if (asks(node) && first !== undefined && chainOf(first)?.root === variable) return true;
  return children.some((child) => asksAbout(child, variable));
}

const macros = ['map', 'filter', 'all', 'exists', 'exists_one'];

/** The variable that a macro call declares for its other arguments. */
function macroVariable(node: ASTNode): string | undefined {
  if (node.op !== 'rcall' || !macros.includes(node.args[0])) return undefined;
  const [first] = node.args[2];
  return first?.op === 'id' ? first.args : undefined;
}

interface Chain {
  readonly root: string;
  readonly keys: readonly string[];
  /** Where the root and each key end. */
  readonly ends: readonly number[];
}

function chainOf(node: ASTNode): Chain | undefined {
  if (node.op === 'id') return { root: node.args, keys: [], ends: [node.end] };
  if (node.op === '.') return extended(node.args[0], node.args[1], node.end);
  if (node.op === '[]') {
    const key = node.args[1];
    return key.op === 'value' && typeof key.args === 'string'
      ? extended(node.args[0], key.args, node.end)
      : undefined;
  }
  return undefined;
}

function extended(object: ASTNode, key: string, end: number): Chain | undefined {
  const chain = chainOf(object);
  return chain === undefined
    ? undefined
    : { root: chain.root, keys: [...chain.keys, key], ends: [...chain.ends, end] };
}

export function childrenOf(node: ASTNode): readonly ASTNode[] {
  const found: ASTNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) found.push(value);
  };
  visit(node.args);
  return found;
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}
