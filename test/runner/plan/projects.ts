// Projects that only take time, so many at once, looked at as a run does it. Looks themselves take no time.
import type { LookSchedule } from '../../../src/runner/plan/look-schedule.ts';

interface Project {
  readonly begunMs: number;
  readonly tookMs: number;
  readonly waits: Disposable;
  seenMs: number;
  dueMs: number;
  looks: number;
}

interface End {
  readonly tookMs: number;
  /** From its creation to the look that found it over. */
  readonly noticedMs: number;
  readonly looks: number;
}

/** Something happens to a project: a look is due, or has its turn. */
interface Moment {
  readonly atMs: number;
  readonly project: Project;
  readonly isTurn: boolean;
}

interface Work {
  readonly kind: string;
  /** In progress at once. */
  readonly window: number;
  readonly durationMs: () => number;
}

export class Projects {
  readonly #schedule: LookSchedule;
  readonly #work: Work;
  readonly #looks: number[] = [];
  /** The next one is last. */
  readonly #moments: Moment[] = [];

  constructor(schedule: LookSchedule, work: Work) {
    this.#schedule = schedule;
    this.#work = work;
  }

  get mostLooksInASecond(): number {
    let most = 0;
    let first = 0;
    for (const [index, at] of this.#looks.entries()) {
      while ((this.#looks[first] ?? at) <= at - 1000 + 1e-6) first += 1;
      most = Math.max(most, index - first + 1);
    }
    return most;
  }

  /** Creates so many projects, and returns how each ended. */
  complete(count: number): readonly End[] {
    const ends: End[] = [];
    let begun = 0;
    const begin = (atMs: number): void => {
      begun += 1;
      const tookMs = this.#work.durationMs();
      const waits = this.#schedule.wait();
      this.#wait({ begunMs: atMs, tookMs, waits, seenMs: 0, dueMs: 0, looks: 0 });
    };
    while (begun < Math.min(count, this.#work.window)) begin(0);
    for (let next = this.#moments.pop(); next !== undefined; next = this.#moments.pop()) {
      const { atMs, project, isTurn } = next;
      if (!isTurn) {
        this.#at({ atMs: atMs + this.#schedule.turn(atMs), project, isTurn: true });
        continue;
      }
      this.#looks.push(atMs);
      project.looks += 1;
      const byMs = atMs - project.begunMs;
      const { tookMs, seenMs: afterMs, dueMs, looks } = project;
      project.seenMs = byMs;
      if (byMs < tookMs) {
        this.#wait(project);
        continue;
      }
      project.waits[Symbol.dispose]();
      this.#schedule.over(this.#work.kind, { afterMs, dueMs, byMs });
      ends.push({ tookMs, noticedMs: byMs, looks });
      if (begun < count) begin(atMs);
    }
    return ends;
  }

  #wait(project: Project): void {
    project.dueMs = this.#schedule.nextWhileWaiting(this.#work.kind, project.seenMs);
    this.#at({ atMs: project.begunMs + project.dueMs, project, isTurn: false });
  }

  #at(moment: Moment): void {
    const index = this.#moments.findLastIndex(({ atMs }) => atMs > moment.atMs);
    this.#moments.splice(index + 1, 0, moment);
  }
}
