// When this checkout last looked at each project that renders, so that many short runs look no more often than is useful.
import type { LookSchedule } from '../../plan/look-schedule.ts';

export interface RenderingProject {
  readonly project: string;
  /** The step kind. */
  readonly kind: string;
  /** When it was created, in milliseconds since 1970. */
  readonly since: number;
}

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

  /** A look in the future is one by a clock that was wrong: it does not count. */
  #next(rendering: RenderingProject, now: number): number {
    const { project, kind, since } = rendering;
    const at = this.#at.get(project);
    const seenMs = at !== undefined && at <= now ? at - since : 0;
    return since + this.#schedule.next(kind, seenMs);
  }
}
