// Finds the place of a value in a YAML document by its keys, in constant time per key.
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
} from 'yaml';
import type { Path } from './place.ts';

export type OffsetRange = readonly [number, number];

interface Member {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

export class Places {
  readonly #document: Document;
  readonly #targets: ReadonlyMap<Alias, Node>;
  readonly #members = new WeakMap<Node, ReadonlyMap<string, Member>>();

  /** `targets`: the node that each alias stands for. */
  constructor(document: Document, targets: ReadonlyMap<Alias, Node>) {
    this.#document = document;
    this.#targets = targets;
  }

  /** The value at a path. */
  of(path: Path): OffsetRange | undefined {
    return rangeOf(this.#nodeAt(path));
  }

  /** The key at a path; for a member of a list, its value. */
  ofKey(path: Path): OffsetRange | undefined {
    const parent = this.#nodeAt(path.slice(0, -1));
    if (!isMap(parent)) return this.of(path);
    return rangeOf(this.#membersOf(parent).get(String(path.at(-1)))?.key);
  }

  #nodeAt(path: Path): Node | undefined {
    let node: Node | undefined = this.#document.contents ?? undefined;
    for (const part of path) {
      if (!isCollection(node)) return undefined;
      const value = this.#membersOf(node).get(String(part))?.value;
      node = isAlias(value) ? this.#targets.get(value) : value;
    }
    return node;
  }

  #membersOf(collection: Node): ReadonlyMap<string, Member> {
    let members = this.#members.get(collection);
    if (members === undefined) {
      members = new Map(membersOf(collection));
      this.#members.set(collection, members);
    }
    return members;
  }
}

function membersOf(collection: Node): readonly (readonly [string, Member])[] {
  if (isSeq(collection))
    return collection.items.map((item, index) => [
      String(index),
      { key: undefined, value: isNode(item) ? item : undefined },
    ]);
  if (!isMap(collection)) return [];
  return collection.items.flatMap((pair): (readonly [string, Member])[] => {
    if (!isPair(pair) || !isScalar(pair.key)) return [];
    const value = isNode(pair.value) ? pair.value : undefined;
    return [[String(pair.key.value), { key: pair.key, value }]];
  });
}

const rangeOf = (node: Node | undefined): OffsetRange | undefined =>
  node?.range ? [node.range[0], node.range[1]] : undefined;
