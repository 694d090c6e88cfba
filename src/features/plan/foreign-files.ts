// Files that shotlist did not make, where results will go: a run replaces them only if a person agrees.
import { replaceHint } from '../../files/disk.ts';
import { type Problem, problem } from '../../language/load/refusal.ts';
import type { ForeignFiles, PlannedItems } from './planned-items.ts';

export const foreignText = ({ count, paths }: ForeignFiles): string => {
  const more = count > paths.length ? ` and ${count - paths.length} more` : '';
  return count === 1
    ? `${paths.join('')} is there already, and shotlist did not make it`
    : `${count} files are there already, and shotlist did not make them: ${paths.join(', ')}${more}`;
};

export const foreignWarning = ({ foreign }: Pick<PlannedItems, 'foreign'>): readonly string[] =>
  foreign.count === 0 ? [] : [`${foreignText(foreign)}; run replaces no such file unasked`];

export const foreignProblem = (foreign: ForeignFiles): Problem =>
  problem(
    `nothing was bought: ${foreignText(foreign)}`,
    'shotlist',
    foreign.count === 1 ? replaceHint : replaceHint.replaceAll(' it', ' them'),
  );
