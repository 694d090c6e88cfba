// What the receipts say to a plan or a run: a request that the state file does not know may have been paid for already.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { digestOf } from '../base/digest.ts';
import { isSystemProblem } from '../base/system-error.ts';
import type { Account } from '../contract/api/project.ts';
import type { PaidAlready, PaidBy, PaidSource, PaidTask } from '../core/paid-before.ts';
import type { Clock, MediaApi } from '../core/ports.ts';
import { downloadCount } from '../core/recorded-files.ts';
import { shownPlace } from '../files/shown-path.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import { viewOf } from '../model/job-view.ts';
import type { Ledger } from '../model/ledger.ts';
import type { JobLine, OutputLine } from '../model/line.ts';
import { isOver, projectOf } from '../model/record/job.ts';
import { joined } from '../model/record/join.ts';
import type { Attempt, Job, Output } from '../model/record/line.ts';
import { jobFacts, type NewJobEvent } from '../model/state.ts';
import type { Refused, Remembered } from '../plan/remembered.ts';
import type { Receipt, Receipts } from '../state/receipts.ts';
import type { Payer } from '../state/receipts-row.ts';

export interface RememberedOptions {
  readonly receipts: Receipts;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The state file of this plan or run. */
  readonly by: Payer;
  /** Tells who pays. Undefined: the service cannot be asked. */
  readonly api: Pick<MediaApi, 'account'> | undefined;
  /** The store of this run, as the state file names it. */
  readonly store: string | undefined;
  /** `reuse: own`: nothing of other pipelines counts. */
  readonly reusesOwnOnly: boolean;
  /** Makes a file outside this checkout readable as a kept one. */
  readonly lend: (file: Output) => void;
}

/** Writes to the journal of a run. */
export interface Recorder {
  readonly journal: {
    append(events: readonly NewJobEvent[]): void;
    /** Writes what the ledger has learnt. */
    recordLearnt(): void;
  };
  /** Called with a sentence, without its end. */
  readonly onWait: (message: string) => void;
}

/** What was taken over of another payer. */
interface Adoption {
  readonly payer: Payer;
  readonly attempts: readonly Attempt[];
}

const pollMs = 200;
/** How long a run waits for another one that sends the same request, and after which time it says so. */
const waitMs = 10 * 60_000;
const quietMs = 2_000;

export class RememberedPayments implements Remembered {
  readonly #options: RememberedOptions;
  readonly #adoptions = new Map<string, Adoption>();
  readonly #open = new Set<Fingerprint>();
  /** Another run sends these for longer than anybody waits. */
  readonly #stuck = new Set<Fingerprint>();
  /** The pipelines that are waited for, and that was said. */
  readonly #awaited = new Set<string>();
  /** By job and attempt. */
  readonly #copies = new Map<string, readonly OutputLine[]>();
  /** The saved files of adopted jobs, by their size. */
  readonly #saved = new Map<number, Output[]>();
  #isNews = false;
  #record: Recorder | undefined;
  #asking: Promise<void> | undefined;
  #isAsked = false;

  constructor(options: RememberedOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#options.receipts.isEmpty;
  }

  /** True if the plan has taken something over: a run records it. */
  get hasAdopted(): boolean {
    return this.#adoptions.size > 0;
  }

  /** From here on, what is learnt goes to a journal: first what the plan has learnt. */
  recordWith(record: Recorder): void {
    if (this.#isNews) record.journal.recordLearnt();
    this.#record = record;
  }

  // Who pays.

  /** From here on, what other accounts have paid for is none of our business. */
  paidBy(account: Account | undefined): void {
    this.#isAsked = true;
    const id = account?.id;
    const isNamed = typeof id === 'string' && id !== '';
    this.#options.receipts.ownedBy(isNamed ? digestOf({ account: id }) : '');
  }

  /** True if the plan has questions that only the service can answer. */
  get hasQuestions(): boolean {
    return this.#open.size > 0;
  }

  async inquire(): Promise<void> {
    const { api } = this.#options;
    this.#asking ??= (async () => {
      const account = await api?.account();
      this.paidBy(account?.ok === true ? account.value : undefined);
    })();
    await this.#asking;
    this.#open.clear();
  }

  async settled(fingerprint: Fingerprint, stop: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (!this.#isAsked) await this.inquire();
    const began = clock.elapsed();
    for (;;) {
      const receipt = this.#receipt(fingerprint);
      if (receipt === undefined || !this.#isBusy(receipt) || stop.aborted) break;
      const waitedMs = clock.elapsed() - began;
      if (waitedMs >= quietMs) this.#tell(receipt.payer);
      if (waitedMs >= waitMs) this.#stuck.add(fingerprint);
      if (this.#stuck.has(fingerprint)) break;
      await clock.sleep(pollMs, stop);
    }
    this.#open.delete(fingerprint);
  }

  /** Each payer once. */
  #tell({ pipeline }: Payer): void {
    if (this.#awaited.has(pipeline)) return;
    this.#awaited.add(pipeline);
    this.#record?.onWait(
      `waiting for ${shownPlace(pipeline)}, which is sending the same request: it is paid for once`,
    );
  }

  // What is known of a job.

  #receipt(job: string): Receipt | undefined {
    const { receipts, reusesOwnOnly, by } = this.#options;
    const receipt = receipts.get(job);
    return reusesOwnOnly && receipt?.payer.pipeline !== by.pipeline ? undefined : receipt;
  }

  #isBusy(receipt: Receipt | undefined): boolean {
    const living = receipt?.line.attempts.filter(isForeign) ?? [];
    return (
      receipt !== undefined &&
      living.length > 0 &&
      living.every(({ state }) => state === 'intended') &&
      receipt.isBusy
    );
  }

  paid(fingerprint: Fingerprint, task: string): JobLine | 'busy' | undefined {
    const receipt = this.#receipt(fingerprint);
    if (receipt === undefined) return undefined;
    const known = new Set(
      this.#options.ledger.lineOf(fingerprint)?.attempts.map((attempt) => attempt.name),
    );
    const isNews = receipt.line.attempts.some((one) => isForeign(one) && !known.has(one.name));
    if (!isNews) return undefined;
    const isOpen = !this.#isAsked && this.#options.api !== undefined;
    if (isOpen || (this.#isBusy(receipt) && !this.#stuck.has(fingerprint))) {
      if (isOpen) this.#open.add(fingerprint);
      return 'busy';
    }
    return this.#adopt(receipt, task);
  }

  resolved(job: JobLine, task: string): JobLine | undefined {
    const receipt = this.#receipt(job.job);
    const attempt = receipt?.line.attempts.find(({ name }) => name === job.name);
    if (receipt === undefined || attempt === undefined) return undefined;
    const isOpen = attempt.state === 'intended' || attempt.state === 'doubt';
    const knowsMore = jobFacts[job.state].inDoubt
      ? !isOpen || isOver(attempt)
      : attempt.result !== undefined;
    return knowsMore ? this.#adopt(receipt, task) : undefined;
  }

  detected(fingerprint: Fingerprint, task: string): JobLine | undefined {
    const receipt = this.#receipt(fingerprint);
    return receipt?.line.supplied === undefined ? undefined : this.#adopt(receipt, task);
  }

  lastKnown(
    job: string,
    project: string,
  ): Pick<JobLine, 'state' | 'credits' | 'result'> | undefined {
    const line = this.#options.receipts.get(job)?.line;
    const attempt = line?.attempts.find((one) => projectOf(one) === project);
    return line && attempt && viewOf({ ...line, attempts: [attempt] }, () => undefined);
  }

  isOurs(job: string, project: string, shown: ReadonlySet<string>): boolean {
    const { receipts, ledger } = this.#options;
    if (receipts.isOurs(job, project)) return true;
    const attempt = ledger.lineOf(job)?.attempts.find((one) => projectOf(one) === project);
    if (attempt === undefined || attempt.adopted) return false;
    for (const other of ledger.record.own())
      if (other.run === attempt.run && other.project !== undefined && shown.has(other.project))
        return true;
    return false;
  }

  deletedElsewhere(job: JobLine, isMissing = false): JobLine | undefined {
    const { ledger } = this.#options;
    const receipt = this.#options.receipts.get(job.job);
    const attempt = receipt?.line.attempts.find(({ name }) => name === job.name);
    if (receipt === undefined || attempt === undefined) return undefined;
    const name = `${job.job} ${attempt.name}`;
    if (attempt.state === 'deleted') {
      this.#copies.delete(name);
      return this.#know(receipt.line);
    }
    // Whoever deletes a project saves its files first, and records the deletion afterwards.
    if (!isMissing || this.#copiesOf(receipt, attempt).length === 0) return undefined;
    const known = ledger.job(job.job);
    if (known?.state !== 'created' && known?.state !== 'complete') return known;
    const { result } = attempt;
    const credits = attempt.charge?.credits ?? 0;
    const why = 'another checkout on this machine deleted the project, as your receipts say';
    this.#record?.journal.append([
      ...(known.state === 'created' && result !== undefined
        ? [{ event: 'settled', job: job.job, status: 'complete', credits, result } as const]
        : []),
      { event: 'deleted', job: job.job, why },
    ]);
    return ledger.job(job.job);
  }

  hasTake(take: Fingerprint): boolean {
    return this.#receipt(take) !== undefined;
  }

  claim(line: Job, attempt: string): Refused | undefined {
    const { receipts, reusesOwnOnly, clock } = this.#options;
    const claim = receipts.claim(line, attempt);
    switch (claim.is) {
      case 'go':
        return undefined;
      case 'busy':
        return { is: 'paid-elsewhere' };
      case 'known': {
        if (!reusesOwnOnly || this.#receipt(line.job) !== undefined) {
          this.#know(claim.line);
          return { is: 'paid-elsewhere' };
        }
        // What others have paid for does not count here, and the record says so.
        const forgets = forgetting(claim.line, attempt, new Date(clock.now()).toISOString());
        this.#know(forgets);
        const again = receipts.claim(joined(line, forgets), attempt);
        return again.is === 'go' ? undefined : { is: 'paid-elsewhere' };
      }
      case 'locked':
      case 'unwritable':
        return { is: 'closed', why: `your receipts (${receipts.file}) ${claim.why}` };
    }
  }

  flush(): void {
    this.#options.receipts.flush();
  }

  // What is taken over.

  #adopt(receipt: Receipt, task: string): JobLine | undefined {
    const { line, payer, copies } = receipt;
    const living = line.attempts.filter(isForeign);
    if (living.length > 0) this.#adoptions.set(line.job, { payer, attempts: living });
    for (const file of copies)
      this.#saved.set(file.bytes, [...(this.#saved.get(file.bytes) ?? []), file]);
    const isSame = basename(payer.pipeline) === basename(this.#options.by.pipeline);
    const outputs = isSame ? copies.flatMap((file) => this.#ownOutput(file, payer)) : [];
    return this.#know({ ...line, tasks: [task], outputs });
  }

  /** The file as this state file would record it, where it is here: other state files of a pipeline have the same folder. */
  #ownOutput(file: Output, payer: Payer): readonly Output[] {
    return this.#inThisFolder(file, payer)
      .filter(isWhole)
      .map(({ path }) => {
        const below = relative(dirname(this.#options.by.pipeline), path);
        return { ...file, path: below.split(sep).join('/') };
      });
  }

  #know(line: Job): JobLine | undefined {
    const { ledger } = this.#options;
    if (ledger.know(line)) {
      this.#isNews = true;
      this.#record?.journal.recordLearnt();
    }
    return ledger.job(line.job);
  }

  // The files of others.

  copies({ job, name }: JobLine): readonly OutputLine[] {
    const receipt = this.#options.receipts.get(job);
    const attempt = receipt?.line.attempts.find((one) => one.name === name);
    return receipt === undefined || attempt === undefined ? [] : this.#copiesOf(receipt, attempt);
  }

  #copiesOf(receipt: Receipt, attempt: Attempt): readonly OutputLine[] {
    const name = `${receipt.line.job} ${attempt.name}`;
    let found = this.#copies.get(name);
    if (found === undefined) {
      found = this.#findCopies(receipt, attempt);
      this.#copies.set(name, found);
    }
    return found;
  }

  /** One file for each download, or none at all. */
  #findCopies({ copies, payer }: Receipt, { name, result }: Attempt): readonly OutputLine[] {
    const { store, lend } = this.#options;
    const found: OutputLine[] = [];
    for (let index = 0; index < downloadCount({ result }); index++) {
      const all = copies.filter((file) => file.of === name && file.index === index);
      const whole = all
        .flatMap((file) => [file, ...this.#inThisFolder(file, payer)])
        .find((file) => isWhole(file));
      const copy = whole ?? all.find(({ stored }) => stored !== undefined && stored === store);
      if (copy === undefined) return [];
      if (whole !== undefined) lend(whole);
      const { task, path, bytes, sha256, stored } = copy;
      // Only its extension counts: the file is found by its hash.
      found.push({ task, index, bytes, sha256, stored, path: path.split(/[\\/]/).at(-1) ?? '' });
    }
    return found;
  }

  /** Git may have brought here what another checkout has saved. */
  #inThisFolder(file: Output, payer: Payer): readonly Output[] {
    const below = relative(dirname(payer.pipeline), file.path);
    if (below.startsWith('..') || isAbsolute(below)) return [];
    return [{ ...file, path: join(dirname(this.#options.by.pipeline), below) }];
  }

  /** True if this very content is the result of a job that was taken over. `path` is relative to the pipeline file. */
  hasSaved(path: string): boolean {
    const here = join(dirname(this.#options.by.pipeline), path);
    const bytes = sizeOf(here);
    const saved = bytes === undefined ? [] : (this.#saved.get(bytes) ?? []);
    return saved.some((file) => isWhole({ ...file, path: here }));
  }

  // For people.

  /** What was taken over so far; undefined if nothing was. `lost`: the jobs whose results are nowhere. */
  paidAlready(lost: ReadonlySet<string>): PaidAlready | undefined {
    const found = new Map<string, PaidSource>();
    let [creations, credits] = [0, 0];
    for (const [job, { payer, attempts }] of this.#adoptions) {
      if (lost.has(job)) continue;
      for (const { state, charge, at } of attempts) {
        if (state === 'intended' || state === 'doubt') continue;
        creations += 1;
        credits += charge?.credits ?? 0;
        const by = this.#named(payer);
        const key = JSON.stringify([by.by, by.name]);
        const day = at.slice(0, 10);
        const { creations: before = 0, first = day, last = day } = found.get(key) ?? {};
        found.set(key, {
          ...by,
          creations: before + 1,
          first: day < first ? day : first,
          last: day > last ? day : last,
        });
      }
    }
    if (creations === 0) return undefined;
    const sources = [...found.values()]
      .sort((one, other) => other.creations - one.creations)
      .slice(0, maxSources);
    return { creations, credits, sources, at: new Date(this.#options.clock.now()).toISOString() };
  }

  /** What the receipts say of a request that this state file takes over or has taken over. */
  told(fingerprint: string): PaidTask | undefined {
    const { ledger } = this.#options;
    const job = ledger.job(fingerprint);
    const receipt = this.#options.receipts.get(fingerprint);
    const attempt = receipt?.line.attempts.find(({ name }) => name === job?.name);
    if (receipt === undefined || attempt === undefined || job?.adopted === undefined)
      return undefined;
    const { at, project, charge } = attempt;
    const paid = { ...this.#named(receipt.payer), at, project, credits: charge?.credits };
    if (jobFacts[job.state].inDoubt) return { ...paid, follows: 'doubt' };
    if (job.state !== 'deleted' || downloadCount(job) === 0 || job.outputs !== undefined)
      return { ...paid, follows: 'adopted' };
    const hashes = new Set(this.#copiesOf(receipt, attempt).map(({ sha256 }) => sha256));
    if (hashes.size === 0) return { ...paid, follows: 'lost' };
    const files = receipt.copies.filter((file) => hashes.has(file.sha256) && isWhole(file));
    return { ...paid, follows: 'copied', files: files.map(({ path }) => shownPlace(path)) };
  }

  #named({ state, pipeline, branch }: Payer): PaidBy {
    const { by } = this.#options;
    if (pipeline !== by.pipeline) return { by: 'pipeline', name: shownPlace(pipeline) };
    if (branch !== undefined && branch !== by.branch) return { by: 'branch', name: branch };
    return { by: 'state', name: shownPlace(state) };
  }
}

const maxSources = 100;

/** Another payer's, of which something may come. */
const isForeign = (attempt: Attempt): boolean => attempt.adopted === true && !isOver(attempt);

/** A person wants results of this pipeline's own: the others stay as they are, and count no more here. */
function forgetting(line: Job, attempt: string, at: string): Job {
  const attempts = line.attempts.map((one) =>
    one.name === attempt || isOver(one) ? one : { ...one, forgotten: at },
  );
  return { ...line, attempts };
}

const chunkBytes = 1 << 20;

function sizeOf(path: string): number | undefined {
  return opened(path, (_file, size) => size);
}

/** True if the file is there with the recorded content. */
const isWhole = ({ path, bytes, sha256 }: Output): boolean =>
  opened(path, (file, size) => {
    if (size !== bytes) return false;
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, bytes)));
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read));
    return hash.digest('hex') === sha256;
  }) ?? false;

/** Undefined if there is no such file. Never follows a link. */
function opened<T>(path: string, read: (file: number, size: number) => T): T | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    return stats.isFile() ? read(file, stats.size) : undefined;
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
