// How much processor time processes have used, as Linux counts it.
import { readFileSync } from 'node:fs';
import { childrenOf } from '../test/process-tree.ts';

const ticksPerSecond = 100;

/** Seconds of a process, of the children that it has waited for, and of those that still run. */
export function processorSeconds(pid: number): number {
  const text = statusOf(pid);
  // After the name, which is in parentheses and may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const children = childrenOf(pid).map(processorSeconds);
  return children.reduce((sum, seconds) => sum + seconds, ticks / ticksPerSecond);
}

/** Empty if it has ended meanwhile: then its parent counts it. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(`${error.code}`))
      return '';
    throw error;
  }
}
