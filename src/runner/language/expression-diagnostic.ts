// Diagnostics about expressions, at their places in the file.
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { Source } from '../../contract/yaml/source.ts';
import type { TemplateError } from './template.ts';

/** About the place of an expression: a value that does not fit there. */
export function atExpression(error: TemplateError, source: Source): Diagnostic {
  const { path, text, start, end, message, hint } = error;
  return {
    severity: 'error',
    file: source.file,
    span: source.spanInside(path, text, start, end),
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** About a part of an expression. */
export function inExpression(error: TemplateError, source: Source): Diagnostic {
  const dashed = /^there is no "/.test(error.message) && /steps\.[A-Za-z0-9_]+-/.test(error.text);
  const found = atExpression(error, source);
  return {
    ...found,
    message: `in the expression: ${error.message}`,
    ...(dashed ? { hint: 'a step name with "-" needs brackets: steps["photo-file"].path' } : {}),
  };
}
