// Aliases and merge keys. The pairs that `<<: *name` stands for are put into their map before the
// document is converted, so that a merged value keeps the place where it was written.

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
  type Pair,
  visit,
  type YAMLMap,
} from 'yaml';
import { grouped } from '../../base/grouped.ts';
import type { YamlProblem } from './yaml-problem.ts';

/** The most values that the merge keys of a file may stand for. */
const mostMerged = 100_000;

export interface Expanded {
  readonly problems: readonly YamlProblem[];
  /** The node that each alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** Changes the document: each merge key is replaced by the pairs that it stands for. */
export function expandMerges(document: Document): Expanded {
  const { nodes, targets, problems } = survey(document);
  if (problems.length > 0) return { problems, targets };
  // What an alias stands for ends before the map with the alias ends.
  const inward = nodes.toSorted((a, b) => endOf(a) - endOf(b) || startOf(b) - startOf(a));
  const merging = inward.filter(isMap).filter(({ items }) => items.some(isMerge));
  if (merging.length === 0) return { problems: [], targets };
  const found: YamlProblem[] = [];
  let added = 0;
  for (const map of merging) {
    added += expand(map, targets, found);
    if (added > mostMerged) return { problems: [tooMany], targets };
  }
  if (found.length === 0 && expandedSize(inward, targets) - nodes.length > mostMerged)
    found.push(tooMany);
  return { problems: found, targets };
}

const tooMany: YamlProblem = {
  code: 'SL017',
  message: `the merge keys (<<) of the file stand for more than ${grouped(mostMerged)} values`,
  hint: 'write out the values, or use fewer merge keys',
  range: [0, 0],
};

export const holding = (range: YamlProblem['range']): YamlProblem => ({
  code: 'SL016',
  message: 'an alias makes a value contain itself',
  hint: 'an alias (*name) must not be inside the value of its anchor (&name)',
  range,
});

export const isMergeKey = (key: unknown): boolean =>
  isScalar(key) && key.type === 'PLAIN' && key.value === '<<';

const isMerge = (pair: Pair): boolean => isPair(pair) && isMergeKey(pair.key);

/** All nodes, and what the aliases stand for: the last anchor of that name before the alias. */
function survey(document: Document): {
  readonly nodes: readonly Node[];
  readonly targets: ReadonlyMap<Alias, Node>;
  readonly problems: readonly YamlProblem[];
} {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const nodes: Node[] = [];
  const problems: YamlProblem[] = [];
  visit(document, {
    Node: (_key, node, above) => {
      nodes.push(node);
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target !== undefined) targets.set(node, target);
        if (target !== undefined && above.includes(target)) problems.push(holding(rangeOf(node)));
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return { nodes, targets, problems };
}

/** Returns the number of pairs that were added. */
function expand(map: YAMLMap, targets: Expanded['targets'], problems: YamlProblem[]): number {
  const known = new Set(map.items.filter((pair) => !isMerge(pair)).map(nameOf));
  let added = 0;
  map.items = map.items.flatMap((pair) => {
    if (!isMerge(pair)) return [pair];
    const value = isNode(pair.value) ? pair.value : undefined;
    const sources = isSeq(value) ? value.items : [value];
    return sources.flatMap((source) => {
      const target = isAlias(source) ? targets.get(source) : source;
      if (!isMap(target)) {
        problems.push(notAMap(isNode(source) ? source : isNode(pair.key) ? pair.key : undefined));
        return [];
      }
      const inherited = target.items.filter((one) => !known.has(nameOf(one)));
      for (const one of inherited) known.add(nameOf(one));
      added += inherited.length;
      return inherited;
    });
  });
  return added;
}

const notAMap = (node: Node | undefined): YamlProblem => ({
  code: 'SL025',
  message: 'a merge key (<<) takes an object, and this is none',
  hint: 'name an anchor of an object, as in <<: *edit, or several, as in <<: [*edit, *large]',
  range: rangeOf(node),
});

/** The number of values that the document stands for. `inward`: parts before what holds them. */
function expandedSize(inward: readonly Node[], targets: Expanded['targets']): number {
  const sizes = new Map<Node, number>();
  let largest = 0;
  for (const node of inward) {
    const size = isAlias(node)
      ? (sizes.get(targets.get(node) ?? node) ?? 1)
      : partsOf(node).reduce((sum, part) => sum + (sizes.get(part) ?? 1), 1);
    sizes.set(node, size);
    largest = Math.max(largest, size);
  }
  return largest;
}

function partsOf(node: Node): readonly Node[] {
  if (!isCollection(node)) return [];
  return node.items.flatMap((item) => {
    const part = isPair(item) ? item.value : item;
    return isNode(part) ? [part] : [];
  });
}

const nameOf = ({ key }: Pair): string =>
  isScalar(key) ? String(key.value) : isNode(key) ? `${key}` : '';
const startOf = (node: Node): number => node.range?.[0] ?? 0;
const endOf = (node: Node): number => node.range?.[1] ?? 0;
const rangeOf = (node: Node | undefined): YamlProblem['range'] =>
  node?.range ? [node.range[0], node.range[1]] : [0, 0];
