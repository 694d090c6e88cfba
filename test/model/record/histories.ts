// Legal histories of one job: a common base, and three sides that go on from it without each other, with clocks that differ.
import { isDeepStrictEqual } from 'node:util';
import { current, isClash, isOver, type Move, stateAfter } from '../../../src/model/record/job.ts';
import { joined } from '../../../src/model/record/join.ts';
import type { Attempt, Job, MarkName, Output } from '../../../src/model/record/line.ts';

const job = 'f'.repeat(64);

/** The copy that another state file holds of attempts for which it did not pay: it has none of their files. */
const adoptedCopy = (line: Job): Job => ({
  ...line,
  outputs: [],
  attempts: line.attempts.map((attempt) => ({ ...attempt, adopted: true })),
});

/** Joined with the line before a move, the line after it must stay as it is. */
export interface Undone {
  readonly move: Move['is'];
  readonly before: Job;
  readonly after: Job;
}

/** What the service knows of a creation. */
export interface Truth {
  readonly project: string;
  readonly downloads: number;
  /** Its result has a destination. */
  readonly isOwed: boolean;
}

export interface History {
  /** Each is of another machine. A side on which nothing has happened has an empty line. */
  readonly sides: readonly [Job, Job, Job];
  /** By the name of the attempt. */
  readonly truth: ReadonlyMap<string, Truth>;
  readonly undone: readonly Undone[];
}

const empty: Job = { job, kind: 'face-swap-photo', tasks: [], attempts: [], outputs: [] };

/** `chance`: numbers in [0, 1). */
export function historyOf(chance: () => number): History {
  const world = new World(chance);
  const base = new Side(world, 'o', 0);
  for (let step = world.below(8); step > 0; step--) base.step([base]);
  const side = (name: string): Side => {
    const skewMs = (world.below(3) - 1) * 3_600_000;
    return new Side(world, name, skewMs, base.job);
  };
  const [a, b, c] = [side('a'), side('b'), side('c')];
  for (let step = 3 + world.below(24); step > 0; step--) {
    const one = world.pick(a, b, c);
    one.step([a, b, c].filter((other) => other !== one));
  }
  return {
    sides: [a.job ?? empty, b.job ?? empty, c.job ?? empty],
    truth: world.truth,
    undone: world.undone,
  };
}

class World {
  readonly truth = new Map<string, Truth>();
  readonly undone: Undone[] = [];
  readonly #chance: () => number;
  #seconds = 1_700_000_000;

  constructor(chance: () => number) {
    this.#chance = chance;
  }

  below(count: number): number {
    return Math.floor(this.#chance() * count);
  }

  /** True one time in `count`. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(first: T, ...others: readonly T[]): T {
    return [first, ...others][this.below(others.length + 1)] ?? first;
  }

  /** Later than each time before it on a machine with the same clock. */
  time(skewMs: number): string {
    this.#seconds += 1 + this.below(5);
    return new Date(this.#seconds * 1000 + skewMs).toISOString();
  }

  /** A creation begins. */
  begin(name: string): Truth {
    const truth = { project: `p-${name}`, downloads: this.below(3), isOwed: this.below(3) > 0 };
    this.truth.set(name, truth);
    return truth;
  }

  truthOf(name: string): Truth {
    const truth = this.truth.get(name);
    if (truth === undefined) throw new Error(`nothing is known of ${name}`);
    return truth;
  }
}

class Side {
  job: Job | undefined;
  readonly #world: World;
  readonly #name: string;
  readonly #skewMs: number;
  #sent = 0;

  constructor(world: World, name: string, skewMs: number, base?: Job) {
    this.job = base;
    this.#world = world;
    this.#name = name;
    this.#skewMs = skewMs;
  }

  step(others: readonly Side[]): void {
    const world = this.#world;
    const at = world.time(this.#skewMs);
    if (world.oneIn(8)) return this.#learn(world.pick(others[0], ...others.slice(1))?.job, at);
    const [any] = this.job?.attempts.filter(() => world.oneIn(2)) ?? [];
    if (any !== undefined && world.oneIn(6)) return this.#aside(any, at);
    const attempt = this.job === undefined ? undefined : current(this.job);
    if (attempt === undefined) return this.#send(at);
    if (isClash(attempt)) return world.oneIn(3) ? this.#settle(attempt, at) : undefined;
    return this.#goOn(attempt, at);
  }

  #apply(move: Move, at: string): void {
    const before = this.job;
    const after = stateAfter(before, move, `run-${this.#name}-${this.#sent >> 1}`, at);
    this.job = after;
    // `known` is a join itself.
    if (before === undefined || move.is === 'known') return;
    if (!isDeepStrictEqual(joined(before, after), after))
      this.#world.undone.push({ move: move.is, before, after });
  }

  /** Another machine's line comes in, by git or from receipts. */
  #learn(line: Job | undefined, at: string): void {
    if (line === undefined) return;
    const copy = this.#world.oneIn(2) ? adoptedCopy(line) : line;
    this.#apply({ job, is: 'known', line: copy }, at);
  }

  /** What may be said of any attempt. */
  #aside({ name }: Attempt, at: string): void {
    const world = this.#world;
    const marks: readonly MarkName[] = ['accepted', 'forgotten', 'notCharged', 'gaveUp'];
    const mark = world.oneIn(2) ? 'accepted' : world.pick<MarkName>('accepted', ...marks);
    this.#apply(
      world.pick<Move>(
        { job, is: 'said', attempt: name, mark },
        { job, is: 'serves', task: `t${world.below(3)}` },
        { job, is: 'picked', take: 1 + world.below(3) },
      ),
      at,
    );
  }

  #settle({ name }: Attempt, at: string): void {
    const { project } = this.#world.truthOf(name);
    this.#apply(
      this.#world.pick<Move>(
        { job, is: 'said', attempt: name, mark: 'forgotten' },
        { job, is: 'settled', attempt: name, project },
      ),
      at,
    );
  }

  #send(at: string): void {
    const world = this.#world;
    const attempt = `n-${this.#name}-${this.#sent}`;
    this.#sent += 1;
    const { isOwed } = world.begin(attempt);
    const to = world.oneIn(3) ? 'kept' : [{ task: 'save', path: 'x' }];
    const forgets = (this.job?.attempts ?? [])
      .filter((one) => !isOver(one))
      .map(({ name }) => name);
    this.#apply(
      {
        job,
        is: 'intent',
        kind: empty.kind,
        task: `t${world.below(2)}`,
        attempt,
        reserve: 5 + world.below(3),
        measure: { of: 'swap', amount: 1 },
        fields: { name: `${world.below(2)}00000` },
        to: isOwed ? to : [],
        take: world.oneIn(9) ? { of: 'e'.repeat(64), number: 2 } : undefined,
        forgets,
      },
      at,
    );
  }

  #goOn(attempt: Attempt, at: string): void {
    switch (attempt.state) {
      case 'intended':
      case 'doubt':
        return this.#answer(attempt, at);
      case 'created':
        return this.#render(attempt, at);
      case 'refused':
      case 'failed':
      case 'complete':
      case 'deleted':
        return this.#afterwards(attempt, at);
    }
  }

  #answer({ name, state }: Attempt, at: string): void {
    const world = this.#world;
    const truth = world.truthOf(name);
    const about = { job, attempt: name } as const;
    const fault = { code: `c${world.below(2)}`, message: '' };
    const chance = world.below(10);
    if (chance < 4) {
      const project = world.oneIn(40) ? `p-wrong-${this.#name}` : truth.project;
      const charge = world.oneIn(2) ? undefined : { credits: world.below(4) * 5, read: at };
      return this.#apply({ ...about, is: 'created', project, charge }, at);
    }
    if (chance < 6) {
      if (state !== 'intended') return;
      return this.#apply({ ...about, is: chance === 4 ? 'refused' : 'doubt', fault }, at);
    }
    if (chance < 7) return this.#apply({ ...about, is: 'said', mark: 'notCharged' }, at);
    if (chance < 8) return this.#apply({ ...about, is: 'said', mark: 'gaveUp' }, at);
    if (chance < 9) this.#send(at);
  }

  #render({ name, adopted }: Attempt, at: string): void {
    const world = this.#world;
    const { downloads } = world.truthOf(name);
    const about = { job, attempt: name } as const;
    const charge = { credits: world.below(4) * 5, read: at };
    const fault = { code: 'error', message: '' };
    const chance = world.below(10);
    if (chance < 6)
      return this.#apply({ ...about, is: 'complete', charge, result: { downloads } }, at);
    if (chance < 7) return this.#apply({ ...about, is: 'failed', charge, fault }, at);
    if (chance < 8) return this.#apply({ ...about, is: 'missing' }, at);
    if (adopted) return;
    if (chance < 9) return this.#apply({ ...about, is: 'charged', charge }, at);
    this.#apply({ ...about, is: 'gone' }, at);
  }

  #afterwards({ name, state, adopted }: Attempt, at: string): void {
    const world = this.#world;
    const about = { job, attempt: name } as const;
    const charge = { credits: world.below(4) * 5, read: at };
    const chance = world.below(10);
    if (chance < 5) return this.#save(name, at);
    if (chance < 6)
      return adopted ? undefined : this.#apply({ ...about, is: 'charged', charge }, at);
    if (chance < 7)
      return state === 'complete' ? this.#apply({ ...about, is: 'deleted' }, at) : undefined;
    if (chance < 8) {
      if (state !== 'complete') return;
      return this.#apply({ ...about, is: adopted ? 'missing' : 'gone' }, at);
    }
    if (chance < 9) return this.#amend(at);
    this.#send(at);
  }

  #save(of: string, at: string): void {
    const world = this.#world;
    const { downloads } = world.truthOf(of);
    if (downloads === 0) return;
    const [index, path] = [world.below(downloads), `x${world.below(2)}`];
    const sha256 = world.pick('b', 'c').repeat(64);
    const output: Omit<Output, 'at'> = { of, task: 'save', index, path, bytes: 9, sha256 };
    if (world.oneIn(2)) output.unchecked = true;
    this.#apply({ job, is: 'output', output }, at);
  }

  #amend(at: string): void {
    const world = this.#world;
    const [output] = this.job?.outputs ?? [];
    if (output === undefined) return;
    const { of, task, index, path } = output;
    const place = { job, of, task, index, path } as const;
    this.#apply(
      world.pick<Move>(
        { ...place, is: 'stored', store: 'd'.repeat(16) },
        { ...place, is: 'pruned' },
        { ...place, is: 'unsaved' },
      ),
      at,
    );
  }
}
