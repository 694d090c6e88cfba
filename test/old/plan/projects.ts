// Projects that only take time, so many at once, looked at as a run does it. Looks themselves take no time.
import { SimulatedClock } from '../../../bench/wait/simulated-clock.ts';
import type { LookSchedule } from '../../../src/plan/look-schedule.ts';
import { LookBudget } from '../../../src/run/jobs/looks.ts';

interface End {
  readonly tookMs: number;
  /** From its creation to the look that found it over. */
  readonly noticedMs: number;
  readonly looks: number;
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
  readonly #clock = new SimulatedClock();
  readonly #budget = new LookBudget(this.#clock, 1);
  /** When a look found its project rendering. */
  readonly #inVain: number[] = [];

  constructor(schedule: LookSchedule, work: Work) {
    this.#schedule = schedule;
    this.#work = work;
  }

  get mostLooksInVainInASecond(): number {
    let most = 0;
    let first = 0;
    for (const [index, at] of this.#inVain.entries()) {
      while ((this.#inVain[first] ?? at) <= at - 1000 + 1e-6) first += 1;
      most = Math.max(most, index - first + 1);
    }
    return most;
  }

  /** Creates so many projects, and returns how each ended. */
  async complete(count: number): Promise<readonly End[]> {
    const ends: End[] = [];
    let begun = 0;
    const worker = async (): Promise<void> => {
      while (begun < count) {
        begun += 1;
        ends.push(await this.#end());
      }
    };
    await this.#clock.run(Promise.all(Array.from({ length: this.#work.window }, worker)));
    return ends;
  }

  async #end(): Promise<End> {
    const { kind } = this.#work;
    const begunMs = this.#clock.elapsed();
    const tookMs = this.#work.durationMs();
    using _ = this.#schedule.wait();
    let seenMs = 0;
    for (let looks = 1; ; looks++) {
      const dueMs = this.#schedule.nextWhileWaiting(kind, seenMs);
      await this.#clock.sleep(Math.max(0, begunMs + dueMs - this.#clock.elapsed()));
      const turn = await this.#budget.turn([]);
      const byMs = this.#clock.elapsed() - begunMs;
      if (byMs >= tookMs) {
        turn?.giveBack();
        this.#schedule.over(kind, { afterMs: seenMs, dueMs, byMs });
        return { tookMs, noticedMs: byMs, looks };
      }
      this.#inVain.push(this.#clock.elapsed());
      seenMs = byMs;
    }
  }
}
