// Finds assertions about texts for people, which belong into transcripts: an `expect` that quotes five words or more in a row,
// or words of a stream of a command. Codes, places, names, flags and numbers on a stream are no such text, nor is what is
// parsed as JSON.
import { type Expression, parseSync, Visitor } from 'oxc-parser';

interface Extent {
  readonly start: number;
  readonly end: number;
}

const isIn = ({ start }: { readonly start: number }, extent: Extent): boolean =>
  extent.start <= start && start < extent.end;

/** The call `expect(…)` that a chain of calls and members begins with. */
function expectOf(chain: Expression) {
  let node: Expression | { readonly type: 'Super' } = chain;
  for (;;) {
    if (node.type === 'MemberExpression') node = node.object;
    else if (node.type !== 'CallExpression') return undefined;
    else if (node.callee.type !== 'Identifier') node = node.callee;
    else return node.callee.name === 'expect' ? node : undefined;
  }
}

const fiveWords = /(?:\p{L}[\p{L}'’-]*[,:;]? +){4}\p{L}/u;

/** A word for people, not a name, path, flag, code or number. */
const isWord = (word: string): boolean =>
  !/[\d./:_*{}<>"=@-]/.test(word.replace(/[.,:;]$/, '')) &&
  /\p{L}{3,}/u.test(word) &&
  !/^(error|warning|E[A-Z]{4,})[:.]?$/.test(word);

const hasWord = (text: string): boolean => text.split(/[\s|()]+/).some(isWord);

/** The line numbers of the assertions. */
export function assertedTexts(path: string, source: string): readonly number[] {
  const assertions: Extent[] = [];
  const leftOut: Extent[] = [];
  const texts: { readonly start: number; readonly text: string }[] = [];
  const streams: Extent[] = [];
  const visitor = new Visitor({
    CallExpression(node) {
      const { callee } = node;
      if (
        callee.type === 'MemberExpression' &&
        callee.object.type === 'Identifier' &&
        callee.object.name === 'JSON'
      )
        leftOut.push(node);
      const expect = expectOf(node);
      if (expect === undefined || expect === node) return;
      // What is said if the assertion fails.
      leftOut.push(...expect.arguments.slice(1));
      if (!assertions.some((outer) => isIn(node, outer))) assertions.push(node);
    },
    Identifier(node) {
      if (['stdout', 'stderr'].includes(node.name)) streams.push(node);
    },
    Literal(node) {
      if (typeof node.value === 'string') texts.push({ start: node.start, text: node.value });
      else if ('regex' in node)
        texts.push({
          start: node.start,
          text: node.regex.pattern.replace(/\\[a-zA-Z]/g, ' ').replaceAll('\\', ''),
        });
    },
    TemplateElement: (node) =>
      void texts.push({ start: node.start, text: node.value.cooked ?? '' }),
  });
  visitor.visit(parseSync(path, source).program);
  const counts = (node: { readonly start: number }): boolean =>
    !leftOut.some((extent) => isIn(node, extent));
  return assertions
    .filter((assertion) => {
      const within = texts.filter((text) => isIn(text, assertion) && counts(text));
      const isOfStream = streams.some((stream) => isIn(stream, assertion) && counts(stream));
      return within.some(({ text }) => fiveWords.test(text) || (isOfStream && hasWord(text)));
    })
    .map(({ start }) => source.slice(0, start).split('\n').length);
}
