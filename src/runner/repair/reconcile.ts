// The two sides of a conflict in a damaged state file, merged into one history.

import type { JobLine } from '../journal/line.ts';
import type { Conflict } from './conflict.ts';
import { type Damage, damage, type Examined, isSame } from './damage.ts';
import { type Merged, mergeLedgers } from './merge.ts';
import type { Orphan } from './orphan.ts';
import type { Salvaged } from './salvage.ts';
import type { History } from './sequence.ts';

export interface Histories {
  /** The whole file, or the two sides of its conflicts. */
  readonly sides: readonly History[];
  /** The common beginning of both sides, as far as the file contains it. */
  readonly base: History | undefined;
}

/**
 * The histories in a file. A conflict that contains only events, with numbers that do not collide, does not split the
 * history.
 */
export function historiesOf({ reads, unread }: Pick<Examined, 'reads' | 'unread'>): Histories {
  const contested = reads.filter(({ side }) => side !== 'both');
  const onlyEvents = contested.every(({ state }) => state.type === 'event') && !collide(reads);
  if (onlyEvents && unread.every(({ side }) => side === 'both'))
    return { sides: [{ name: 'the file', reads, unread }], base: undefined };
  const history = (name: 'ours' | 'theirs' | 'base'): History => ({
    name,
    reads: reads.filter(({ side }) => side === 'both' || side === name),
    unread: unread.filter(({ side }) => side === 'both' || side === name),
  });
  return { sides: [history('ours'), history('theirs')], base: history('base') };
}

function collide(reads: Examined['reads']): boolean {
  const seen = new Map<number, object>();
  return reads.some(({ state }) => {
    if (state.type !== 'event') return false;
    const twin = seen.get(state.line.seq);
    seen.set(state.line.seq, state.line);
    return twin !== undefined && !isSame(twin, state.line);
  });
}

export interface Reconciled extends Omit<Merged, 'disagreements'> {
  readonly damages: readonly Damage[];
  readonly orphans: readonly Orphan[];
  /** Jobs that differ between the sides, and how one was chosen. */
  readonly adjudicated: ReadonlyMap<string, string>;
}

export function reconcile(
  [ours, theirs]: readonly [Salvaged, Salvaged],
  base: Salvaged,
  conflicts: readonly Conflict[],
): Reconciled {
  const place = conflicts[0]?.from ?? 0;
  const { disagreements, ...merged } = mergeLedgers(ours.ledger, theirs.ledger, base.ledger);
  const told = disagreements.map(({ job, ours: a, theirs: b, merged: { tasks } }) => {
    const what = `the sides disagree about a job: ours says ${described(a)}, theirs ${described(b)}`;
    return { job, what, tasks };
  });
  return {
    ...merged,
    damages: told.map(({ job, what, tasks }) => damage(place, 'disagree', what, { job, tasks })),
    orphans: disagreements.flatMap(({ orphan }) => (orphan === undefined ? [] : [orphan])),
    adjudicated: new Map(told.map(({ job, what }) => [job, what])),
  };
}

const described = ({ state, project }: JobLine): string =>
  project === undefined ? state : `${state} (project ${project})`;
