// The receipts of one pipeline's runs: where the database is, who writes into it, and what is noted of each creation.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { realPathOr } from '../../base/real-path.ts';
import { repositoryOf } from '../../base/repository.ts';
import { option, shotlistLine } from '../../base/shell.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import { count } from '../../base/text.ts';
import { type Env, userFolder } from '../../base/user-folder.ts';
import type { Account } from '../../contract/api/project.ts';
import { faceDetect } from '../../contract/kinds.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { JobLine } from '../../model/line.ts';
import type { Header } from '../../model/record/line.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import { isHeld } from '../lock.ts';
import type { RunPaths } from '../run-paths.ts';
import {
  isPayment,
  knownNames,
  type Receipt,
  type ReceiptSource,
  type SavedFile,
} from './receipt.ts';
import { ReceiptStore } from './receipt-store.ts';

/**
 * Where the receipts of hosted runs are. `SHOTLIST_RECEIPTS` names another folder: absolute, or it is not used. Relative to
 * the working folder, a repository could bring receipts of its own.
 */
export function receiptsFile(env: Env): string {
  const given = env['SHOTLIST_RECEIPTS'];
  const folder = given !== undefined && isAbsolute(given) ? given : userFolder(env);
  return join(folder, 'receipts.db');
}

function misplacedText(env: Env): string | undefined {
  const given = env['SHOTLIST_RECEIPTS'] ?? '';
  return given === '' || isAbsolute(given)
    ? undefined
    : `SHOTLIST_RECEIPTS is not an absolute path (${given}), so your receipts are in ${receiptsFile(env)}`;
}

/** A rehearsal's receipts are beside the data of its service, whose projects they are about. */
export const receiptsFileOf = (paths: RunPaths, service: string, env: Env): string =>
  service === 'rehearsal' ? join(paths.privateRunFolder, 'receipts.db') : receiptsFile(env);

/** The absolute path of a state file, links in its folders resolved. */
export const stateName = ({ state }: Pick<RunPaths, 'state'>): string =>
  join(realPathOr(dirname(state)), basename(state));

export interface ReceiptBookOptions {
  readonly paths: RunPaths;
  readonly bound: BoundPipeline;
  /** The service in the header of the state file. */
  readonly service: string;
  readonly env: Env;
  readonly now: () => number;
  readonly onWarning: (message: string) => void;
  readonly readOnly?: boolean;
  /** The run in a database whose workers send what is claimed. */
  readonly engineRun?: string | undefined;
}

/** For a command that changes a state file. */
export function bookFor(
  { service }: Pick<Header, 'service'>,
  {
    clock,
    ...context
  }: Omit<ReceiptBookOptions, 'service' | 'now'> & { readonly clock: Pick<Clock, 'now'> },
): ReceiptBook {
  return new ReceiptBook({ ...context, service, now: () => clock.now() });
}

/** `same`, `other`, or `unclear`: two keys may belong to one account. */
export type Payer = 'same' | 'other' | 'unclear';

export class ReceiptBook implements Disposable {
  readonly store: ReceiptStore;
  readonly service: string;
  readonly source: ReceiptSource;
  readonly #reuseOwn: boolean;
  readonly #holder: string;
  readonly #holdsLock: boolean;
  readonly #onWarning: (message: string) => void;
  /** Adds the payments of the state file; undefined if a database has them, or if they are of a rehearsal. */
  readonly #importing: string | undefined;
  /** Undefined until the run has asked who pays. Only its hash is written. */
  #payer: readonly ['account' | 'key', string] | undefined;
  /** The hash of the payer, and the salt that it was made with. */
  #hashed: { readonly salt: string; readonly account: string } | undefined;
  readonly #engineRun: string | undefined;
  /** By the name of the attempt: creations that are ordered of workers, and that no record says are begun. */
  readonly #ordered = new Map<string, JobLine>();
  /** What changed since the last write. */
  readonly #changed = new Map<string, Receipt>();

  constructor(options: ReceiptBookOptions) {
    const { paths, bound, service, env, now, onWarning, readOnly, engineRun } = options;
    const file = receiptsFileOf(paths, service, env);
    this.store = new ReceiptStore({
      file,
      now,
      onWarning,
      ...(readOnly === true ? { readOnly } : {}),
    });
    this.service = service;
    const misplaced = service === 'rehearsal' ? undefined : misplacedText(env);
    if (misplaced !== undefined) onWarning(misplaced);
    this.#onWarning = onWarning;
    const folder = realPathOr(bound.folder);
    this.#reuseOwn = bound.pipeline.reusesOwnOnly;
    this.source = {
      folder,
      pipeline: basename(bound.file),
      state: stateName(paths),
      branch: branchAt(folder),
    };
    if (paths.engine === undefined && service !== 'rehearsal')
      this.#importing = shotlistLine(
        'receipts',
        [],
        [
          ...option('--pipeline', join(folder, this.source.pipeline)),
          ...option('--import', this.source.state),
        ],
      );
    this.#engineRun = engineRun;
    this.#holdsLock = readOnly !== true;
    const lock = join(realPathOr(dirname(paths.lock)), basename(paths.lock));
    this.#holder = engineRun === undefined ? lock : `${lock}${runMark}${engineRun}`;
  }

  /**
   * Receipts of a request, the newest first: those of this pipeline only, if it wants results of its own. Without what this run
   * has ordered itself.
   */
  of(job: string): readonly Receipt[] {
    return (this.store.of(this.service, job) ?? []).filter((receipt) => this.#counts(receipt));
  }

  /** True if the receipt of a creation says that its project is deleted. Asked far more often than it is true. */
  isDeleted({ job, name = '' }: JobLine): boolean {
    return this.store.stateOf(this.service, job, name) === 'deleted';
  }

  /** True if there are no receipts of this service. */
  get isEmpty(): boolean {
    return this.store.isEmpty(this.service) ?? true;
  }

  takesOf(first: string): readonly Receipt[] {
    return (this.store.takesOf(this.service, first) ?? []).filter((one) => this.#counts(one));
  }

  #counts(receipt: Receipt): boolean {
    if (this.#ordered.has(receipt.line.name ?? '')) return false;
    return !this.#reuseOwn || this.isOwn(receipt);
  }

  /** True if this pipeline file, in this folder, made the creation. */
  isOwn({ source }: Receipt): boolean {
    return source.folder === this.source.folder && source.pipeline === this.source.pipeline;
  }

  /** True while the process that sends the request may still hear the answer. Whoever held our own lock before us is dead. */
  isBeingSent({ line, holder }: Receipt, now: number): boolean {
    if (line.state !== 'intended' || holder === undefined) return false;
    if (holder === this.#holder && this.#holdsLock) return false;
    const [lock = '', engineRun] = holder.split(runMark);
    // Of a run in a database, workers send it, and nobody holds a lock meanwhile.
    return engineRun === undefined ? isHeld(lock) : now - Date.parse(line.at) < orderedMs;
  }

  /** From here on, receipts name the account that pays. Without an account endpoint, the key stands for it. */
  pays(account: Account | undefined, key: string): void {
    const id = account?.id;
    this.#payer = typeof id === 'string' && id !== '' ? ['account', id] : ['key', key];
  }

  get knowsPayer(): boolean {
    return this.#accountTo('read') !== undefined;
  }

  #accountTo(doing: 'read' | 'write'): string | undefined {
    if (this.#payer === undefined) return undefined;
    const salt = this.store.saltTo(doing);
    if (salt === undefined) return undefined;
    if (this.#hashed?.salt !== salt) {
      const [kind, what] = this.#payer;
      const hash = createHmac('sha256', salt).update(what).digest('hex').slice(0, 32);
      this.#hashed = { salt, account: `${kind}:${hash}` };
    }
    return this.#hashed.account;
  }

  payerOf({ account }: Receipt): Payer {
    const own = this.#accountTo('read');
    if (account === undefined || own === undefined) return 'unclear';
    if (account === own) return 'same';
    return account.startsWith('account:') && own.startsWith('account:') ? 'other' : 'unclear';
  }

  /**
   * The last act before the request is sent. `busy`: another pipeline pays for the same request. `stands`: whether a receipt
   * stands against it.
   */
  claim(line: JobLine, stands: (receipt: Receipt) => boolean): 'go' | 'busy' {
    const names = knownNames(line);
    const claimed = this.store.claim(this.#receiptOf(line), (others) =>
      others.find(
        (other) =>
          isPayment(other) &&
          this.#counts(other) &&
          !names.has(other.line.name ?? '') &&
          stands(other),
      ),
    );
    this.#changed.delete(keyOf(line));
    return claimed === undefined || claimed === 'ours' ? 'go' : 'busy';
  }

  /** A creation is claimed, and workers may send it from now on. */
  ordered(line: JobLine): void {
    this.#ordered.set(line.name ?? '', line);
  }

  /** The record has an intent of this name, and tells what becomes of it. */
  begun(name: string): void {
    this.#ordered.delete(name);
  }

  /** A creation that was ordered was certainly never sent. */
  withdraw(name: string): void {
    const line = this.#ordered.get(name);
    if (line === undefined) return;
    this.#changed.set(keyOf(line), this.#receiptOf(neverSent(line)));
    this.write();
    this.#ordered.delete(name);
  }

  /** The run is over: nobody sends what was ordered and is not in its ledger. */
  withdrawAll(ledger: Pick<Ledger, 'job'>): void {
    for (const [name, line] of [...this.#ordered])
      if (knownNames(ledger.job(line.job)).has(name)) this.#ordered.delete(name);
      else this.withdraw(name);
  }

  /**
   * Brings the receipts up to the record of a run in a database that nobody coordinated for a while: its workers may have gone
   * on. Nobody performs its orders now. `changed`: the jobs that something has happened to.
   */
  catchUp(ledger: Pick<Ledger, 'job'>, changed: Iterable<string>): void {
    for (const job of changed) {
      const line = ledger.job(job);
      if (line !== undefined) this.note(line);
    }
    const mark = `${runMark}${this.#engineRun}`;
    for (const { line, holder, service } of this.store.held() ?? []) {
      const isOwn = service === this.service && holder?.endsWith(mark) === true;
      if (!isOwn || knownNames(ledger.job(line.job)).has(line.name ?? '')) continue;
      this.#changed.set(keyOf(line), this.#receiptOf(neverSent(line)));
    }
    this.write();
  }

  /** Notes what has become of a creation, or what a detection found; `write` writes it. */
  note(line: JobLine): void {
    const isDetection = line.state === 'supplied' && line.kind === faceDetect.name;
    const isCreation = line.name !== undefined && line.state !== 'intended';
    if (isCreation || isDetection)
      this.#changed.set(keyOf(line), this.#receiptOf(asFarAsKnown(line)));
  }

  /** What cannot be written now is written with what comes next. */
  write(): void {
    if (this.#changed.size === 0 || this.store.rests) return;
    if (this.store.put([...this.#changed.values()])) this.#changed.clear();
  }

  /** The last attempt: what cannot be written now is only in the state file, and a warning says so. */
  finish(): void {
    if (this.#changed.size === 0) return;
    this.store.retry();
    this.write();
    const left = [...this.#changed.values()].filter(isPayment).length;
    this.#changed.clear();
    if (left === 0) return;
    const [verb, them] = left === 1 ? ['is', 'it'] : ['are', 'them'];
    const cure = this.#importing === undefined ? '' : `; to add ${them}, run ${this.#importing}`;
    this.#onWarning(
      `${count(left, 'payment')} of this command ${verb} not in your receipts (${this.store.file})${cure}`,
    );
  }

  close(): void {
    this.finish();
    this.store.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #receiptOf(line: JobLine): Receipt {
    return {
      ...receiptOf(line, this.source, this.service),
      // Whoever takes a project over has not paid for it.
      account: line.adopted === undefined ? this.#accountTo('write') : undefined,
      holder: line.state === 'intended' ? this.#holder : undefined,
    };
  }
}

/** Of a job in a state file, whose paths are relative to the folder of the pipeline file. */
export const receiptOf = (line: JobLine, source: ReceiptSource, service: string): Receipt => ({
  service,
  line,
  source,
  saved: (line.outputs ?? []).map(
    ({ index, task, path, bytes, sha256, stored }): SavedFile => ({
      index,
      task,
      bytes,
      sha256,
      stored,
      path: resolve(source.folder, path),
    }),
  ),
});
/** In a holder, between the lock and the run in a database. */
const runMark = '\t';

function neverSent(line: JobLine): JobLine {
  const error = { code: 'withheld', message: 'no worker has sent it' };
  return { ...line, state: 'failed', error };
}

/** Whoever has taken a project over and does not find it says nothing of it for whoever paid; only its files count. */
function asFarAsKnown(line: JobLine): JobLine {
  const { error, result: _, ...rest } = line;
  const isGone = line.adopted !== undefined && line.state === 'deleted' && error !== undefined;
  return isGone ? { ...rest, state: 'created' } : line;
}

const keyOf = ({ job, name = '' }: JobLine): string => `${job} ${name}`;

/** How long a creation that was ordered of workers may still be under way, in milliseconds. */
const orderedMs = 120_000;

/** The branch that is checked out; undefined if there is none. Only a name for people. */
export function branchAt(folder: string): string | undefined {
  const top = repositoryOf(folder);
  const read = (file: string): string | undefined => {
    try {
      return readFileSync(file, 'utf8').slice(0, 4096);
    } catch (error) {
      if (isSystemProblem(error)) return undefined;
      throw error;
    }
  };
  const worktree = /^gitdir: (.+)$/m.exec(read(join(top, '.git')) ?? '')?.[1];
  const gitFolder = worktree === undefined ? join(top, '.git') : resolve(top, worktree);
  return /^ref: refs\/heads\/(.+)$/m.exec(read(join(gitFolder, 'HEAD')) ?? '')?.[1];
}
