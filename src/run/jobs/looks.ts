// Looks at projects that still render: how many a process makes, and when this checkout last made them. When a look is useful says
// plan/look-schedule.ts.

import type { Clock } from '../../core/ports.ts';
import { type LookSchedule, looksPerSecond } from '../../plan/look-schedule.ts';

/** Permission to look once. */
interface LookPermit {
  /** Call when the look finds its project over. */
  giveBack(): void;
}

/**
 * Ten looks in any second; whoever is due first looks first. A look that finds its project over is not in vain and gives its turn
 * back, so that nothing is noticed later however many projects end at once.
 */
export class LookBudget {
  readonly #clock: Pick<Clock, 'elapsed' | 'sleep'>;
  readonly #secondMs: number;
  /** When each of the ten looks may be made again, by `elapsed`. */
  readonly #freeAt: number[] = Array.from({ length: looksPerSecond }, () => -Infinity);
  readonly #queue = new Set<(turn: LookPermit | undefined) => void>();
  #nobodyWaits: AbortController | undefined;

  /** `speedFactor`: the speed of the service relative to the hosted one. */
  constructor(clock: Pick<Clock, 'elapsed' | 'sleep'>, speedFactor: number) {
    this.#clock = clock;
    this.#secondMs = 1000 / speedFactor;
  }

  /** Resolves when a look may be made; with undefined if one of the signals is aborted before. */
  turn(signals: readonly AbortSignal[]): Promise<LookPermit | undefined> {
    const free = this.#queue.size === 0 ? this.#take() : undefined;
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve) => {
      const leave = (): void => go(undefined);
      const go = (turn: LookPermit | undefined): void => {
        this.#queue.delete(go);
        if (this.#queue.size === 0) this.#nobodyWaits?.abort();
        for (const signal of signals) signal.removeEventListener('abort', leave);
        resolve(turn);
      };
      this.#queue.add(go);
      for (const signal of signals) signal.addEventListener('abort', leave);
      if (signals.some(({ aborted }) => aborted)) leave();
      else void this.#serveInTime();
    });
  }

  #take(): LookPermit | undefined {
    const now = this.#clock.elapsed();
    const index = this.#freeAt.findIndex((at) => at <= now);
    if (index < 0) return undefined;
    const until = now + this.#secondMs;
    this.#freeAt[index] = until;
    const giveBack = (): void => {
      if (this.#freeAt[index] !== until) return;
      this.#freeAt[index] = now;
      this.#serve();
    };
    return { giveBack };
  }

  #serve(): void {
    for (const go of this.#queue) {
      const turn = this.#take();
      if (turn === undefined) return;
      go(turn);
    }
  }

  /** One loop at a time; a loop whose last waiter left ends at once, so that nothing keeps the process. */
  async #serveInTime(): Promise<void> {
    if (this.#nobodyWaits !== undefined) return;
    while (this.#queue.size > 0) {
      this.#nobodyWaits = new AbortController();
      const pause = Math.min(...this.#freeAt) - this.#clock.elapsed();
      if (pause > 0) await this.#clock.sleep(pause, this.#nobodyWaits.signal);
      this.#serve();
    }
    this.#nobodyWaits = undefined;
  }
}

export interface RenderingProject {
  readonly project: string;
  /** The step kind. */
  readonly kind: string;
  /** When it was created, in milliseconds since 1970. */
  readonly since: number;
}

/** When this checkout last looked at each project that renders, so that many short runs look no more often than is useful. */
export class LastLooks {
  /** By project, in milliseconds since 1970. */
  readonly #at: Map<string, number>;
  /** The projects that this run did not wait for. */
  readonly #left = new Map<string, RenderingProject>();
  readonly #schedule: LookSchedule;
  #changed = false;

  constructor(known: ReadonlyMap<string, number>, schedule: LookSchedule) {
    this.#at = new Map(known);
    this.#schedule = schedule;
  }

  /** True if a useful moment has come since the last look. */
  isDue(project: RenderingProject, now: number): boolean {
    return this.#next(project, now) <= now;
  }

  /** Call after a look at a project that still renders. */
  looked({ project }: RenderingProject, now: number): void {
    this.#at.set(project, now);
    this.#changed = true;
  }

  /** Call when the run does not wait for a project any more. */
  leave(project: RenderingProject): void {
    this.#left.set(project.project, project);
  }

  /** Call when a project is over. */
  over({ project }: Pick<RenderingProject, 'project'>): void {
    this.#left.delete(project);
  }

  /** The next useful moment of the projects that were left, or of these others. */
  nextMoment(others: Iterable<RenderingProject>, now: number): number | undefined {
    const all = this.#left.size > 0 ? this.#left.values() : others;
    const moments = Array.from(all, (project) => this.#next(project, now));
    return moments.length === 0 ? undefined : Math.min(...moments);
  }

  /** The looks to remember; undefined if there is no change. `rendering`: the projects that may still render. */
  remembered(
    rendering: ReadonlySet<string>,
    anyway: boolean,
  ): ReadonlyMap<string, number> | undefined {
    const kept = new Map([...this.#at].filter(([project]) => rendering.has(project)));
    return anyway || this.#changed || kept.size < this.#at.size ? kept : undefined;
  }

  /** A time in the future is one by a clock that was wrong: such a look does not count, and such a project is due. */
  #next(rendering: RenderingProject, now: number): number {
    const { project, kind, since } = rendering;
    if (since > now) return now;
    const at = this.#at.get(project);
    const seenMs = at !== undefined && at <= now ? at - since : 0;
    return since + this.#schedule.next(kind, seenMs);
  }
}
