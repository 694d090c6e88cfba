// What happens to a distributed run, drawn from a seed: processes are killed and frozen, and the database crashes.

export type Disturbance =
  | { readonly how: 'kill-worker' }
  /** `standby`: another coordinator waits already. */
  | { readonly how: 'kill-coordinator'; readonly standby: boolean }
  | { readonly how: 'freeze'; readonly who: 'worker' | 'coordinator'; readonly ms: number }
  /** The database is away for so long. */
  | { readonly how: 'crash-database'; readonly ms: number };

export interface Counts {
  /** How many workers are killed. */
  readonly kills: number;
  readonly coordinators: number;
  readonly freezes: number;
  /** How often the database crashes. */
  readonly crashes: number;
}

export interface Pauses {
  /** Milliseconds from something that was paid to the next disturbance: at most. */
  readonly between: number;
  /** Milliseconds for which a process is frozen: at least and at most. */
  readonly frozen: readonly [number, number];
}

export interface PlannedDisturbance {
  /** Milliseconds after the one before. */
  readonly after: number;
  readonly what: Disturbance;
}

export function drawPlan(
  chance: () => number,
  counts: Counts,
  { between, frozen: [least, most] }: Pauses,
): readonly PlannedDisturbance[] {
  const many = (count: number, draw: (index: number) => Disturbance): Disturbance[] =>
    Array.from({ length: count }, (_, index) => draw(index));
  const all = [
    ...many(counts.kills, () => ({ how: 'kill-worker' })),
    ...many(counts.coordinators, () => ({ how: 'kill-coordinator', standby: chance() < 0.5 })),
    // One freeze in four is a coordinator's; the first is a worker's.
    ...many(counts.freezes, (index) => ({
      how: 'freeze',
      who: index % 4 === 3 ? 'coordinator' : 'worker',
      ms: Math.round(least + chance() * (most - least)),
    })),
    ...many(counts.crashes, () => ({ how: 'crash-database', ms: Math.round(chance() * 2000) })),
  ];
  return all
    .map((what) => ({ what, place: chance() }))
    .sort((a, b) => a.place - b.place)
    .map(({ what }) => ({ what, after: Math.round(chance() * between) }));
}

export function disturbanceText(what: Disturbance): string {
  switch (what.how) {
    case 'kill-worker':
      return 'kill -9 of a worker';
    case 'kill-coordinator':
      return `kill -9 of a coordinator${what.standby ? ' with a standby' : ''}`;
    case 'freeze':
      return `a ${what.who} is frozen for ${what.ms} ms`;
    case 'crash-database':
      return `Postgres crashes, and is back after ${what.ms} ms`;
  }
}
