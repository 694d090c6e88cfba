// Whatever the text is, validate answers: a pipeline, or diagnostics with places inside the text.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable } from '../../src/base/printable.ts';
import { renderDiagnostic } from '../../src/contract/yaml/diagnostic.ts';
import { validate } from '../../src/language/validate.ts';
import { partOf } from '../sweep.ts';
import { whole } from './check.ts';

function answers(text: string): void {
  const result = validate('p.yaml', text);
  if (result.ok) return;
  expect(result.error.length).toBeGreaterThan(0);
  const lines = text.split('\n');
  for (const one of result.error) {
    expect(one.severity).toBe('error');
    expect(renderDiagnostic(one, text)).toContain(printable(one.message));
    if (one.span === undefined) continue;
    expect(one.span.line).toBeGreaterThanOrEqual(1);
    expect(one.span.line).toBeLessThanOrEqual(lines.length + 1);
    expect(one.span.column).toBeGreaterThanOrEqual(1);
  }
}

/** Pieces that mean something to YAML, to the schema or to expressions. */
const pieces = [
  '\n',
  ' ',
  '  ',
  ': ',
  '- ',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ',',
  '#',
  '&a ',
  '*a',
  '<<: ',
  '!!binary ',
  '!x ',
  '? ',
  '| ',
  '>-',
  '---\n',
  '${{',
  '}}',
  '${{ item.path }}',
  'steps',
  'with',
  'uses',
  'upload',
  'needs',
  'if',
  'items',
  'null',
  '~',
  '1',
  '-1',
  '.nan',
  '.inf',
  '1e999',
  'true',
  '__proto__',
  'constructor',
  '\u0000',
  '\u001b',
  '\ufeff',
  '😀',
  '\t',
  '\r\n',
  '%YAML 1.2\n',
];

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat(12),
  put: fc.oneof(fc.constant(''), fc.constantFrom(...pieces), fc.string({ maxLength: 4 })),
});

describe('validate never throws', () => {
  test('for arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), answers), {
      seed: 1,
      numRuns: partOf(150),
    });
  });

  test('for text made of YAML and pipeline pieces', () => {
    const text = fc
      .array(fc.constantFrom(...pieces), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(fc.property(text, answers), { seed: 1, numRuns: partOf(700) });
  });

  test('for a valid pipeline with parts cut out and put in', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        let text = whole;
        for (const { at, cut, put } of edits) {
          const index = Math.floor(at * text.length);
          text = text.slice(0, index) + put + text.slice(index + cut);
        }
        answers(text);
      }),
      { seed: 1, numRuns: partOf(150) },
    );
  });

  test('for a valid pipeline with lines dropped, doubled or swapped', () => {
    const lines = whole.trimEnd().split('\n');
    const order = fc.array(fc.nat(lines.length - 1), { maxLength: lines.length });
    fc.assert(
      fc.property(order, (chosen) =>
        answers([...lines.slice(0, 14), ...chosen.map((index) => lines[index] ?? '')].join('\n')),
      ),
      { seed: 1, numRuns: partOf(200) },
    );
  });
});
