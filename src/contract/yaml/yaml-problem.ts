// Translates the YAML parser's errors into messages that say how to fix the file.
import type { YAMLParseError } from 'yaml';

export interface YamlProblem {
  readonly message: string;
  readonly hint?: string;
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
  return errors.map((error) => problemOf(error, text));
}

const carriageReturns: YamlProblem = {
  message: 'the lines end with carriage returns only, as on old Macs, so YAML reads a single line',
  hint: 'save the file with line feeds (LF or CRLF)',
  range: [0, 0],
};

export const tooDeep = (range: readonly [number, number]): YamlProblem => ({
  message: 'the YAML is nested too deeply',
  hint: 'a pipeline needs only a few levels; look for brackets that are not closed',
  range,
});

export const unquoted = (expression: string, range: YamlProblem['range']): YamlProblem => ({
  message: `YAML cannot read this expression without quotes: ${expression.length > 60 ? `${expression.slice(0, 59)}…` : expression}`,
  hint: 'quote it: "${{ … }}"',
  range,
});

function problemOf(error: YAMLParseError, text: string): YamlProblem {
  const range = error.pos;
  if (error.code === 'MULTIPLE_DOCS')
    return {
      message: 'the file contains several YAML documents, but a pipeline is one document',
      hint: 'remove the line --- or ... and everything after it, or move the second document to another file',
      range,
    };
  const expression = expressionAt(text, range[0]);
  if (expression !== undefined) return unquoted(expression, range);
  const [first = error.message] = error.message.split('\n');
  if (/^Flow .* must be sufficiently indented and end with/.test(first)) return { ...open, range };
  const known = spoken[error.code];
  if (known !== undefined) return { ...known, range };
  return { message: first.replace(/ at line \d+, column \d+:?$/, ''), range };
}

const open: Omit<YamlProblem, 'range'> = {
  message: 'a { or [ on an earlier line is not closed before this line',
  hint: 'close it with } or ], or indent the lines inside it',
};

/** The most common mistakes; for other errors, the parser's own message is shown. */
const spoken: Readonly<Partial<Record<YAMLParseError['code'], Omit<YamlProblem, 'range'>>>> = {
  BAD_INDENT: {
    message: 'the indentation does not match the lines above',
    hint: 'indent the keys of one object by the same number of spaces',
  },
  BAD_SCALAR_START: {
    message: 'a value cannot begin with this character unless it is quoted',
    hint: 'put the value in quotation marks',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'the line has a second ": "',
    hint: 'start a new line for each key, or put a value that contains ": " in quotation marks',
  },
  TAB_AS_INDENT: {
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
    message: `the file contains an unfinished git merge, at line ${line}`,
    hint: 'edit the file: keep the correct lines, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>',
    range: [mark.index, mark.index + 7],
  };
}

/**
 * The most common mistakes: an unquoted scalar cannot contain ": ", which a conditional needs, and
 * inside { } or [ ] it cannot contain a bracket, which every expression has.
 */
function expressionAt(text: string, position: number): string | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const next = text.indexOf('\n', start);
  const line = text.slice(start, next < 0 ? text.length : next);
  return /(?:^|[:\-?[{,])\s+(\$\{\{.*?(?:\}\}|$))/.exec(line)?.[1];
}
