// Converts a YAML document to plain JSON data: resolves aliases and merge keys, and refuses cycles
// and exponential growth.
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
import { asJson, type Json } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { grouped } from '../../base/text.ts';
import { suggestion } from './diagnostic.ts';
import { tooDeep, unquoted, type YamlProblem } from './yaml-problem.ts';

/** In levels: far more than a pipeline needs, and far less than the stack allows. */
const maxDepth = 100;
/** The number of values that the aliases of a file may stand for. */
const maxAliased = 1000;
/** The number of values that the merge keys of a file may stand for. */
const maxMerged = 100_000;

interface PlainValue {
  readonly value: Json;
  /** The node that each alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** Changes the document: its merge keys are replaced by what they stand for. */
export function plainValue(document: Document): Result<PlainValue, readonly YamlProblem[]> {
  const odd = oddNodes(document);
  if (odd.length > 0) return err(odd);
  const { problems, targets } = expandMerges(document);
  if (problems.length > 0) return err(problems);
  try {
    const value = asJson(document.toJS({ maxAliasCount: maxAliased }));
    return ok({ value, targets });
  } catch (error) {
    if (error instanceof RangeError) return err([holding([0, 0])]);
    if (error instanceof ReferenceError) return err([tooManyAliases]);
    throw error;
  }
}

const tooManyAliases: YamlProblem = {
  code: 'SL017',
  message: 'the aliases in the file expand to too many values',
  hint: 'write out the values, or use fewer aliases of aliases',
  range: [0, 0],
};

/**
 * Duplicate keys, and the nodes that JSON cannot represent or that a service would receive changed.
 */
function oddNodes(document: Document): readonly YamlProblem[] {
  const anchors = new Set<string>();
  const found: YamlProblem[] = [];
  visit(document, {
    Node: (_key, node, above) => {
      const odd = aboutNode(node, anchors, above.filter(isCollection).length);
      if (odd !== undefined) {
        found.push(odd);
        // What is nested too deeply could be endless.
        return odd.code === 'SL014' ? visit.BREAK : visit.SKIP;
      }
      if (isMap(node)) found.push(...doubles(node), ...unquotedKeys(node));
      if ('anchor' in node && typeof node.anchor === 'string') anchors.add(node.anchor);
      return undefined;
    },
  });
  return found.toSorted((a, b) => a.range[0] - b.range[0]);
}

/** `- ${{ a ? b : c }}` without quotes: to YAML, a map with a key that begins an expression. */
const unquotedKeys = (map: YAMLMap): readonly YamlProblem[] =>
  map.items.flatMap(({ key }) => {
    if (!isScalar(key) || typeof key.value !== 'string' || key.type !== 'PLAIN') return [];
    return /^\$\{\{[^}]*$/.test(key.value) ? [unquoted(key.value, rangeOf(key))] : [];
  });

/** The parser can do this, too, but in time that grows with the square of the number of keys. */
function doubles(map: YAMLMap): readonly YamlProblem[] {
  const seen = new Set<string>();
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const range = rangeOf(key);
    return [
      {
        code: 'SL013',
        message: `the key ${JSON.stringify(name.slice(0, 60))} appears twice`,
        hint: isMergeKey(key) ? 'write one list: <<: [*a, *b]' : 'remove or rename one of them',
        range,
      },
    ];
  });
}

function aboutNode(node: Node, names: ReadonlySet<string>, depth: number): YamlProblem | undefined {
  const range = rangeOf(node);
  if (depth > maxDepth) return tooDeep([range[0], range[0] + 1]);
  if (isAlias(node) && !names.has(node.source))
    return {
      code: 'SL015',
      message: `there is no anchor &${node.source} before this alias`,
      hint:
        suggestion(node.source, names) ?? `mark the value to repeat with &${node.source}, above`,
      range,
    };
  if (/^tag:yaml.org,2002:(binary|set|omap|pairs|timestamp)$/.test(node.tag ?? ''))
    return {
      code: 'SL018',
      message: `JSON cannot represent a value of the YAML type ${node.tag?.slice(18)}`,
      hint: 'write the value as a text in quotation marks',
      range,
    };
  if (!isScalar(node)) return undefined;
  if (typeof node.value === 'number' && !Number.isFinite(node.value))
    return {
      code: 'SL018',
      message: `JSON cannot represent the number ${node.source ?? node.value}`,
      hint: 'write another number, or a text in quotation marks',
      range,
    };
  if (typeof node.value === 'string' && !node.value.isWellFormed())
    return {
      code: 'SL019',
      message: 'the text contains half a surrogate pair, which is not a character',
      hint: 'write the character itself, or as one escape: "\\U0001F600"',
      range,
    };
  return undefined;
}

// Aliases and merge keys. The pairs that `<<: *name` stands for are put into their map before the
// document is converted, so that a merged value keeps the place where it was written.

interface Expanded {
  readonly problems: readonly YamlProblem[];
  /** The node that each alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** Changes the document: each merge key is replaced by the pairs that it stands for. */
function expandMerges(document: Document): Expanded {
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
    if (added > maxMerged) return { problems: [tooManyMerged], targets };
  }
  if (found.length === 0 && expandedSize(inward, targets) - nodes.length > maxMerged)
    found.push(tooManyMerged);
  return { problems: found, targets };
}

const tooManyMerged: YamlProblem = {
  code: 'SL017',
  message: `the merge keys (<<) of the file stand for more than ${grouped(maxMerged)} values`,
  hint: 'write out the values, or use fewer merge keys',
  range: [0, 0],
};

const holding = (range: YamlProblem['range']): YamlProblem => ({
  code: 'SL016',
  message: 'an alias makes a value contain itself',
  hint: 'an alias (*name) must not be inside the value of its anchor (&name)',
  range,
});

const isMergeKey = (key: unknown): boolean =>
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
