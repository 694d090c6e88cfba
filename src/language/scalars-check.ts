// Warnings about values without quotation marks that YAML reads otherwise than a person does: a text that ends before a #,
// and a number that will be written in another way than in the file.
import {
  type Diagnostic,
  errorAt,
  type Finding,
  type Path,
  type Span,
} from '../contract/yaml/diagnostic.ts';
import type { ParsedSource, PlainScalar } from '../contract/yaml/source.ts';

/** Where values become requests, names of files and items. Other texts are notes, and names that only shotlist reads. */
const isSent = ([section, ...rest]: Path): boolean =>
  section === 'items' ||
  (section === 'inputs' && rest.at(-1) === 'default') ||
  rest.includes('with') ||
  rest.includes('extra');

/** Fields of words, behind which a person rarely writes a comment. */
const words =
  /(?:^|_)(?:prompt|topic|content|text|caption|title|description|script|lyrics|words)$/i;

export const checkScalars = (source: ParsedSource): readonly Diagnostic[] =>
  source
    .plainScalars()
    .filter(({ path }) => isSent(path))
    .flatMap((scalar) => cutText(scalar, source.file) ?? changedNumber(scalar, source.file) ?? []);

function cutText({ path, value, comment }: PlainScalar, file: string): Diagnostic | undefined {
  if (comment === undefined || typeof value !== 'string') return undefined;
  const isWords = words.test(String(path.at(-1))) && !value.endsWith('}}');
  if (!isWords && /^#+(?:\s|$)/.test(comment.text)) return undefined;
  const { text } = comment;
  const said = JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
  return warning(file, comment.span, {
    code: 'SL028',
    message: `the text ends before ${said}: YAML takes the rest of the line for a comment`,
    hint: 'put the whole text in quotation marks; if it is a comment, write it on a line of its own',
  });
}

/** Fields of items become keys and names of files. */
function changedNumber({ path, value, text, span }: PlainScalar, file: string) {
  if (path[0] !== 'items' || typeof value !== 'number' || String(value) === text) return undefined;
  const isCut = /^[-+]?\d+$/.test(text) && !Number.isSafeInteger(value);
  return warning(file, span, {
    code: 'SL532',
    message: isCut
      ? `${text} is read as the number ${value}, because a number keeps 15 digits`
      : `${text} is read as the number ${value}, and texts and names of files have it in that form`,
    hint: isCut
      ? 'put it in quotation marks'
      : `put it in quotation marks if it is a name; otherwise write ${value}`,
  });
}

const warning = (file: string, span: Span, finding: Finding): Diagnostic => ({
  ...errorAt(file, span, finding),
  severity: 'warning',
});
