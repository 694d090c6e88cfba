// Whatever a pipeline file says, shotlist answers: a pipeline, or diagnostics with a code, a remedy and a place
// inside the file. The long mode: RUNS=200000 SEED=1 npx vitest run test/hostile/fuzz/pipelines
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explanations } from '../../../../src/contract/codes.ts';
import { type Diagnostic, renderDiagnostics } from '../../../../src/contract/yaml/diagnostic.ts';
import { decodeText } from '../../../../src/contract/yaml/utf8.ts';
import { annotationOf } from '../../../../src/features/validate/command.ts';
import { checkColumns } from '../../../../src/language/item-fields.ts';
import { fill, inExpression } from '../../../../src/language/template.ts';
import { validate } from '../../../../src/language/validate.ts';
import { valueItem } from '../../../../src/model/item.ts';
import { mistaken, valid } from './corpus.ts';
import { mutated, mutations } from './mutations.ts';

const seed = Number(process.env['SEED'] ?? 20261122);
const runs = Number(process.env['RUNS'] ?? 60);

const changed: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...valid, ...mistaken), mutations)
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
    expect(one.hint.trim(), about).not.toBe('');
    expect(`${one.message} ${one.hint}`, about).not.toMatch(/undefined|\[object|NaN/);
    // Only a file without content has no place.
    if (one.span === undefined) expect(one.code, about).toMatch(/^SL00[14]$/);
    else expect(isInside(one.span, text), about).toBe(true);
    expect(annotationOf(one)).not.toMatch(/[\r\n]/);
  }
  const shown = renderDiagnostics(found, text);
  expect(shown.split('\n').length).toBeLessThan(400);
}

const file = 'p.yaml';
const columns = ['name', 'photo', 'age'];

function answers(written: string): void {
  const decoded = decodeText(file, Buffer.from(written));
  if (!decoded.ok) return assertTold([decoded.error.diagnostic], written);
  const text = decoded.value;
  const result = validate(file, text);
  if (!result.ok) {
    expect(result.error.length).toBeGreaterThan(0);
    return assertTold(result.error, text);
  }
  const { pipeline, warnings, profiles } = result.value;
  assertTold(warnings, text);
  for (const profile of [...profiles, 'no such profile']) {
    const own = validate(file, text, profile);
    assertTold(own.ok ? own.value.warnings : own.error, text);
  }
  assertTold(checkColumns(pipeline, columns), text);
  // Evaluating what is valid has a value or a place, too.
  const item = valueItem({ path: 'a.png' }, 0).fields;
  const each = { value: 'a', index: 0n };
  const scope = { item, matrix: {}, each, inputs: {}, env: {}, steps: {}, run: {} };
  for (const step of pipeline.steps) {
    const filled = fill(step.with, scope);
    if (!filled.ok) assertTold([inExpression(filled.error, pipeline.source)], text);
  }
}

describe('a changed pipeline file', () => {
  test('starts from valid ones, besides those with a mistake', () => {
    expect(valid.length).toBeGreaterThan(50);
    for (const text of valid) expect(validate(file, text).ok, text).toBe(true);
  });

  test(
    'is valid, or says what is wrong with a code and a place',
    () => {
      fc.assert(fc.property(changed, answers), { seed, numRuns: runs });
    },
    Number(process.env['RUNS'] === undefined ? 60_000 : 3_600_000),
  );
});
