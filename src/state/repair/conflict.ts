// Git's conflict markers in a state file: the conflict and the side that each line belongs to.

import { conflictMarker } from '../../base/raw-line.ts';

export type Side = 'both' | 'ours' | 'theirs' | 'base';

export interface Conflict {
  /** The numbers of the first and the last line, including the markers. */
  readonly from: number;
  readonly until: number;
  /** True if the conflict has its middle and end markers. */
  readonly whole: boolean;
}

export interface Sides {
  readonly conflicts: readonly Conflict[];
  /** Markers outside of any conflict: line numbers. */
  readonly stray: readonly number[];
  /** The side of each line, from the first line; undefined for a marker. */
  readonly of: readonly (Side | undefined)[];
}

/** The sides of all lines. A conflict without an end marker extends to the next conflict, or to the last line. */
export function sidesOf(texts: readonly string[]): Sides {
  const conflicts: Conflict[] = [];
  const stray: number[] = [];
  const of: (Side | undefined)[] = [];
  let side: Side = 'both';
  let from = 0;
  const close = (until: number, whole: boolean): void => {
    if (side !== 'both') conflicts.push({ from, until, whole });
    side = 'both';
  };
  texts.forEach((text, index) => {
    const number = index + 1;
    const [, mark] = conflictMarker.exec(text) ?? [];
    of.push(mark === undefined ? side : undefined);
    if (mark === undefined) return;
    if (mark === '<<<<<<<') {
      close(index, false);
      [side, from] = ['ours', number];
    } else if (mark === '|||||||' && side === 'ours') side = 'base';
    else if (mark === '=======' && (side === 'ours' || side === 'base')) side = 'theirs';
    else if (mark === '>>>>>>>' && side !== 'both') close(number, side === 'theirs');
    else stray.push(number);
  });
  close(texts.length, false);
  return { conflicts, stray, of };
}
