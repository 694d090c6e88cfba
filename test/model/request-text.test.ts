// A compiled request has the canonical text of its essential body: for the examples of each tool, with each value written out,
// and with each as an expression.
import { describe, expect, test } from 'vitest';
import { canonical, isObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { kindNamed } from '../../src/contract/kinds.ts';
import { tools } from '../../src/contract/tools/all.ts';
import { type Scope, toCel } from '../../src/language/expression.ts';
import { compileTemplate } from '../../src/language/template.ts';
import { essentialBody } from '../../src/model/fingerprint.ts';
import { requestText } from '../../src/model/task-request.ts';

/** Each value that is neither a list nor an object as an expression; the values go to `fields`. */
function asExpressions(value: Json, fields: Record<string, Json>): Json {
  if (Array.isArray(value)) return value.map((entry) => asExpressions(entry, fields));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, asExpressions(entry, fields)]),
    );
  const name = `v${Object.keys(fields).length}`;
  fields[name] = value;
  return `\${{ item.${name} }}`;
}

const pathInPipeline = ['steps', 's', 'with'];

function textOf(kind: string, body: Json, fields: JsonObject): string | undefined {
  const found = kindNamed(kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  const template = compileTemplate(body, pathInPipeline, []);
  const scope: Scope = { item: toCel(fields), inputs: {}, env: {}, run: {}, steps: {} };
  return requestText({ kind: found, with: template }, scope);
}

const examples = tools.flatMap(({ name, request, examples: bodies }) =>
  bodies.map((body, at) => ({ what: `${name} ${at + 1}`, name, request, body })),
);

describe('the canonical text of a request', () => {
  test.each(examples)('$what', ({ name, request, body }) => {
    const fields: Record<string, Json> = {};
    const expressions = asExpressions(body, fields);
    const texts = [textOf(name, body, {}), textOf(name, expressions, fields)];
    // Which of its fields count depends on others, so it is looked at as a whole.
    if ('x-ignored' in request) return expect(texts).toEqual([undefined, undefined]);
    const expected = canonical(essentialBody(request, body));
    return expect(texts).toEqual([expected, expected]);
  });

  test('has the defaults, and not what is only for people', () => {
    const known = { prompt: 'a "cat"\n', name: 'mine' };
    const [short, long] = [{ style: { prompt: known.prompt } }, { style: known, name: 'n' }];
    const text = textOf('ai-image-generator', { ...short, name: 'other' }, {});
    expect(text).toBe(canonical(essentialBody(kindNamed('ai-image-generator')?.with ?? {}, short)));
    expect(text).not.toBe(textOf('ai-image-generator', long, {}));
  });

  test.each(['style', 'name'])('is unknown if an expression has no value: %s', (field) => {
    const none = '${{ item.none }}';
    const body = { style: { prompt: 'p' }, [field]: field === 'style' ? { prompt: none } : none };
    expect(textOf('ai-image-generator', body, {})).toBe(undefined);
  });
});
