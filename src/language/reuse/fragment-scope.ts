// The names inside a fragment: its own steps get a prefix, and its inputs are replaced by the values
// that the including file gives.
import type { Json } from '../../base/json.ts';
import { kindNamed } from '../../contract/kinds.ts';
import {
  type Diagnostic,
  type Finding,
  listing,
  type Path,
  type Span,
  suggestion,
} from '../../contract/yaml/diagnostic.ts';
import { parseExpression } from '../expression.ts';
import type { Reference } from '../reference.ts';
import { closeOf, isTemplated } from '../template.ts';
import { jsonOf, mapTexts, memberOf, type Placed, textOf, valueAt } from './placed.ts';

export interface FragmentScope {
  /** `face-`. */
  readonly prefix: string;
  /** The names of the steps, without the prefix. */
  readonly steps: ReadonlySet<string>;
  /** The values of the inputs. */
  readonly inputs: ReadonlyMap<string, Placed>;
}

/** A step of a fragment, in the names of the file that includes the fragment. */
export function inOuterNames(step: Placed, scope: FragmentScope, problems: Diagnostic[]): Placed {
  const kind = kindNamed(textOf(memberOf(step, 'uses')) ?? '');
  const namesStep = (within: Path): boolean => {
    const [field, inner] = within;
    if (field === 'needs') return within.length === 2;
    const about = kind?.operation === 'download' || kind?.operation === 'delete';
    return about && field === 'with' && inner === 'of' && within.length === 2;
  };
  return mapTexts(step, (text, at, within) => {
    const renaming = new Renaming(scope, at, problems);
    if (namesStep(within) && !isTemplated(text)) return renaming.stepName(text);
    // A condition needs no `${{ }}` around it.
    if (within.length === 1 && within[0] === 'if' && !isTemplated(text))
      return renaming.condition(text);
    return within[0] === 'description' ? at : renaming.text(text);
  });
}

/** One text of a fragment. */
class Renaming {
  readonly #scope: FragmentScope;
  readonly #at: Placed;
  readonly #problems: Diagnostic[];

  constructor(scope: FragmentScope, at: Placed, problems: Diagnostic[]) {
    this.#scope = scope;
    this.#at = at;
    this.#problems = problems;
  }

  stepName(name: string): Placed {
    if (this.#scope.steps.has(name)) return valueAt(this.#at, `${this.#scope.prefix}${name}`);
    const { source, path } = this.#at;
    this.#report(unknownStep(name, this.#scope), source.spanOf(path));
    return this.#at;
  }

  condition(text: string): Placed {
    const after = this.#expression(text);
    return after === text ? this.#at : valueAt(this.#at, after);
  }

  text(text: string): Placed {
    const parts: string[] = [];
    let end = 0;
    for (;;) {
      const start = text.indexOf('${{', end);
      const close = start < 0 ? -1 : closeOf(text, start + 3);
      if (close < 0) break;
      const inner = text.slice(start + 3, close);
      const input = this.#inputOf(inner);
      const rest = text.slice(close + 2);
      if (input !== undefined && start === 0 && rest.trim() === '') return input;
      parts.push(text.slice(end, start), inText(input) ?? `\${{${this.#expression(inner)}}}`);
      end = close + 2;
    }
    const after = parts.join('') + text.slice(end);
    return after === text ? this.#at : valueAt(this.#at, after);
  }

  /** The value of an input, if the expression is nothing else. */
  #inputOf(expression: string): Placed | undefined {
    const name = /^\s*inputs\.([A-Za-z_]\w*)\s*$/.exec(expression)?.[1];
    return name === undefined ? undefined : this.#scope.inputs.get(name);
  }

  /** An expression that is not valid stays as it is: a later check reports it, at this place. */
  #expression(text: string): string {
    const parsed = parseExpression(text);
    if (!parsed.ok) return text;
    const own = parsed.value.references.filter(({ root }) => root === 'steps' || root === 'inputs');
    return own
      .toSorted((a, b) => b.start - a.start)
      .reduce((after, reference) => {
        const name = nameAt(text, reference);
        if (reference.key === undefined) return after;
        const outer = this.#outerName(text, reference);
        const begin = reference.start;
        return name === undefined || outer === undefined
          ? after
          : `${after.slice(0, begin)}${outer}${after.slice(begin + name.length)}`;
      }, text);
  }

  #outerName(text: string, { root, key = '', start, end }: Reference): string | undefined {
    const { steps, inputs, prefix } = this.#scope;
    const { source, path } = this.#at;
    const report = (finding: Finding): undefined => {
      const leading = text.length - text.trimStart().length;
      this.#report(finding, source.spanInside(path, text.trim(), start - leading, end - leading));
    };
    if (root === 'steps')
      return steps.has(key)
        ? `steps[${JSON.stringify(`${prefix}${key}`)}]`
        : report(unknownStep(key, this.#scope));
    const value = inputs.get(key);
    if (value === undefined) return report(unknownInput(key, inputs));
    return (
      inExpression(value) ??
      report({
        code: 'SL910',
        message: `the value of inputs.${key} is a text around an expression, which cannot be part of another expression`,
        hint: `give it as one expression, for example \${{ "a-" + item.stem }}`,
      })
    );
  }

  #report(finding: Finding, span: Span): void {
    const { file } = this.#at.source;
    this.#problems.push({ severity: 'error', file, span, ...finding });
  }
}

/** The text of `steps.name` or `steps["name"]` where a reference begins. */
function nameAt(text: string, { start, end }: Reference): string | undefined {
  const chain = text.slice(start, end);
  return /^\w+\s*(?:\.\s*[A-Za-z_]\w*|\[\s*r?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\])/.exec(
    chain,
  )?.[0];
}

/** A value in the middle of a text; undefined if it must stay an expression. */
function inText(value: Placed | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = textOf(value);
  if (text === undefined) return String(jsonOf(value));
  return isTemplated(text) || !/[${}]/.test(text) ? text : undefined;
}

/** A value as part of an expression; undefined if it is a text that contains expressions. */
function inExpression(value: Placed): string | undefined {
  const text = textOf(value);
  if (text === undefined) return literal(jsonOf(value));
  if (!isTemplated(text)) return JSON.stringify(text);
  const close = text.startsWith('${{') ? closeOf(text, 3) : -1;
  return close >= 0 && text.slice(close + 2).trim() === ''
    ? `(${text.slice(3, close).trim()})`
    : undefined;
}

/** Whole numbers are ints in expressions, unless they are too large. */
function literal(value: Json): string {
  if (typeof value !== 'number') return JSON.stringify(value);
  const text =
    Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
  return value < 0 ? `(${text})` : text;
}

function unknownStep(name: string, { steps }: FragmentScope): Finding {
  return {
    code: 'SL909',
    message: `the fragment has no step "${name}"`,
    hint:
      suggestion(name, steps) ??
      'a fragment sees its own steps only; take the output of another step as an input',
  };
}

function unknownInput(name: string, inputs: FragmentScope['inputs']): Finding {
  const hint =
    suggestion(name, inputs.keys()) ??
    (inputs.size === 0 ? 'declare it under inputs:' : `inputs: ${listing(inputs.keys())}`);
  return { code: 'SL906', message: `the fragment has no input "${name}"`, hint };
}
