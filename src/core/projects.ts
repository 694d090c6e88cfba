// Reads paid projects, and finds out whether one is gone: the service does not have it, twice and seconds apart, while the account
// that paid for it answers. One look may meet a replica that lags, and another account sees none of our projects.
import type { Project } from '../contract/api/project.ts';
import { recordOf } from '../contract/tools/all.ts';
import { creditsOf, projectOf } from '../model/record/job.ts';
import type { Attempt } from '../model/record/line.ts';
import { Ended, pendingIfFailed, stopped } from './ended.ts';
import { endMove } from './outputs.ts';
import type { World } from './world.ts';

const secondLookMs = 3_000;
/** A replica may not know it yet. */
const newMs = 60_000;

export class Projects {
  readonly #o: World;
  /** Runs of which this account has been shown a project. */
  readonly #shownRuns = new Set<string>();

  constructor(world: World) {
    this.#o = world;
  }

  /** Undefined: it is not there, and the record says so from then on. Throws `Ended`. */
  async read(
    job: string,
    kind: string,
    attempt: Attempt,
    attempts: number,
  ): Promise<Project | undefined> {
    const id = projectOf(attempt);
    if (id === undefined) throw new Error(`bug: ${attempt.name} has no project`);
    const { calls, clock, signal } = this.#o;
    let shown: Project | undefined;
    for (const isLast of [false, true]) {
      try {
        shown = await calls.project(recordOf(kind), id, attempts);
        if (!isDeleted(shown)) {
          this.#shownRuns.add(attempt.run);
          return shown;
        }
      } catch (error) {
        if (!(error instanceof Ended) || error.code !== 'not-found')
          throw pendingIfFailed(error, 'its project could not be read: ');
      }
      // Whoever paid has saved and deleted it.
      if (this.#knowsBetter(job, attempt)) return undefined;
      if (isLast) break;
      await clock.sleep(secondLookMs, signal);
      if (signal.aborted) throw stopped();
    }
    await this.#record(job, id, attempt, shown);
    return undefined;
  }

  /** Takes over what the payer has recorded of a project that we only adopted. */
  #knowsBetter(job: string, attempt: Attempt): boolean {
    const { receipts, journal } = this.#o;
    const line = receipts.get(job)?.line;
    const theirs = line?.attempts.find(({ name }) => name === attempt.name);
    if (line === undefined || (theirs?.state !== 'deleted' && theirs?.gone === undefined))
      return false;
    journal.join(line);
    return true;
  }

  async #record(
    job: string,
    id: string,
    attempt: Attempt,
    shown: Project | undefined,
  ): Promise<void> {
    const { journal, clock } = this.#o;
    if (attempt.adopted)
      throw new Ended(
        'pending',
        `project ${id} was not found; only its payer can say that it is gone`,
      );
    const age = clock.now() - Date.parse(attempt.at);
    // A time in the future is one by a clock that was wrong.
    const isNew = age >= 0 && age < newMs;
    const isVouched = shown !== undefined || (!isNew && (await this.#isVouched(job, id, attempt)));
    if (!isVouched) {
      // Said now, and lost from the next run on, unless another account has paid for it.
      if (!isNew && this.#o.receipts.payerOf(job, id) !== 'another')
        await journal.commit({ job, is: 'missing', attempt: attempt.name });
      throw new Ended('pending', notFound, { code: 'not-found' });
    }
    const theirs = this.#o.receipts.get(job)?.line;
    if (theirs !== undefined) journal.join(theirs);
    const about = { job, attempt: attempt.name };
    const isNews = shown !== undefined && attempt.state === 'created';
    const end = isNews ? endMove(shown, about, creditsOf(attempt), clock.now()) : undefined;
    if (end !== undefined) journal.note(end);
    await journal.commit({ ...about, is: 'gone' });
  }

  async #isVouched(job: string, id: string, { run }: Attempt): Promise<boolean> {
    if (this.#shownRuns.has(run)) return true;
    const { receipts, calls } = this.#o;
    return receipts.payerOf(job, id) === 'us' && (await calls.owner()) !== '';
  }
}

const isDeleted = ({ enabled, status }: Project): boolean =>
  enabled === false && status === 'complete';

const notFound =
  'the service does not show its project: it is too new to be given up, or another account has paid for it';
