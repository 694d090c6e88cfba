// Functions of expressions for values of any type.
import type { ASTNode } from '@marcbachmann/cel-js';
import { canonical } from '../../base/json.ts';
import { fromCel } from '../cel-value.ts';
import { budget } from '../evaluation-budget.ts';
import { type ExpressionFunction, ours } from './function.ts';

/** The parts of the CEL library that a macro uses. */
interface Checker {
  check(node: ASTNode, context: unknown): { readonly name: string };
  getType(name: string): { readonly name: string };
}
interface Evaluator {
  run(node: ASTNode, context: unknown): unknown;
}

/** A macro, because an argument that does not exist must not end the evaluation. */
const defaultMacro = ({ args }: { readonly args: readonly [ASTNode, ASTNode] }) => ({
  args,
  typeCheck(checker: Checker, _: unknown, context: unknown) {
    const [value, otherwise] = args.map((node) => checker.check(node, context));
    return value?.name === otherwise?.name ? value : checker.getType('dyn');
  },
  evaluate(evaluator: Evaluator, _: unknown, context: unknown) {
    const value = valueIfAny(() => evaluator.run(args[0], context));
    const missing = value === undefined || value === null || value === '';
    return missing ? evaluator.run(args[1], context) : value;
  },
});

function valueIfAny(evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch (error) {
    budget.check();
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'no_such_key' || error.code === 'index_out_of_bounds') return undefined;
    throw error;
  }
}

export const valueFunctions: readonly ExpressionFunction[] = [
  ours(
    'default',
    { 'default(ast, ast): dyn': defaultMacro },
    {
      signatures: ['default(value, otherwise): value'],
      description: 'A value, or another if the first does not exist, is null or is an empty text.',
      examples: [
        ['default("", "untitled")', 'untitled'],
        ['default(item.nick, item.name)', 'Ada'],
      ],
    },
  ),
  ours(
    'json',
    { 'json(dyn): string': (value: unknown) => canonical(fromCel(value)) },
    {
      description: 'A value as JSON, with sorted keys and without white space.',
      examples: [['json({"b": 1, "a": [true]})', '{"a":[true],"b":1}']],
    },
  ),
  {
    name: 'has',
    signatures: ['has(value.field): bool'],
    description: 'Whether a field exists.',
    examples: [['has(item.nick)', false]],
  },
  {
    name: 'string',
    signatures: ['string(int): string', 'string(double): string', 'string(bool): string'],
    description: 'A value as a text; also `int` and `double`.',
    examples: [
      ['"take " + string(2)', 'take 2'],
      ['int("42") + 1', 43],
    ],
  },
  {
    name: 'matches',
    signatures: ['string.matches(string): bool'],
    description: 'Whether a part of a text matches a pattern of RE2.',
    examples: [['"IMG_0412".matches("^IMG_[0-9]+$")', true]],
  },
];
