// Changes of valid pipeline files: of their text, of their YAML nodes, and of their expressions.
import fc from 'fast-check';
import { type Document, isCollection, isMap, isPair, isSeq, type Node, parseDocument } from 'yaml';
import { kinds } from '../../../../src/contract/kinds.ts';
import { fieldNames, pieces, tokens, values } from './words.ts';

/** A change of a text; the numbers from 0 to 1 say where. */
export type Mutation = (text: string) => string;

const where = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const pick = <T>(all: readonly T[], at: number): T | undefined => all[Math.floor(at * all.length)];

const textEdit = fc
  .record({
    at: where,
    cut: fc.nat(20),
    put: fc.oneof(fc.constant(''), fc.constantFrom(...pieces)),
  })
  .map(
    ({ at, cut, put }): Mutation =>
      (text) => {
        const start = Math.floor(at * text.length);
        return text.slice(0, start) + put + text.slice(start + cut);
      },
  );

const lineEdit = fc
  .record({ from: where, to: where, what: fc.constantFrom('drop', 'double', 'move', 'indent') })
  .map(
    ({ from, to, what }): Mutation =>
      (text) => {
        const lines = text.split('\n');
        const [a, b] = [Math.floor(from * lines.length), Math.floor(to * lines.length)];
        const line = lines[a] ?? '';
        if (what === 'indent') return lines.with(a, ` ${line}`).join('\n');
        const rest = what === 'double' ? lines : lines.toSpliced(a, 1);
        return (what === 'drop' ? rest : rest.toSpliced(b, 0, line)).join('\n');
      },
  );

/** All collections of a document with members. */
function collectionsIn(node: unknown): readonly Node[] {
  if (!isCollection(node)) return [];
  const inner = node.items.flatMap((item) => collectionsIn(isPair(item) ? item.value : item));
  return node.items.length > 0 ? [node, ...inner] : inner;
}

/** Changes a member of a collection. Texts that are not YAML stay as they are. */
function withNode(
  text: string,
  change: (document: Document, at: Node) => void,
  at: number,
): string {
  const document = parseDocument(text, { logLevel: 'error', uniqueKeys: false });
  const found = pick(collectionsIn(document.contents), at);
  if (document.errors.length > 0 || found === undefined) return text;
  change(document, found);
  try {
    return String(document);
  } catch {
    // A removed anchor leaves an alias that cannot be written.
    return text;
  }
}

const nodeEdit = fc
  .record({
    at: where,
    member: where,
    what: fc.constantFrom('remove', 'replace', 'replace', 'rename', 'add', 'wrap', 'kind'),
    value: fc.constantFrom(...values),
    name: fc.constantFrom(...fieldNames),
    kind: fc.constantFrom(...kinds.map(({ name }) => name)),
  })
  .map(
    ({ at, member, what, value, name, kind }): Mutation =>
      (text) => {
        const change = (document: Document, node: Node): void => {
          if (!isMap(node) && !isSeq(node)) return;
          const index = Math.floor(member * node.items.length);
          const pair = node.items[index];
          if (what === 'remove') node.items.splice(index, 1);
          else if (isSeq(node)) {
            if (what === 'replace') node.items[index] = document.createNode(value);
            else node.items.push(document.createNode(value));
          } else if (what === 'kind') node.set('uses', kind);
          else if (what === 'add') node.set(name, document.createNode(value));
          else if (isPair(pair) && what === 'rename') pair.key = document.createNode(name);
          else if (isPair(pair) && what === 'replace') pair.value = document.createNode(value);
          else if (isPair(pair)) pair.value = document.createNode([pair.value]);
        };
        return withNode(text, change, at);
      },
  );

const expressionEdit = fc
  .record({ at: where, inside: where, cut: fc.nat(8), put: fc.constantFrom('', ...tokens) })
  .map(
    ({ at, inside, cut, put }): Mutation =>
      (text) => {
        const found = pick([...text.matchAll(/\$\{\{(.*?)\}\}/g)], at);
        if (found === undefined) return text;
        const [, expression = ''] = found;
        const start = found.index + 3 + Math.floor(inside * (expression.length + 1));
        return text.slice(0, start) + put + text.slice(start + cut);
      },
  );

/** One to four changes of any kind. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.oneof(textEdit, lineEdit, nodeEdit, nodeEdit, expressionEdit, expressionEdit),
  { minLength: 1, maxLength: 4 },
);

export const mutated = (text: string, changes: readonly Mutation[]): string =>
  changes.reduce((before, change) => change(before), text);
