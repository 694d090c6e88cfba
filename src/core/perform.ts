// The performer that acts: what a run does about each task that has something to do. What ends a task in the middle of its work
// is thrown there and caught here.
import { bugOf, bugText } from '../base/bug.ts';
import { isMachineProblem, isSystemProblem, systemReason } from '../base/system-error.ts';
import { extensionOf } from '../contract/api/asset.ts';
import { recordOf } from '../contract/tools/all.ts';
import { projectOf } from '../model/record/job.ts';
import type { Creations, Followed } from './create.ts';
import {
  fewer,
  filesOf,
  finalFailure,
  isAway,
  isWhole,
  Known,
  knownOf,
  resultsOf,
  unproved,
  type WholeFile,
} from './decide.ts';
import { Ended, lost, stopped } from './ended.ts';
import { done, type End, type Ending } from './ending.ts';
import { isStored } from './facts.ts';
import { type Files, problemEnd, type Saving } from './files.ts';
import { Gone, type Live } from './live.ts';
import type { Collected, Owed } from './owed.ts';
import { badItem } from './plan.ts';
import type { Place } from './ports.ts';
import { isMadeElsewhere, textOf } from './reason.ts';
import type { Bad, Held, Scope, Task } from './scope.ts';
import type { Performer } from './walk.ts';
import type { World } from './world.ts';

/** A free request of a paid project is tried at least so often. */
const freeAttempts = 3;

export interface PerformParts extends World {
  readonly creations: Creations;
  readonly live: Live;
  readonly files: Files;
  /** Items of which something is in the record: they come first. */
  readonly begunItems: ReadonlySet<string>;
  /** Items for which nothing is bought, and the task that cannot run. */
  readonly bad: ReadonlyMap<string, Bad>;
  /** Something ends besides the task. */
  readonly stops: (what: 'buying' | 'run', ended: Ended) => void;
}

export class ActingPerformer implements Performer {
  readonly isDry = false;
  readonly #o: PerformParts;
  /** By fingerprint: what ended before anything was bought, and is not tried again. */
  readonly #early = new Map<string, End>();
  /** By source: who reads it now. */
  readonly #readers = new Map<string, Set<Promise<End>>>();

  constructor(parts: PerformParts) {
    this.#o = parts;
  }

  admit(scope: Scope): Promise<true | Held> | true | Held {
    const task = this.#o.bad.get(scope.key);
    return task === undefined ? this.#o.spending.admit(scope.key) : badItem(task);
  }

  joins(task: Task, { fingerprint }: Task): void {
    this.#o.spending.joins(fingerprint, task.scope.payer.key);
  }

  settled(): void {
    this.#o.spending.settled();
  }

  leave(scope: Scope): void {
    this.#o.spending.leave(scope.key);
  }

  over(scope: Scope): void {
    this.#o.telling.over(scope);
  }

  /** Saves what is paid before anything is bought; what renders is looked at once. */
  async early(task: Task): Promise<End> {
    const end = await this.#caught(task, true);
    const isLooked = this.#o.isTick && end.ending === 'rendering';
    if (end.ending === 'failed' || isLooked) this.#early.set(task.fingerprint, end);
    return end;
  }

  act(task: Task): Promise<End> {
    const early = this.#early.get(task.fingerprint);
    if (early !== undefined) return Promise.resolve(early);
    const end = this.#caught(task, false);
    if (task.action === 'remove') return end;
    for (const { fingerprint } of task.source === undefined ? task.reads : [task.source]) {
      const readers = this.#readers.get(fingerprint) ?? new Set();
      this.#readers.set(fingerprint, readers.add(end));
      void end.then(() => readers.delete(end));
    }
    return end;
  }

  async #caught(task: Task, isEarly: boolean): Promise<End> {
    try {
      if (this.#o.signal.aborted) throw stopped();
      await this.#act(task, isEarly);
      return done;
    } catch (error) {
      if (error instanceof Ended) return this.#ended(error);
      if (this.#o.journal.isLost)
        return this.#ended(
          new Ended('pending', 'the record cannot be written', { code: 'record', stops: 'run' }),
        );
      // Of a drive that is gone in the middle of its work, for one.
      if (isSystemProblem(error)) {
        const message = `${fileOf(error)} ${systemReason(error)}`;
        const systemic = isMachineProblem(error, 'writing');
        return this.#ended(problemEnd({ message, systemic }));
      }
      const bug = bugOf(error);
      this.#o.telling.bug(task, bug);
      return { ending: this.#endingAfterBug(task), why: bugText(bug) };
    }
  }

  /** What is paid for is left to the next run, and what may be is in doubt. */
  #endingAfterBug({ source, fingerprint }: Task): Ending {
    const state = this.#known(source?.fingerprint ?? fingerprint).ownNow?.state;
    if (state === 'intended' || state === 'doubt') return 'doubt';
    return state === 'created' || state === 'complete' ? 'pending' : 'failed';
  }

  #ended(ended: Ended): End {
    const { ending, message: why, code, held, stops } = ended;
    if (stops !== undefined) this.#o.stops(stops, ended);
    return { ending, why, code, held };
  }

  /** A creation and a project that is followed take their own slots. */
  async #act(task: Task, isEarly: boolean): Promise<void> {
    const { slots, signal } = this.#o;
    if (task.action === 'create') {
      const { reason, known, step } = task;
      const isAgain = this.#o.isTick && reason?.code === 'failed-before';
      const final = isAgain ? finalFailure(known, step.attempts) : undefined;
      if (final !== undefined) throw new Ended('failed', `${final.code}: ${final.message}`, final);
      await this.#create(task);
      return await this.#saveTake(task);
    }
    if (task.action === 'follow') {
      if (!isMadeElsewhere(task.reason)) this.#o.telling.begun(task);
      await this.#o.creations.attach(task, isEarly);
      return await this.#saveTake(task);
    }
    using _ = await slots.take(task.kind.name, 'owed', signal);
    this.#o.telling.begun(task);
    switch (task.action) {
      case 'supply':
        return await this.#o.live.supply(task);
      case 'save':
      case 'copy':
        return await this.#save(task);
      case 'store':
        return await this.#store(task);
      case 'remove':
        return await this.#remove(task);
      default:
        throw new Error(`bug: ${task.id} has nothing to do (${task.action})`);
    }
  }

  async #create(task: Task): Promise<void> {
    const isBegun = this.#o.begunItems.has(task.scope.payer.key);
    await this.#o.creations.create(task, isBegun ? 'begun' : 'new');
  }

  /** A reroll saves what it makes: no step of the pipeline does. */
  async #saveTake(task: Task): Promise<void> {
    if (task.to === undefined) return;
    using _ = await this.#o.slots.take('download', 'owed', this.#o.signal);
    await this.#save(task);
  }

  #known(job: string): Known {
    return knownOf(this.#o.journal.ledger, this.#o.receipts, job);
  }

  // Files

  async #save(task: Task): Promise<void> {
    const { source = task, step, to } = task;
    if (to === undefined) throw new Error(`bug: ${task.id} has no place`);
    const attempts = Math.max(step.attempts, freeAttempts);
    const place = { task: task.id, to, isKept: false, attempts };
    await this.#results(source.fingerprint, source.kind.name, place);
  }

  /** All results of a job, to one place. */
  async #results(
    job: string,
    kind: string,
    place: Pick<Saving, 'task' | 'to' | 'isKept' | 'attempts'>,
  ): Promise<void> {
    const { receipt, now } = this.#known(job);
    if (receipt !== undefined) this.#o.journal.join(receipt.line);
    if (now === undefined) throw noResult();
    const saving: Saving = { ...place, job, attempt: now.name };
    const whole = filesOf(this.#known(job), now, this.#o.facts);
    if (whole !== undefined) return await this.#copy(saving, whole);
    if (isAway(now)) throw lost(now.gone === undefined ? 'deleted-and-gone' : 'gone-at-service');
    const count = resultsOf(now) ?? 0;
    if (count === 0) throw new Ended('pending', 'the service lists no download for it');
    try {
      for (let index = 0; index < count; index++)
        await this.#o.files.fetch(saving, { index, count }, (isAgain) =>
          this.#o.live.address(job, kind, now, index, isAgain, place.attempts),
        );
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      const after = this.#known(job);
      const copies = after.now && filesOf(after, after.now, this.#o.facts);
      if (copies === undefined) throw lost('gone-at-service');
      await this.#copy(saving, copies);
    }
  }

  async #copy(saving: Saving, files: readonly WholeFile[]): Promise<void> {
    for (const file of files) await this.#o.files.copy(saving, file, files.length);
  }

  async #store(task: Task): Promise<void> {
    const { facts, files, journal } = this.#o;
    const { source = task, step } = task;
    const job = source.fingerprint;
    const saving = { job, attempts: Math.max(step.attempts, freeAttempts) };
    for (const output of journal.ledger.job(job)?.outputs ?? [])
      if (output.task === task.id && !isStored(output, facts) && isWhole(output, facts))
        await files.store(saving, output);
  }

  // Deletes

  async #remove(task: Task): Promise<void> {
    const { source, step } = task;
    if (source === undefined) throw new Error(`bug: ${task.id} is of no task`);
    const { journal, live, receipts, calls, api } = this.#o;
    const job = source.fingerprint;
    for (let readers = this.#readers.get(job); readers !== undefined && readers.size > 0; )
      await Promise.all(readers);
    const known = this.#known(job);
    const { now } = known;
    if (now === undefined) throw noResult();
    if (now.state === 'deleted') return;
    if (now.adopted && known.receipt?.hasSaved !== true)
      throw new Ended('skipped', textOf({ code: 'payer-has-not-saved' }));
    if (!step.discard) {
      const keep = fewer(source, now) ?? unproved(known, now);
      if (keep !== undefined) throw new Ended('failed', textOf(keep.reason));
      await this.#assertSafe(known, step.attempts);
    }
    if (!this.#o.isAlone()) throw stopped();
    // From here on, whoever reads it copies, or sends the file again.
    live.going.add(job);
    receipts.flush();
    const id = projectOf(now) ?? '';
    const record = recordOf(source.kind.name);
    try {
      await calls.free(() => api.deleteProject(record, id), Math.max(step.attempts, freeAttempts));
    } catch (error) {
      if (!(error instanceof Ended) || error.code !== 'not-found') {
        live.going.delete(job);
        throw error;
      }
    }
    const after = this.#known(job);
    if (after.own !== undefined && after.ownNow?.state !== 'deleted')
      journal.note({ job, is: 'deleted', attempt: now.name }, { job, is: 'serves', task: task.id });
  }

  /** Whatever is recorded, the files themselves are asked before their project goes. */
  async #assertSafe(known: Known, attempts: number): Promise<void> {
    const { facts, files, disk } = this.#o;
    const { now } = known;
    // A copy of another pipeline counts only for what this one has not saved.
    const own = now && filesOf(new Known(known.own), now, facts);
    const whole = own ?? (now && filesOf(known, now, facts));
    if (whole === undefined) {
      const saved = known.own?.outputs.find(({ of }) => of === now?.name);
      const code = saved === undefined ? 'no-step-downloads' : 'not-whole';
      throw new Ended('failed', textOf({ code, about: saved?.path }));
    }
    for (const { from, output } of whole) {
      if (from === 'store') {
        const missing = await files.missingInStore(output, attempts);
        if (missing !== undefined) throw new Ended('pending', missing);
        continue;
      }
      if (!(await this.#isRead({ from, output })))
        throw new Ended('failed', textOf({ code: 'not-whole', about: output.path }));
      const damage = await disk.damage(files.placeOf({ from, output }));
      if (damage === undefined) continue;
      throw new Ended('failed', textOf({ code: 'damaged', about: `${output.path} ${damage}` }));
    }
  }

  async #isRead({ from, output: { path, sha256 } }: WholeFile): Promise<boolean> {
    const { disk, signal } = this.#o;
    const extension = extensionOf(path);
    const place: Place =
      from === 'kept' ? { in: from, digest: sha256, extension } : { in: 'output', path };
    const here = from === 'kept' ? disk.kept(sha256, extension) : disk.output(path);
    const fact = from === 'copy' ? disk.foreign(path) : here;
    if (fact.is !== 'file') return false;
    if (fact.digest !== undefined) return fact.digest === sha256;
    const read = await disk.digest(place, signal);
    return read.ok && read.value === sha256;
  }

  // What earlier days left

  /** Before anything is bought: looks once at what is paid and not saved, and saves what is complete. */
  async collect(
    owed: readonly Owed[],
    timeoutOf: (kind: string) => number,
  ): Promise<readonly Collected[]> {
    const ends = await Promise.all(owed.map((one) => this.#collect(one, timeoutOf(one.job.kind))));
    return ends.flat();
  }

  /** How each of its places ended. */
  async #collect(one: Owed, timeoutMs: number): Promise<readonly Collected[]> {
    const { job, kind, tasks } = one.job;
    const id = (tasks[0] ?? kind) as Followed['id'];
    const places = one.to === 'kept' ? [{ task: id, path: '' }] : one.to;
    const saved: Collected[] = [];
    try {
      using slot = await this.#o.slots.take(kind, 'owed', this.#o.signal);
      const attempts = freeAttempts;
      const followed = { id, fingerprint: job, timeoutMs, asked: undefined };
      const how = { kind: { name: kind }, step: { attempts } };
      await this.#o.creations.follow({ ...followed, ...how }, slot, 'early');
      for (const { task, path: to } of places) {
        await this.#results(job, kind, { task, to, isKept: true, attempts });
        saved.push({ ...one, task, end: done });
      }
      return saved;
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      const end = this.#ended(error);
      return [...saved, ...places.slice(saved.length).map(({ task }) => ({ ...one, task, end }))];
    }
  }
}

const noResult = (): Ended => new Ended('pending', 'its project has no result');

const fileOf = (error: unknown): string =>
  error instanceof Error && 'path' in error ? String(error.path) : 'a file';
