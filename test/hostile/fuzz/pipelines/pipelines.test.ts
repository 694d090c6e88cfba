// Whatever a pipeline file says, shotlist answers: a pipeline, or diagnostics with a code and a place inside the file.
// The long mode: RUNS=200000 SEED=1 npx vitest run test/hostile/fuzz/pipelines
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explanations } from '../../../../src/contract/codes/all.ts';
import { textOf } from '../../../../src/contract/codes/explanation.ts';
import { type Diagnostic, renderDiagnostics } from '../../../../src/contract/yaml/diagnostic.ts';
import { decodeText } from '../../../../src/contract/yaml/utf8.ts';
import { expressionRemedy } from '../../../../src/runner/language/expression-remedy.ts';
import { fill } from '../../../../src/runner/language/template.ts';
import { validate } from '../../../../src/runner/language/validate.ts';
import { annotationOf } from '../../../../src/runner/report/github-annotations.ts';
import { valueItem } from '../../../../src/runner/task/item.ts';
import { blocks, read } from '../../../examples.ts';
import { whole } from '../../../runner/language/check.ts';
import { mutated, mutations } from './mutations.ts';

const seed = Number(process.env['SEED'] ?? 20261122);
const runs = Number(process.env['RUNS'] ?? 1500);

/** All pipelines that people read: those of the repository, of the pages, and the examples of the codes. */
const valid: readonly string[] = [
  whole,
  ...readdirSync(new URL('../../../../pipelines', import.meta.url))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => read(`pipelines/${name}`)),
  ...blocks('yaml')
    .map(({ text }) => text)
    .filter((text) => /^pipeline: /m.test(text)),
  ...[...explanations.values()]
    .filter(({ found }) => found !== 'serve')
    .map(({ right }) => textOf(right)),
];

const changed = fc
  .tuple(fc.constantFrom(...valid), mutations)
  .map(([text, changes]) => mutated(text, changes));

/** A place is inside a text: from one character to a later one, or to the same. */
function isInside(
  { line, column, endLine, endColumn }: NonNullable<Diagnostic['span']>,
  text: string,
): boolean {
  const lines = text.split('\n');
  const fits = (at: number, in_: number): boolean =>
    at >= 1 && at <= lines.length && in_ >= 1 && in_ <= (lines[at - 1] ?? '').length + 1;
  const ordered = line < endLine || (line === endLine && column <= endColumn);
  return fits(line, column) && fits(endLine, endColumn) && ordered;
}

function assertTold(found: readonly Diagnostic[], text: string): void {
  for (const one of found) {
    const about = JSON.stringify(one);
    expect(explanations.has(one.code), about).toBe(true);
    expect(one.message.trim(), about).not.toBe('');
    expect(one.hint?.trim(), about).toBeTruthy();
    expect(`${one.message} ${one.hint}`, about).not.toMatch(/undefined|\[object|NaN/);
    // Only a file without content has no place.
    if (one.span === undefined) expect(one.code, about).toMatch(/^SL00[14]$/);
    else expect(isInside(one.span, text), about).toBe(true);
    expect(annotationOf(one)).not.toMatch(/[\r\n]/);
  }
  expect(renderDiagnostics(found, text).split('\n').length).toBeLessThan(400);
}

function answers(text: string): void {
  const decoded = decodeText('p.yaml', Buffer.from(text));
  if (!decoded.ok) return assertTold([decoded.error.diagnostic], text);
  const result = validate('p.yaml', decoded.value);
  if (!result.ok) {
    expect(result.error.length).toBeGreaterThan(0);
    return assertTold(result.error, decoded.value);
  }
  assertTold(result.value.warnings, decoded.value);
  // Evaluating what is valid has a value or a place, too.
  const item = valueItem({ path: 'a.png' }, 0).fields;
  const scope = { item, inputs: {}, env: {}, steps: {}, run: {} };
  for (const step of result.value.pipeline.steps) {
    const filled = fill(step.with, scope);
    if (filled.ok) continue;
    const { code, message, path, text: expression, start, end } = filled.error;
    const { source } = result.value.pipeline;
    const span = source.spanInside(path, expression, start, end);
    assertTold(
      [
        {
          severity: 'error',
          code,
          file: 'p.yaml',
          span,
          message,
          hint: expressionRemedy(filled.error),
        },
      ],
      decoded.value,
    );
  }
}

describe('a changed pipeline file', () => {
  test('starts from valid ones', () => {
    expect(valid.length).toBeGreaterThan(100);
    for (const text of valid) expect(validate('p.yaml', text).ok, text).toBe(true);
  });

  test(
    'is valid, or says what is wrong with a code and a place',
    () => {
      fc.assert(fc.property(changed, answers), { seed, numRuns: runs });
    },
    Number(process.env['RUNS'] === undefined ? 60_000 : 3_600_000),
  );
});
