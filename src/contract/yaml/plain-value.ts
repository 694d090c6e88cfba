// Converts a YAML document to plain JSON data: resolves aliases and merge keys, and refuses cycles
// and exponential growth.
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  type Node,
  visit,
  type YAMLMap,
} from 'yaml';
import { asJson, type Json } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { suggestion } from './diagnostic.ts';
import { expandMerges, holding, isMergeKey } from './merge-keys.ts';
import { tooDeep, unquoted, type YamlProblem } from './yaml-problem.ts';

/** The deepest nesting: far more than a pipeline needs, and far less than the stack allows. */
const deepest = 100;
/** The most values that the aliases of a file may stand for. */
const mostAliased = 1000;

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
    const value = asJson(document.toJS({ maxAliasCount: mostAliased }));
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

const rangeOf = (node: Node): YamlProblem['range'] =>
  node.range ? [node.range[0], node.range[1]] : [0, 0];

function aboutNode(node: Node, names: ReadonlySet<string>, depth: number): YamlProblem | undefined {
  const range = rangeOf(node);
  if (depth > deepest) return tooDeep([range[0], range[0] + 1]);
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
