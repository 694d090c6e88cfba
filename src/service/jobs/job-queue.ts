// The queue of jobs: first come, first served, except that no account gets more places at once than its plan has.

/** Who a job belongs to. */
export interface JobOwner {
  readonly account: string;
  /** The number of the account's jobs that may run at once; undefined: no limit. */
  readonly most: number | undefined;
}

interface Queued<Job> {
  readonly job: Job;
  /** Counts the jobs of all accounts. */
  readonly number: number;
}

interface Line<Job> {
  jobs: Queued<Job>[];
  /** Jobs before it have been taken. */
  first: number;
  running: number;
}

export class JobQueue<Job extends { readonly owner?: JobOwner }> {
  readonly #lines = new Map<string, Line<Job>>();
  #count = 0;

  add(job: Job): void {
    this.#count += 1;
    this.#lineOf(job).jobs.push({ job, number: this.#count });
  }

  /** Takes the first job whose account has room; undefined if there is none. Call `end` when it is over. */
  take(): Job | undefined {
    let best: Line<Job> | undefined;
    for (const line of this.#lines.values()) {
      const head = line.jobs[line.first];
      if (head === undefined || line.running >= (head.job.owner?.most ?? Number.POSITIVE_INFINITY))
        continue;
      const other = best?.jobs[best.first];
      if (other === undefined || head.number < other.number) best = line;
    }
    const next = best?.jobs[best.first];
    if (best === undefined || next === undefined) return undefined;
    best.first += 1;
    best.running += 1;
    // Removing the first element of a long array copies the whole array, so the front is cut off in batches.
    if (best.first > 1024 && best.first * 2 > best.jobs.length) {
      best.jobs = best.jobs.slice(best.first);
      best.first = 0;
    }
    return next.job;
  }

  end(job: Job): void {
    this.#lineOf(job).running -= 1;
  }

  #lineOf({ owner }: Job): Line<Job> {
    const account = owner?.account ?? '';
    const known = this.#lines.get(account);
    if (known !== undefined) return known;
    const made: Line<Job> = { jobs: [], first: 0, running: 0 };
    this.#lines.set(account, made);
    return made;
  }
}
