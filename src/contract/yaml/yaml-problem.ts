// Translates the YAML parser's errors into messages that say how to fix the file.
import type { YAMLParseError } from 'yaml';
import type { Finding } from './diagnostic.ts';

export interface YamlProblem extends Finding {
  /** Offsets in the text. */
  readonly range: readonly [number, number];
}

export function yamlProblemsOf(
  errors: readonly YAMLParseError[],
  text: string,
): readonly YamlProblem[] {
  const merge = conflictIn(text);
  if (merge !== undefined) return [merge];
  if (/\r/.test(text) && !text.includes('\n')) return [carriageReturns];
  const exhausted = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (exhausted !== undefined) return [tooDeep(exhausted.pos)];
  const problems = errors.map((error) => problemOf(error, text));
  // A text that ends too early also takes the brackets after it apart.
  const cut = problems.find(({ code }) => code === 'SL023')?.range[0] ?? Number.POSITIVE_INFINITY;
  return problems.filter(({ code, range }) => code !== 'SL009' || range[0] < cut);
}

const carriageReturns: YamlProblem = {
  code: 'SL003',
  message: 'the lines end with carriage returns only, as on old Macs, so YAML reads a single line',
  hint: 'save the file with line feeds (LF or CRLF)',
  range: [0, 0],
};

export const tooDeep = (range: readonly [number, number]): YamlProblem => ({
  code: 'SL014',
  message: 'the YAML is nested too deeply',
  hint: 'a pipeline needs only a few levels; look for brackets that are not closed',
  range,
});

export const unquoted = (expression: string, range: YamlProblem['range']): YamlProblem => ({
  code: 'SL012',
  message: `YAML cannot read this expression without quotes: ${expression.length > 60 ? `${expression.slice(0, 59)}…` : expression}`,
  hint: 'quote it: "${{ … }}"',
  range,
});

function problemOf(error: YAMLParseError, text: string): YamlProblem {
  const range = error.pos;
  if (error.code === 'MULTIPLE_DOCS')
    return {
      code: 'SL006',
      message: 'the file contains several YAML documents, but a pipeline is one document',
      hint: 'remove the line --- or ... and everything after it, or move the second document to another file',
      range,
    };
  const cut = cutExpressionAt(text, range[0]);
  if (cut !== undefined) return cut;
  const expression = expressionAt(text, range[0]);
  if (expression !== undefined) return unquoted(expression, range);
  const [first = error.message] = error.message.split('\n');
  if (/^Missing closing .quote/.test(first)) return { ...unended, range };
  if (/^Flow .* must be sufficiently indented and end with/.test(first)) return { ...open, range };
  if (/^Missing , (?:or : )?between/.test(first)) return { ...noComma, range };
  if (/^Unexpected flow-(?:map|seq)-end/.test(first)) return { ...surplus, range };
  if (first.startsWith('Unexpected scalar at node end') && /["']/.test(text[range[0] - 1] ?? ''))
    return { ...afterQuote, range };
  if (/^Implicit (?:map )?keys need to be/.test(first)) return { ...noKey, range };
  const known = spoken[error.code];
  if (known !== undefined) return { ...known, range };
  const message = first.replace(/ at line \d+, column \d+:?$/, '');
  const hint = 'look at the line before, too: a quotation mark or a bracket may be missing there';
  return { code: 'SL020', message: `the YAML is not valid: ${lowered(message)}`, hint, range };
}

const lowered = (sentence: string): string =>
  `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;

const unended: Finding = {
  code: 'SL021',
  message: 'a text in quotation marks has no end',
  hint: 'add the closing quotation mark; inside single quotation marks, write an apostrophe twice',
};

const afterQuote: Finding = {
  code: 'SL023',
  message: 'more text follows the closing quotation mark',
  hint: 'put the whole value in quotation marks; inside single ones, write an apostrophe twice',
};

const noKey: Finding = {
  code: 'SL024',
  message: 'the line is not a key with a value',
  hint: 'write a key, a colon, a space and the value',
};

const noComma: Finding = {
  code: 'SL027',
  message: 'an entry inside { } or [ ] is not followed by a comma',
  hint: 'write a comma between entries; put a value that contains a comma in quotation marks, or on a line of its own',
};

const surplus: Finding = {
  code: 'SL009',
  message: 'the bracket closes nothing',
  hint: 'remove it, or open the bracket that it closes',
};

const open: Finding = {
  code: 'SL009',
  message: 'a { or [ on an earlier line is not closed before this line',
  hint: 'close it with } or ], or indent the lines inside it',
};

/** The most common mistakes; for other errors, the parser's own message is shown. */
const spoken: Readonly<Partial<Record<YAMLParseError['code'], Finding>>> = {
  BAD_DQ_ESCAPE: {
    code: 'SL022',
    message: 'the text contains an escape that YAML does not have',
    hint: 'write \\\\ for a backslash, or use single quotation marks',
  },
  BAD_INDENT: {
    code: 'SL007',
    message: 'the indentation does not match the lines above',
    hint: 'indent the keys of one object by the same number of spaces',
  },
  BAD_SCALAR_START: {
    code: 'SL010',
    message: 'a value cannot begin with this character unless it is quoted',
    hint: 'put the value in quotation marks',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    code: 'SL011',
    message: 'the line has a second ": "',
    hint: 'start a new line for each key, or put a value that contains ": " in quotation marks',
  },
  TAB_AS_INDENT: {
    code: 'SL008',
    message: 'the line is indented with a tab, which YAML does not allow',
    hint: 'indent with spaces',
  },
};

/** The markers that git leaves in a file that it could not merge. */
function conflictIn(text: string): YamlProblem | undefined {
  const mark = /^(?:<{7}|>{7})(?: .*)?\r?$/m.exec(text);
  if (mark === null) return undefined;
  const line = text.slice(0, mark.index).split('\n').length;
  return {
    code: 'SL005',
    message: `the file contains an unfinished git merge, at line ${line}`,
    hint: 'edit the file: keep the correct lines, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>',
    range: [mark.index, mark.index + 7],
  };
}

/** `"${{ item.stem + "x" }}"`: a quotation mark of the expression ends the text. */
function cutExpressionAt(text: string, position: number): YamlProblem | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const before = text.slice(start, position + 1);
  const found = /(["'])(?:(?!\1).)*\$\{\{(?:(?!\1|\}\}).)*\1/.exec(before);
  if (found === null) return undefined;
  const [whole, mark = ''] = found;
  const end = start + found.index + whole.length;
  const other = mark === '"' ? 'single' : 'double';
  return {
    code: 'SL023',
    message: 'a quotation mark in the expression ends the text that contains it',
    hint: `in an expression inside ${mark}…${mark}, put texts in ${other} quotation marks`,
    range: [end - 1, end],
  };
}

/**
 * An expression without quotes: such a scalar cannot contain ": ", which a conditional needs, and inside { } or [ ] it cannot
 * contain a bracket, which every expression has.
 */
function expressionAt(text: string, position: number): string | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const next = text.indexOf('\n', start);
  const line = text.slice(start, next < 0 ? text.length : next);
  return /(?:^|[:\-?[{,])\s+(\$\{\{.*?(?:\}\}|$))/.exec(line)?.[1];
}
