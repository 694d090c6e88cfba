// Checks of a matrix: values that are there twice, and entries of include and exclude that can never apply.

import { grouped } from '../base/grouped.ts';
import type { Code } from '../contract/codes/all.ts';
import { listing, suggestion } from '../contract/yaml/diagnostic.ts';
import type { Path, Span } from '../contract/yaml/place.ts';
import type { Matrix, MatrixRule, Scalar } from './items.ts';

/** More combinations than this are a mistake. GitHub Actions allows 256. */
const mostCombinations = 10_000;

export type Report = (code: Code, message: string, span: Span, hint: string) => void;

interface MatrixPlaces {
  readonly at: (...path: Path) => Span;
  readonly keyAt: (...path: Path) => Span;
}

/** `fields`: what `item` has; undefined if only a table knows. */
export function checkMatrix(
  { variables, include, exclude }: Matrix,
  fields: readonly string[] | undefined,
  report: Report,
  { at, keyAt }: MatrixPlaces,
): void {
  const count = variables.reduce((product, [, values]) => product * values.length, 1);
  if (count + include.length > mostCombinations)
    report(
      'SL526',
      `the matrix has ${grouped(count)} combinations; at most ${grouped(mostCombinations)} are allowed`,
      at(),
      'remove values or lists; GitHub Actions allows 256 combinations, for comparison',
    );
  for (const [name, values] of variables)
    values.forEach((value, index) => {
      const first = values.findIndex((other) => sameScalar(other, value));
      if (first === index) return;
      const { line, column } = at(name, first);
      report(
        'SL525',
        `matrix.${name} has ${said(value)} twice: also at ${line}:${column}`,
        at(name, index),
        'remove one of them',
      );
    });
  const known = new Map(variables);
  exclude.forEach(({ values }, index) => {
    for (const [name, value] of Object.entries(values)) {
      const own = known.get(name);
      if (own === undefined)
        report(
          'SL217',
          `exclude: the matrix has no list ${JSON.stringify(name)}`,
          keyAt('exclude', index, name),
          hintFor(name, [...known.keys()]),
        );
      else if (!own.some((one) => sameScalar(one, value)))
        report(
          'SL527',
          `exclude: matrix.${name} has no ${said(value)}, so nothing is excluded`,
          at('exclude', index, name),
          hintFor(String(value), own.map(String)),
        );
    }
  });
  for (const [what, rules] of [
    ['include', include],
    ['exclude', exclude],
  ] as const)
    rules.forEach((rule, index) => {
      checkItemFields(what, rule, fields, report, (name) => keyAt(what, index, name));
      if (what === 'include' && Object.keys(rule.values).length === 0)
        report(
          'SL527',
          'include: the entry adds no value to the matrix',
          at(what, index),
          'add a value, such as style: gold, or remove the entry',
        );
    });
}

function checkItemFields(
  what: string,
  { item }: MatrixRule,
  fields: readonly string[] | undefined,
  report: Report,
  at: (name: string) => Span,
): void {
  for (const name of Object.keys(item))
    if (fields?.includes(name) === false)
      report(
        'SL206',
        `${what}: item has no ${JSON.stringify(name)}`,
        at(`item.${name}`),
        hintFor(name, fields),
      );
}

/** YAML may write the same value as a number or as text. */
export const sameScalar = (one: Scalar, other: Scalar): boolean => String(one) === String(other);

const said = (value: Scalar): string => JSON.stringify(value);

const hintFor = (wrong: string, known: readonly string[]): string =>
  suggestion(wrong, known) ??
  (known.length === 0 ? 'remove it: the matrix has no lists' : `known: ${listing(known)}`);
