// What the receipts say to a plan or a run: a request that the state file does not know may be paid for all the same.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { digestFrom } from '../../base/digest.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import type { Account } from '../../contract/api/project.ts';
import { recordOf } from '../../contract/tools/all.ts';
import { shownPlace } from '../../files/shown-path.ts';
import { type Fingerprint, fingerprintFrom } from '../../model/fingerprint.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { JobLine, NewEvent, OutputLine } from '../../model/line.ts';
import { jobFacts, stateAfter } from '../../model/state.ts';
import { downloadCount } from '../../plan/recorded-files.ts';
import type {
  PaidAlready,
  PaidBy,
  PaidSource,
  PaidTask,
  Remembered,
} from '../../plan/remembered.ts';
import type { Clock, MediaApi } from '../../run/jobs/ports.ts';
import {
  adoptedLine,
  type Ending,
  endOf,
  type Receipt,
  type ReceiptSource,
  type SavedFile,
  unknownPayment,
} from './receipt.ts';
import type { ReceiptBook } from './receipt-book.ts';

/** Tells who pays, and whether a project is there. Undefined: the service cannot be asked. */
export interface ServiceInquiry {
  readonly key: string;
  readonly api: Pick<MediaApi, 'account' | 'project'>;
}

export interface RememberedOptions {
  readonly book: ReceiptBook;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly inquiry: ServiceInquiry | undefined;
  /** The store of this run, as the state file names it. */
  readonly store: string | undefined;
  /** Makes a file outside this checkout readable as a kept one. */
  readonly lend: (file: SavedFile) => void;
}

/** A job that the state file takes over, and where it comes from. */
export interface Adoption {
  readonly line: JobLine;
  readonly receipt: Receipt;
}

/** A job that was taken over, or the job as it was, and what became of it. */
type Unrecorded =
  | { readonly adoption: Adoption }
  | { readonly before: JobLine; readonly events: readonly Ending[] };

/** Writes to the journal of a run. */
export interface Recorder {
  adopted(adoption: Adoption): void;
  ended(events: readonly NewEvent[]): void;
}

/** `there`: it may be adopted. `gone`: another account paid, and its project is not ours. */
type Verdict = 'there' | 'gone';

const pollMs = 200;

export class RememberedPayments implements Remembered {
  readonly adoptions: Adoption[] = [];
  /** By fingerprint: paid by another account, whose projects are not visible to this one. */
  readonly ofOthers = new Map<Fingerprint, Receipt>();
  readonly #o: RememberedOptions;
  /** By the name of the attempt. */
  readonly #verdicts = new Map<string, Verdict>();
  /** What `paid` could not answer yet. */
  readonly #open = new Map<Fingerprint, Receipt>();
  readonly #copies = new Map<string, readonly OutputLine[]>();
  /** What the journal does not say yet, in the order in which it was learnt. */
  readonly #unrecorded: Unrecorded[] = [];
  #record: Recorder | undefined;
  #payer: Promise<void> | undefined;

  constructor(options: RememberedOptions) {
    this.#o = options;
  }

  get isEmpty(): boolean {
    return this.#o.book.isEmpty;
  }

  /** From here on, what is learnt goes to a journal: first what the plan has learnt. */
  recordWith(record: Recorder): void {
    for (const one of this.#unrecorded)
      if ('adoption' in one) record.adopted(one.adoption);
      else {
        // The plan has foreseen it; the journal tells it from where it was.
        this.#o.ledger.foresee(one.before);
        record.ended(one.events);
      }
    this.#unrecorded.length = 0;
    this.#record = record;
  }

  deletedElsewhere(job: JobLine, isMissing = false): JobLine | undefined {
    const { book, ledger } = this.#o;
    if (!isMissing && !book.isDeleted(job)) return undefined;
    const receipt = book.of(job.job).find(({ line }) => line.name === job.name);
    if (job.name === undefined || receipt === undefined) return undefined;
    // Whoever deletes a project saves its files first, and records the deletion afterwards.
    const isDeleted =
      receipt.line.state === 'deleted' || (isMissing && this.#findCopies(receipt).length > 0);
    if (!isDeleted) return undefined;
    this.#copies.delete(job.name);
    const known = ledger.job(job.job);
    if (known?.state !== 'created' && known?.state !== 'complete') return known;
    const events = endOf(job.job, { ...receipt.line, state: 'deleted' });
    const told = known.state === 'created' ? ['settled', 'deleted'] : ['deleted'];
    return this.#foresee(
      known,
      events.filter(({ event }) => told.includes(event)),
    );
  }

  /** A plan counts with what the journal is told when the run begins. */
  #foresee(before: JobLine, events: readonly Ending[]): JobLine | undefined {
    const { ledger, clock } = this.#o;
    if (this.#record !== undefined) {
      this.#record.ended(events);
      return ledger.job(before.job);
    }
    const at = new Date(clock.now()).toISOString();
    let line = before;
    for (const event of events) {
      const moved = stateAfter(line, { at, ...event });
      if (!moved.ok) throw new Error(`bug: ${moved.error}`);
      line = moved.value;
    }
    this.#unrecorded.push({ before, events });
    ledger.foresee(line);
    return line;
  }

  paid(fingerprint: Fingerprint, task: string): JobLine | 'busy' | undefined {
    const { book, ledger, clock } = this.#o;
    const receipts = book.of(fingerprint);
    const receipt = this.#candidate(fingerprint, receipts);
    if (receipt === undefined) {
      const gone = unknownPayment(receipts, ledger.job(fingerprint));
      if (gone !== undefined) this.ofOthers.set(fingerprint, gone);
      return undefined;
    }
    const { name = '' } = receipt.line;
    if (book.isBeingSent(receipt, clock.now())) return this.#wait(fingerprint, receipt);
    const verdict = this.#verdicts.get(name) ?? this.#verdictOn(receipt);
    if (verdict === undefined) return this.#wait(fingerprint, receipt);
    const line = this.#adopt(receipt, task);
    if (book.isOwn(receipt)) this.#adoptTakes(fingerprint);
    return line;
  }

  lastKnown(job: string, project: string): JobLine | undefined {
    return this.#receiptOf(job, project)?.line;
  }

  isOurs(job: string, project: string): boolean {
    const receipt = this.#receiptOf(job, project);
    return receipt !== undefined && this.#o.book.payerOf(receipt) === 'same';
  }

  #receiptOf(job: string, project: string): Receipt | undefined {
    return this.#o.book.of(job).find(({ line }) => line.project === project);
  }

  resolved(job: JobLine, task: string): JobLine | undefined {
    const receipt = this.#o.book.of(job.job).find(({ line }) => line.name === job.name);
    if (job.name === undefined || receipt === undefined) return undefined;
    const { line } = receipt;
    if (jobFacts[line.state].inDoubt) return undefined;
    if (job.state !== 'deleted') return this.#foresee(job, endOf(job.job, line));
    if (line.result === undefined) return undefined;
    return this.#adopt({ ...receipt, line: { ...line, state: job.state } }, task);
  }

  /** What counts for a request, of what this account may have. */
  #candidate(fingerprint: Fingerprint, receipts: readonly Receipt[]): Receipt | undefined {
    const known = this.#o.ledger.job(fingerprint);
    const there = receipts.filter(({ line }) => this.#verdicts.get(line.name ?? '') !== 'gone');
    return unknownPayment(there, known);
  }

  claim(line: JobLine, onPurpose: boolean, before: JobLine | undefined): 'go' | 'busy' {
    const { book } = this.#o;
    // A doubt that a person has settled elsewhere: the state file came here, and the receipts of that machine did not.
    const isSettled = before !== undefined && !jobFacts[before.state].inDoubt;
    const settled = isSettled ? before.name : undefined;
    return book.claim(
      line,
      (other) =>
        !onPurpose &&
        this.#verdicts.get(other.line.name ?? '') !== 'gone' &&
        // An attempt without a name may be any.
        (settled === undefined ||
          other.line.name !== settled ||
          !jobFacts[other.line.state].inDoubt),
    );
  }

  detected(fingerprint: Fingerprint, task: string): JobLine | undefined {
    const receipts = this.#o.book.of(fingerprint);
    const receipt = receipts.find(({ line }) => line.state === 'supplied');
    return receipt === undefined ? undefined : this.#adopt(receipt, task);
  }

  #wait(fingerprint: Fingerprint, receipt: Receipt): 'busy' {
    this.#open.set(fingerprint, receipt);
    return 'busy';
  }

  /** Undefined if the service must be asked. Files that are here are copied, whoever has paid for them. */
  #verdictOn(receipt: Receipt): Verdict | undefined {
    const { book, inquiry } = this.#o;
    if (receipt.line.state === 'deleted' && this.#copiesOf(receipt).length > 0) return 'there';
    if (inquiry === undefined) return 'there';
    return book.knowsPayer && book.payerOf(receipt) === 'same' ? 'there' : undefined;
  }

  #adopt(receipt: Receipt, task?: string): JobLine {
    const { book, ledger, clock } = this.#o;
    const at = new Date(clock.now()).toISOString();
    const isOwn = book.isOwn(receipt);
    const here = filesHere(receipt, book.source, this.#o.store);
    const line = adoptedLine(receipt, { at, task, isOwn, here });
    const adoption = { line, receipt };
    this.adoptions.push(adoption);
    if (this.#record === undefined) {
      ledger.adopt(line);
      this.#unrecorded.push({ adoption });
    } else this.#record.adopted(adoption);
    return ledger.job(line.job) ?? line;
  }

  /** The later takes that this pipeline has paid for: `reroll` must not pay for them again. */
  #adoptTakes(first: Fingerprint): void {
    const { book, ledger } = this.#o;
    const byJob = Map.groupBy(this.#takesOf(first), ({ line }) => line.job);
    for (const receipts of byJob.values()) {
      const own = receipts.toReversed().filter((receipt) => book.isOwn(receipt));
      const [job = ''] = own.map(({ line }) => line.job);
      const receipt = unknownPayment(own, ledger.job(job));
      if (receipt !== undefined && ledger.job(job) === undefined) this.#adopt(receipt);
    }
  }

  /** What was adopted so far, for people; undefined if nothing was. `lost`: the jobs whose results are nowhere. */
  paidAlready(lost: ReadonlySet<string>): PaidAlready | undefined {
    const receipts = this.adoptions.map(({ receipt }) => receipt);
    return paidAlready(receipts, lost, {
      ...this.#viewpoint,
      at: new Date(this.#o.clock.now()).toISOString(),
    });
  }

  /** What the receipts say of a request that this state file adopts or has adopted, or that another account paid for. */
  told(fingerprint: string): PaidTask | undefined {
    const { book, ledger } = this.#o;
    const job = ledger.job(fingerprint);
    const other = this.ofOthers.get(fingerprintFrom(digestFrom(fingerprint)));
    const own =
      job?.adopted === undefined
        ? undefined
        : book.of(fingerprint).find(({ line }) => line.name === job.name);
    const receipt = other ?? own;
    if (receipt === undefined) return undefined;
    const { at, project, credits } = receipt.line;
    return {
      ...payerOf(receipt, this.#viewpoint),
      at,
      ...(other === undefined && job !== undefined
        ? this.#following(job, receipt)
        : { follows: 'bought' }),
      ...(project === undefined ? {} : { project }),
      ...(credits === undefined ? {} : { credits }),
    };
  }

  #following(job: JobLine, receipt: Receipt): Pick<PaidTask, 'follows' | 'files'> {
    if (jobFacts[job.state].inDoubt) return { follows: 'doubt' };
    if (job.state !== 'deleted' || downloadCount(job) === 0) return { follows: 'adopted' };
    const { folder } = this.#o.book.source;
    const own = new Set((job.outputs ?? []).map(({ path }) => resolve(folder, path)));
    if (receipt.saved.some((file) => own.has(file.path) && isWhole(file)))
      return { follows: 'adopted' };
    const copies = this.#copiesOf(receipt);
    if (copies.length === 0) return { follows: 'lost' };
    const hashes = new Set(copies.map(({ sha256 }) => sha256));
    const files = receipt.saved.filter((file) => hashes.has(file.sha256) && isWhole(file));
    return { follows: 'copied', files: files.map(({ path }) => shownPlace(path)) };
  }

  get #viewpoint(): Viewpoint {
    return { own: this.#o.book.source, shown: shownPlace };
  }

  newestTake(first: Fingerprint): number {
    return Math.max(1, ...this.#takesOf(first).map(({ line }) => line.take?.number ?? 1));
  }

  /** The first ones first. */
  #takesOf(first: Fingerprint): readonly Receipt[] {
    return this.#o.book.takesOf(first);
  }

  /** True if the plan has questions that only the service, or another process, can answer. */
  get hasQuestions(): boolean {
    return this.#open.size > 0;
  }

  /** Asks the service about the projects of other accounts. What another process is sending stays open. */
  async inquire(stop: AbortSignal): Promise<void> {
    for (const [fingerprint, receipt] of [...this.#open]) {
      if (stop.aborted) return;
      let next: Receipt | undefined = receipt;
      // Behind a receipt of another account there may be one of this account.
      while (next !== undefined && !this.#o.book.isBeingSent(next, this.#o.clock.now())) {
        await this.#judge(next);
        const isGone: boolean = this.#verdicts.get(next.line.name ?? '') === 'gone';
        next = isGone ? this.#candidate(fingerprint, this.#o.book.of(fingerprint)) : undefined;
      }
      if (next === undefined) this.#open.delete(fingerprint);
      else this.#open.set(fingerprint, next);
    }
  }

  async settled(fingerprint: Fingerprint, stop: AbortSignal): Promise<void> {
    const { book, clock } = this.#o;
    let receipt = this.#open.get(fingerprint);
    while (receipt !== undefined && book.isBeingSent(receipt, clock.now())) {
      await clock.sleep(pollMs, stop);
      if (stop.aborted) return;
      const { name } = receipt.line;
      receipt = book.of(fingerprint).find(({ line }) => line.name === name);
    }
    if (receipt !== undefined) await this.#judge(receipt);
    this.#open.delete(fingerprint);
  }

  async #judge(receipt: Receipt): Promise<void> {
    const { book, inquiry } = this.#o;
    const { line } = receipt;
    const { name = '', project } = line;
    const judge = (verdict: Verdict): void => void this.#verdicts.set(name, verdict);
    if (inquiry === undefined) return judge('there');
    this.#payer ??= askPayer(inquiry, book);
    await this.#payer;
    const payer = book.payerOf(receipt);
    if (payer === 'same') return judge('there');
    // A doubt of an account that may be this one stays a doubt; a deleted project without files is nobody's to give.
    if (project === undefined || line.state === 'deleted')
      return judge(payer === 'other' ? 'gone' : 'there');
    const answer = await inquiry.api.project(recordOf(line.kind), project);
    const isGone = answer.ok ? answer.value.enabled === false : answer.error.reason === 'not-found';
    judge(isGone && payer === 'other' ? 'gone' : 'there');
  }

  /** True if a run of this pipeline, here or in another checkout, has saved this very content at this place. */
  hasSaved(path: string): boolean {
    const { store, source } = this.#o.book;
    const here = join(source.folder, path);
    return (store.foldersOf(source.pipeline) ?? [])
      .flatMap((folder) => store.savedAt(join(folder, path)) ?? [])
      .some((file) => isWhole({ ...file, path: here }));
  }

  copies(job: JobLine): readonly OutputLine[] {
    const { book } = this.#o;
    const receipt = book.of(job.job).find(({ line }) => line.name === job.name);
    return receipt === undefined ? [] : this.#copiesOf(receipt);
  }

  #copiesOf(receipt: Receipt): readonly OutputLine[] {
    const { name = '' } = receipt.line;
    let found = this.#copies.get(name);
    if (found === undefined) {
      found = this.#findCopies(receipt);
      this.#copies.set(name, found);
    }
    return found;
  }

  /** The same files in the other folders in which the pipeline has run: git may have brought them there. */
  #inOtherFolders(files: readonly SavedFile[], source: ReceiptSource): readonly SavedFile[] {
    const folders = this.#o.book.store.foldersOf(source.pipeline) ?? [];
    return files.flatMap((file) => {
      const below = relative(source.folder, file.path);
      if (below.startsWith('..') || isAbsolute(below)) return [];
      return folders.map((folder) => ({ ...file, path: join(folder, below) }));
    });
  }

  /** One file for each download, or none at all. */
  #findCopies({ line, saved, source }: Receipt): readonly OutputLine[] {
    const { store, lend } = this.#o;
    const found: OutputLine[] = [];
    for (let index = 0; index < downloadCount(line); index++) {
      const all = saved.filter((file) => file.index === index);
      const copy =
        all.find(isWhole) ??
        this.#inOtherFolders(all, source).find(isWhole) ??
        all.find(({ stored }) => stored !== undefined && stored === store);
      if (copy === undefined) return [];
      const { task, path, bytes, sha256, stored } = copy;
      if (isWhole(copy)) lend(copy);
      found.push({
        task,
        index,
        bytes,
        sha256,
        // Only its extension counts: the file is found by its hash.
        path: path.split(sep).at(-1) ?? '',
        ...(stored === undefined ? {} : { stored }),
      });
    }
    return found;
  }
}

/**
 * The files of a receipt that are in this checkout, as its state file records them. Git may have brought what another checkout
 * of the same pipeline saved.
 */
export function filesHere(
  { saved, line, source }: Receipt,
  { folder, pipeline }: Pick<ReceiptSource, 'folder' | 'pipeline'>,
  store: string | undefined,
): readonly OutputLine[] {
  if (source.pipeline !== pipeline) return [];
  const isElsewhere = source.folder !== folder;
  return saved.flatMap((file) => {
    const { task, index, path, bytes, sha256, stored } = file;
    const below = relative(source.folder, path);
    const isStored = stored !== undefined && stored === store;
    const isRecorded = isStored || (!isElsewhere && line.state === 'deleted');
    if (below.startsWith('..') || isAbsolute(below)) return [];
    if (!isRecorded && !isWhole({ ...file, path: join(folder, below) })) return [];
    return [
      {
        task,
        index,
        path: below.split(sep).join('/'),
        bytes,
        sha256,
        ...(stored === undefined ? {} : { stored }),
      },
    ];
  });
}

async function askPayer({ api, key }: ServiceInquiry, book: ReceiptBook): Promise<void> {
  const account = await api.account();
  const isMissing = !account.ok && account.error.reason !== 'not-found';
  if (!isMissing) book.pays(account.ok ? (account.value as Account | undefined) : undefined, key);
}

const chunkBytes = 1 << 20;

/** True if the file is there with the recorded content. Never follows a link. */
function isWhole({ path, bytes, sha256 }: SavedFile): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isSystemProblem(error)) return false;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size !== bytes) return false;
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, bytes)));
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read));
    return hash.digest('hex') === sha256;
  } catch (error) {
    if (isSystemProblem(error)) return false;
    throw error;
  } finally {
    closeSync(file);
  }
}

// Who paid for what a plan takes over from receipts.

interface Viewpoint {
  /** Who asks. */
  readonly own: ReceiptSource;
  /** A path as a person would type it. */
  readonly shown: (path: string) => string;
}

function payerOf({ source }: Receipt, { own, shown }: Viewpoint): PaidBy {
  const { folder, pipeline, state, branch } = source;
  if (folder !== own.folder || pipeline !== own.pipeline)
    return { by: 'pipeline', name: shown(`${folder}/${pipeline}`) };
  if (branch !== undefined && branch !== own.branch) return { by: 'branch', name: branch };
  return state === own.state ? { by: 'this-state' } : { by: 'state', name: shown(state) };
}

const maxSources = 100;

/** Undefined if there is none. `lost`: the jobs whose results are nowhere. `at`: ISO 8601. */
function paidAlready(
  receipts: readonly Receipt[],
  lost: ReadonlySet<string>,
  { at, ...viewpoint }: Viewpoint & { readonly at: string },
): PaidAlready | undefined {
  const found = new Map<string, PaidSource>();
  let [creations, credits] = [0, 0];
  for (const receipt of receipts) {
    const { line } = receipt;
    if (line.state === 'supplied' || jobFacts[line.state].inDoubt || lost.has(line.job)) continue;
    creations += 1;
    credits += line.credits ?? 0;
    const payer = payerOf(receipt, viewpoint);
    const key = JSON.stringify([payer.by, payer.name]);
    const day = line.at.slice(0, 10);
    const { creations: before = 0, first = day, last = day } = found.get(key) ?? {};
    found.set(key, {
      ...payer,
      creations: before + 1,
      first: day < first ? day : first,
      last: day > last ? day : last,
    });
  }
  if (creations === 0) return undefined;
  const sources = [...found.values()]
    .sort((one, other) => other.creations - one.creations)
    .slice(0, maxSources);
  return { creations, credits, sources, at };
}
