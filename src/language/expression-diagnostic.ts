// Diagnostics about expressions, at their places in the file.
import type { Diagnostic } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import { expressionRemedy } from './expression-remedy.ts';
import type { TemplateError } from './template.ts';

/** About the place of an expression: a value that does not fit there. */
export function atExpression(error: TemplateError, source: Source): Diagnostic {
  const { code, path, text, start, end, message } = error;
  return {
    severity: 'error',
    code,
    file: source.file,
    span: source.spanInside(path, text, start, end),
    message,
    hint: expressionRemedy(error),
  };
}

/** About a part of an expression. */
export function inExpression(error: TemplateError, source: Source): Diagnostic {
  return { ...atExpression(error, source), message: `in the expression: ${error.message}` };
}
