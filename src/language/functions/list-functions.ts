// Functions of expressions for lists.
import { canonical } from '../../base/json.ts';
import { fromCel } from '../cel-value.ts';
import { type ExpressionFunction, ours, stop } from './function.ts';

type List = Iterable<unknown>;

function take(list: List, count: bigint): unknown[] {
  if (count < 0n) stop(`take(${count}): the count must not be negative`);
  return Array.from(list).slice(0, Number(count));
}

function slice(list: List, start: bigint, end: bigint): unknown[] {
  const all = Array.from(list);
  if (start < 0n || end < start || end > all.length)
    stop(`slice(${start}, ${end}): the list has the positions 0 to ${all.length}`);
  return all.slice(Number(start), Number(end));
}

function distinct(list: List): unknown[] {
  const seen = new Set<string>();
  return Array.from(list).filter((value) => {
    const key = canonical(fromCel(value));
    return !seen.has(key) && seen.add(key);
  });
}

const flatten = (list: List): unknown[] =>
  Array.from(list).flatMap((value) => (Array.isArray(value) ? value : [value]));

// Each has an overload that keeps the type of the members, and one for lists of unknown types.
export const listFunctions: readonly ExpressionFunction[] = [
  ours(
    'take',
    { 'list<T>.take(int): list<T>': take, 'list.take(int): list': take },
    {
      signatures: ['list.take(int): list'],
      description: 'The first members of a list, at most so many.',
      examples: [['["a", "b", "c"].take(2)', ['a', 'b']]],
    },
  ),
  ours(
    'slice',
    { 'list<T>.slice(int, int): list<T>': slice, 'list.slice(int, int): list': slice },
    {
      signatures: ['list.slice(int, int): list'],
      description: 'The members from one position, counted from 0, up to before another.',
      examples: [['["a", "b", "c"].slice(1, 3)', ['b', 'c']]],
    },
  ),
  ours(
    'distinct',
    { 'list<T>.distinct(): list<T>': distinct, 'list.distinct(): list': distinct },
    {
      signatures: ['list.distinct(): list'],
      description: 'A list without repetitions.',
      examples: [['["a", "b", "a"].distinct()', ['a', 'b']]],
    },
  ),
  ours(
    'flatten',
    { 'list<list<T>>.flatten(): list<T>': flatten, 'list.flatten(): list': flatten },
    {
      signatures: ['list.flatten(): list'],
      description: 'The members of the lists in a list, as one list.',
      examples: [['[["a"], ["b", "c"]].flatten()', ['a', 'b', 'c']]],
    },
  ),
  {
    name: 'map',
    signatures: ['list.map(name, expression): list'],
    description: 'Another list, made of each member.',
    examples: [['["a", "b"].map(x, x + ".png")', ['a.png', 'b.png']]],
  },
  {
    name: 'filter',
    signatures: ['list.filter(name, condition): list'],
    description: 'The members for which a condition holds.',
    examples: [['[1, 2, 3].filter(x, x > 1)', [2, 3]]],
  },
  {
    name: 'all',
    signatures: ['list.all(name, condition): bool'],
    description: 'Whether a condition holds for every member; `exists`: for at least one.',
    examples: [
      ['[1, 2].all(x, x > 0)', true],
      ['[1, 2].exists(x, x > 5)', false],
    ],
  },
  {
    name: 'size',
    signatures: ['size(list): int', 'size(string): int', 'size(map): int'],
    description: 'The number of members, or of characters.',
    examples: [['size(["a", "b"])', 2]],
  },
];
