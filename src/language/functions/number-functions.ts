// Functions of expressions for numbers. Whole numbers are ints, so each takes ints and doubles.
import type { Environment } from '@marcbachmann/cel-js';
import { type ExpressionFunction, ours, stop } from './function.ts';

/** What `math` is in `math.round(…)`, as CEL's own extension has it. */
class MathNamespace {}

export function addNumbers(environment: Environment): void {
  environment.registerType('MathNamespace', MathNamespace);
  environment.registerConstant('math', 'MathNamespace', new MathNamespace());
}

type Whole = (value: number) => number;

const rounding =
  (name: string, whole: Whole) =>
  (_: unknown, value: unknown): unknown =>
    typeof value === 'number' ? whole(value) : numberOr(name, value);

function numberOr(name: string, value: unknown): number | bigint {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return stop(`math.${name}() needs numbers, not ${JSON.stringify(value) ?? typeof value}`);
}

/** Halves go away from zero, as in CEL. */
const round: Whole = (value) => Math.sign(value) * Math.round(Math.abs(value));

type Better = (one: number | bigint, other: number | bigint) => boolean;

const extreme =
  (name: string, better: Better) =>
  (_: unknown, ...values: readonly unknown[]): unknown => {
    const [first] = values;
    const all = values.length === 1 && Array.isArray(first) ? first : values;
    const numbers = all.map((value: unknown) => numberOr(name, value));
    const [start] = numbers;
    if (start === undefined) return stop(`math.${name}(): the list is empty`);
    return numbers.reduce((best, value) => (better(value, best) ? value : best), start);
  };

const least = extreme('least', (one, other) => one < other);
const greatest = extreme('greatest', (one, other) => one > other);

export const numberFunctions: readonly ExpressionFunction[] = [
  ours(
    'math.round',
    { 'MathNamespace.round(dyn): dyn': rounding('round', round) },
    {
      signatures: ['math.round(number): number'],
      description: 'The nearest whole number; halves go away from zero.',
      examples: [['math.round(2.5)', 3]],
    },
  ),
  ours(
    'math.ceil',
    { 'MathNamespace.ceil(dyn): dyn': rounding('ceil', Math.ceil) },
    {
      signatures: ['math.ceil(number): number'],
      description: 'The next whole number that is not less.',
      examples: [['math.ceil(2.1)', 3]],
    },
  ),
  ours(
    'math.floor',
    { 'MathNamespace.floor(dyn): dyn': rounding('floor', Math.floor) },
    {
      signatures: ['math.floor(number): number'],
      description: 'The next whole number that is not greater.',
      examples: [['math.floor(2.9)', 2]],
    },
  ),
  ours(
    'math.least',
    {
      'MathNamespace.least(dyn): dyn': least,
      'MathNamespace.least(dyn, dyn): dyn': least,
      'MathNamespace.least(dyn, dyn, dyn): dyn': least,
    },
    {
      signatures: ['math.least(number, number): number', 'math.least(list): number'],
      description: 'The least of two or three numbers, or of a list.',
      examples: [['math.least(4.5, 30)', 4.5]],
    },
  ),
  ours(
    'math.greatest',
    {
      'MathNamespace.greatest(dyn): dyn': greatest,
      'MathNamespace.greatest(dyn, dyn): dyn': greatest,
      'MathNamespace.greatest(dyn, dyn, dyn): dyn': greatest,
    },
    {
      signatures: ['math.greatest(number, number): number', 'math.greatest(list): number'],
      description: 'The greatest of two or three numbers, or of a list.',
      examples: [['math.greatest([1, 5, 3])', 5]],
    },
  ),
];
