// What to do about an error in an expression, by its code.
import type { Code } from '../contract/codes/all.ts';
import type { TemplateError } from './template.ts';

const remedies: Readonly<Partial<Record<Code, string>>> = {
  SL215: 'put a text in quotation marks, or write the whole reference, such as item.path',
  SL301:
    'write texts in quotation marks, both sides of each operator, and a closing bracket for each opening one',
  SL302: 'write }} where the expression ends',
  SL303: 'write an expression between ${{ and }}, or remove both',
  SL304: 'docs/expressions.md lists the functions',
  SL305: 'use values of types that fit together',
  SL306: 'write an RE2 pattern: close every bracket, and use no look-around',
  SL307: 'compute the value elsewhere, and pass it as an input or as a field of the items',
  SL308: 'use fewer loops in loops, or shorter lists and texts',
  SL309: 'ask first, for example with has(item.title), or give every item the value',
  SL310: 'choose one entry of the list, or one field of the object',
  SL311: 'write a comparison, such as size(item.stem) > 0',
  SL312: 'convert the value, for example with string()',
};

/** The error's own hint, or what to do about errors of its kind. `text`: of the expression. */
export function expressionRemedy({
  code,
  message,
  text,
  hint,
}: Pick<TemplateError, 'code' | 'message' | 'text' | 'hint'>): string {
  const [, dashed, rest = ''] = /steps\.(\w+(?:-\w+)+)((?:\.\w+)*)/.exec(text) ?? [];
  return dashed !== undefined && message.startsWith('there is no "')
    ? `a step name with "-" needs brackets: steps["${dashed}"]${rest}`
    : (hint ?? remedies[code] ?? 'check the values that the expression uses');
}
