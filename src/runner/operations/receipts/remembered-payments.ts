// What the receipts say to a plan or a run: a request that the state file does not know may be paid for all the same.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import type { Account } from '../../../contract/api/project.ts';
import { isSystemProblem } from '../../../contract/files/system-error.ts';
import { recordOf } from '../../../contract/kinds/tools.ts';
import type { Ledger } from '../../journal/ledger.ts';
import type { JobLine, OutputLine } from '../../journal/line.ts';
import { adoptedAfter, jobFacts } from '../../journal/state.ts';
import { downloadCount } from '../../plan/recorded-files.ts';
import type { Remembered } from '../../plan/remembered.ts';
import { adoptedLine } from '../../receipts/adopted.ts';
import { type Receipt, type SavedFile, unknownPayment } from '../../receipts/receipt.ts';
import type { Clock, MediaApi } from '../../run/jobs/ports.ts';
import type { Fingerprint } from '../../task/fingerprint.ts';
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
  /** The version of the state file in git's HEAD, if the file is missing or older; undefined if it adds nothing. */
  readonly head?: Ledger | undefined;
}

/** A job that the state file takes over, and where it comes from. */
export interface Adoption {
  readonly line: JobLine;
  /** The job as the state file has it. */
  readonly before: JobLine | undefined;
  readonly receipt: Receipt;
}

/** `there`: it may be adopted. `gone`: another account paid, and its project is not ours. */
type Verdict = 'there' | 'gone';

const looksMs = 200;

export class RememberedPayments implements Remembered {
  /** Jobs that were adopted and are not in a journal yet. */
  readonly adoptions: Adoption[] = [];
  /** By fingerprint: paid by another account, whose projects are not visible to this one. */
  readonly ofOthers = new Map<Fingerprint, Receipt>();
  readonly #o: RememberedOptions;
  /** By the name of the attempt. */
  readonly #verdicts = new Map<string, Verdict>();
  /** What `paid` could not answer yet. */
  readonly #open = new Map<Fingerprint, Receipt>();
  readonly #copies = new Map<string, readonly OutputLine[]>();
  #record: ((adoption: Adoption) => void) | undefined;
  #payer: Promise<void> | undefined;

  constructor(options: RememberedOptions) {
    this.#o = options;
  }

  /** From here on, adopted jobs go to a journal: first those that the plan has adopted. */
  recordWith(record: (adoption: Adoption) => void): void {
    for (const adoption of this.adoptions) {
      // The event must find the job as the state file has it.
      if (adoption.before !== undefined) this.#o.ledger.adopt(adoption.before);
      record(adoption);
    }
    this.#record = record;
  }

  paid(fingerprint: Fingerprint, task: string): JobLine | 'busy' | undefined {
    const { book, ledger, clock, head } = this.#o;
    const known = ledger.job(fingerprint);
    const receipt =
      unknownPayment(book.of(fingerprint), known) ?? unknownIn(head, book, fingerprint, known);
    if (receipt === undefined) return undefined;
    const { name = '' } = receipt.line;
    if (book.isBeingSent(receipt, clock.now())) return this.#wait(fingerprint, receipt);
    const verdict = this.#verdicts.get(name) ?? this.#verdictOn(receipt);
    if (verdict === undefined) return this.#wait(fingerprint, receipt);
    if (verdict === 'gone') {
      this.ofOthers.set(fingerprint, receipt);
      return undefined;
    }
    const line = this.#adopt(receipt, task);
    if (book.isOwn(receipt)) this.#adoptTakes(fingerprint);
    return line;
  }

  resolved({ job, name, state }: JobLine, task: string): JobLine | undefined {
    const receipt = this.#o.book.of(job).find(({ line }) => line.name === name);
    if (receipt === undefined || jobFacts[receipt.line.state].inDoubt) return undefined;
    if (state !== 'deleted') return this.#adopt(receipt, task);
    if (receipt.line.result === undefined) return undefined;
    return this.#adopt({ ...receipt, line: { ...receipt.line, state } }, task);
  }

  /** The last act before a creation is sent. `onPurpose`: another take, which is paid for whatever is remembered. */
  claim(line: JobLine, onPurpose: boolean): 'go' | 'busy' {
    const { book } = this.#o;
    return book.claim(
      line,
      (other) => !onPurpose && this.#verdicts.get(other.line.name ?? '') !== 'gone',
    );
  }

  detected(fingerprint: Fingerprint, task: string): JobLine | undefined {
    const receipt = this.#o.book.of(fingerprint).find(({ line }) => line.state === 'supplied');
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
    const here = isOwn ? this.#filesHere(receipt) : [];
    const line = adoptedLine(receipt, { at, task, isOwn, here });
    const before = ledger.job(line.job);
    const adoption = { line, before, receipt };
    this.adoptions.push(adoption);
    if (this.#record === undefined) ledger.adopt(adoptedAfter(before, line));
    else this.#record(adoption);
    return ledger.job(line.job) ?? line;
  }

  /** The later takes that this pipeline has paid for: `reroll` must not pay for them again. */
  #adoptTakes(first: Fingerprint): void {
    const { book, ledger } = this.#o;
    const byJob = Map.groupBy(book.takesOf(first), ({ line }) => line.job);
    for (const receipts of byJob.values()) {
      const own = receipts.toReversed().filter((receipt) => book.isOwn(receipt));
      const [job = ''] = own.map(({ line }) => line.job);
      const receipt = unknownPayment(own, ledger.job(job));
      if (receipt !== undefined && ledger.job(job) === undefined) this.#adopt(receipt);
    }
  }

  newestTake(first: Fingerprint): number {
    return Math.max(1, ...this.#o.book.takesOf(first).map(({ line }) => line.take?.number ?? 1));
  }

  /** True if the plan has questions that only the service, or another process, can answer. */
  get hasQuestions(): boolean {
    return this.#open.size > 0;
  }

  /** Asks the service about the projects of other accounts. What another process is sending stays open. */
  async inquire(stop: AbortSignal): Promise<void> {
    for (const [fingerprint, receipt] of [...this.#open]) {
      if (stop.aborted) return;
      if (this.#o.book.isBeingSent(receipt, this.#o.clock.now())) continue;
      await this.#judge(receipt);
      this.#open.delete(fingerprint);
    }
  }

  async settled(fingerprint: Fingerprint, stop: AbortSignal): Promise<void> {
    const { book, clock } = this.#o;
    let receipt = this.#open.get(fingerprint);
    while (receipt !== undefined && book.isBeingSent(receipt, clock.now())) {
      await clock.sleep(looksMs, stop);
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

  /** One file for each download, or none at all. */
  #findCopies({ line, saved }: Receipt): readonly OutputLine[] {
    const { store, lend } = this.#o;
    const found: OutputLine[] = [];
    for (let index = 0; index < downloadCount(line); index++) {
      const all = saved.filter((file) => file.index === index);
      const copy =
        all.find(isWhole) ?? all.find(({ stored }) => stored !== undefined && stored === store);
      if (copy === undefined) return [];
      const { task, path, bytes, sha256, stored } = copy;
      if (isWhole(copy)) lend(copy);
      found.push({
        ...{ task, index, bytes, sha256 },
        // Only its extension counts: the file is found by its hash.
        path: path.split(sep).at(-1) ?? '',
        ...(stored === undefined ? {} : { stored }),
      });
    }
    return found;
  }

  /** The files of this checkout, as the state file records them. */
  #filesHere({ saved, line }: Receipt): readonly OutputLine[] {
    const { folder } = this.#o.book.source;
    return saved.flatMap((file) => {
      const { task, index, path, bytes, sha256, stored } = file;
      const below = relative(folder, path);
      const isStored = stored !== undefined && stored === this.#o.store;
      if (below.startsWith('..') || isAbsolute(below)) return [];
      if (line.state !== 'deleted' && !isStored && !isWhole(file)) return [];
      return [
        {
          ...{ task, index, path: below.split(sep).join('/'), bytes, sha256 },
          ...(stored === undefined ? {} : { stored }),
        },
      ];
    });
  }
}

/** Git's version of the state file is as good as a receipt of this pipeline. */
function unknownIn(
  head: Ledger | undefined,
  { service, source }: ReceiptBook,
  fingerprint: Fingerprint,
  known: JobLine | undefined,
): Receipt | undefined {
  const line = head?.job(fingerprint);
  if (line === undefined) return undefined;
  const saved = (line.outputs ?? []).map((file) => ({
    ...file,
    path: `${source.folder}${sep}${file.path.split('/').join(sep)}`,
  }));
  return unknownPayment([{ service, line, source, saved }], known);
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
