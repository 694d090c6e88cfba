// What limits the value of an expression from above, before its other parts are known: the plan prices a late value by it.
import type { ASTNode } from '@marcbachmann/cel-js';

/**
 * The texts of the arguments of `math.least`, if the expression is a call of it: the value is greater than none of them.
 * Only numbers and names; everything else limits as well, but is left out.
 */
export function ceilingsIn(node: ASTNode, text: string): readonly string[] {
  if (node.op !== 'rcall') return [];
  const [name, receiver, given] = node.args;
  if (name !== 'least' || receiver.op !== 'id' || receiver.args !== 'math') return [];
  return given.filter(isPlainOperand).map(({ start, end }) => text.slice(start, end));
}

const isPlainOperand = ({ op }: ASTNode): boolean => op === 'value' || op === '.';
