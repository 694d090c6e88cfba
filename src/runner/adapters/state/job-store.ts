// Keeps jobs in few bytes, and on disk when they are many, so that memory does not grow with their number. Every run
// fills the store from the state file, so it need not be durable.
import { comesBefore, type JobStore, jobIn } from '../../journal/job-store.ts';
import type { JobLine } from '../../journal/line.ts';
import { RowReader } from '../../journal/rows.ts';
import { RecordIndex } from './record-index.ts';
import { RecordLog, type RecordPlace } from './record-log.ts';

export const diskStore = (log?: RecordLog): DiskStore => new DiskStore(log);

/** How many of the jobs that were used last stay objects. */
const hotJobs = 1_000;

/** A job that is an object. */
interface Hot {
  readonly entry: number;
  line: JobLine;
  /** The record that says the same; undefined if there is none yet. */
  record: RecordPlace | undefined;
  /** True if the job was used since the store last looked for one to let go. */
  used: boolean;
}

class DiskStore implements JobStore {
  readonly rows = new RowReader();
  readonly #log: RecordLog;
  readonly #index = new RecordIndex();
  readonly #hot: Hot[] = [];
  /** Which of `#hot` is the next to be let go, if it was not used meanwhile. */
  #hand = 0;
  /** The job that was asked for last, because the ledger sets a job right after it has asked for it. */
  #asked = '';
  #found: Hot | undefined;
  /** True as long as jobs are added in the order of `sorted`, as they are in a compacted file. */
  #inOrder = true;
  /** The job that was added last. */
  #last: JobLine | undefined;
  /** The entries in their order, until it changes: commands that only read go through all jobs several times. */
  #order: Uint32Array | undefined;

  constructor(log = new RecordLog()) {
    this.#log = log;
  }

  get(job: string): JobLine | undefined {
    return this.#find(job)?.line;
  }

  set(line: JobLine, text?: string): void {
    const known = this.#find(line.job);
    const record = text === undefined ? undefined : this.#log.add(text);
    if (known === undefined) {
      const entry = this.#index.add(line.job);
      this.#noteOrder(line);
      this.#found = this.#heat({ entry, line, record, used: false });
    } else {
      if (known.line.tasks[0] !== line.tasks[0]) {
        this.#inOrder = false;
        this.#order = undefined;
      }
      known.line = line;
      known.record = record;
    }
  }

  *sorted(): Iterable<JobLine> {
    this.#order ??= this.#sortedEntries();
    for (const entry of this.#order) yield this.#lineAt(entry);
  }

  close(): void {
    this.#hot.length = 0;
    this.#asked = '';
    this.#log.close();
  }

  #find(job: string): Hot | undefined {
    if (job !== this.#asked) {
      const entry = this.#index.find(job, (mark) => this.#hotAt(mark).line.job === job);
      this.#found = entry === undefined ? undefined : this.#hotAt(entry);
      this.#asked = job;
    }
    if (this.#found !== undefined) this.#found.used = true;
    return this.#found;
  }

  #hotAt(entry: number): Hot {
    const number = this.#index.hotOf(entry);
    const hot = number === undefined ? undefined : this.#hot[number];
    if (hot !== undefined) return hot;
    const record = this.#index.recordOf(entry);
    return this.#heat({ entry, line: this.#read(record), record, used: false });
  }

  /** Keeps a job as an object, in place of one that was not used for a while. */
  #heat(hot: Hot): Hot {
    const number = this.#hot.length < hotJobs ? this.#hot.length : this.#cool();
    this.#hot[number] = hot;
    this.#index.setHot(hot.entry, number);
    return hot;
  }

  /** Lets a job go, and returns where it was. */
  #cool(): number {
    for (;;) {
      const number = this.#hand;
      this.#hand = (number + 1) % hotJobs;
      const hot = this.#hot[number];
      if (hot === undefined) throw new Error('bug: the store is closed');
      if (!hot.used) {
        this.#index.setRecord(hot.entry, hot.record ?? this.#log.add(JSON.stringify(hot.line)));
        return number;
      }
      hot.used = false;
    }
  }

  #read(record: RecordPlace): JobLine {
    return jobIn(this.#log.at(record), this.rows);
  }

  #lineAt(entry: number): JobLine {
    const number = this.#index.hotOf(entry);
    const hot = number === undefined ? undefined : this.#hot[number];
    return hot?.line ?? this.#read(this.#index.recordOf(entry));
  }

  #noteOrder(line: JobLine): void {
    this.#order = undefined;
    this.#inOrder &&= this.#last === undefined || comesBefore(this.#last, line);
    this.#last = line;
  }

  #sortedEntries(): Uint32Array {
    const entries = Uint32Array.from({ length: this.#index.size }, (_, entry) => entry);
    if (this.#inOrder) return entries;
    // Of most jobs, the first task tells their order.
    const tasks = Array.from(entries, (entry) => this.#lineAt(entry).tasks[0] ?? '');
    return entries.sort((one, other) => {
      const task = tasks[one] ?? '';
      const otherTask = tasks[other] ?? '';
      if (task !== otherTask) return task < otherTask ? -1 : 1;
      return comesBefore(this.#lineAt(one), this.#lineAt(other)) ? -1 : 1;
    });
  }
}
