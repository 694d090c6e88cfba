// The receipts of one pipeline's runs: where the database is, who writes into it, and what is noted of each creation.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Account } from '../../../contract/api/project.ts';
import { isSystemProblem } from '../../../contract/files/system-error.ts';
import { type Env, userFolder } from '../../../contract/files/user-folder.ts';
import { faceDetect } from '../../../contract/kinds/face-detect.ts';
import { realPathOr } from '../../adapters/files/real-path.ts';
import { repositoryOf } from '../../adapters/files/repository.ts';
import { isRunning } from '../../adapters/lock/lock.ts';
import { processState } from '../../adapters/lock/process-state.ts';
import { ReceiptStore } from '../../adapters/receipts/receipt-store.ts';
import type { Header, JobLine } from '../../journal/line.ts';
import {
  isPayment,
  knownNames,
  type Receipt,
  type ReceiptSource,
  type SavedFile,
} from '../../receipts/receipt.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { RunPaths } from '../files/run-paths.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';

/** Where the receipts of hosted runs are. `SHOTLIST_RECEIPTS` names another folder: absolute, or it is not used. */
export function receiptsFile(env: Env): string {
  const given = env['SHOTLIST_RECEIPTS'];
  const folder = given !== undefined && isAbsolute(given) ? given : userFolder(env);
  return join(folder, 'receipts.db');
}

/** A rehearsal's receipts are beside its service, whose projects they are about. */
export const receiptsFileOf = (paths: RunPaths, service: string, env: Env): string =>
  service === 'rehearsal' ? join(paths.runFolder, 'receipts.db') : receiptsFile(env);

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
  readonly #folder: string;
  readonly #reuseOwn: boolean;
  readonly #holder: string;
  #account: string | undefined;
  /** What changed since the last write. */
  readonly #changed = new Map<string, Receipt>();

  constructor(options: ReceiptBookOptions) {
    const { paths, bound, service, env, now, onWarning, readOnly } = options;
    const file = receiptsFileOf(paths, service, env);
    this.store = new ReceiptStore({
      file,
      now,
      onWarning,
      ...(readOnly === true ? { readOnly } : {}),
    });
    this.service = service;
    this.#folder = realPathOr(bound.folder);
    this.#reuseOwn = bound.pipeline.reusesOwnOnly;
    this.source = {
      folder: this.#folder,
      pipeline: bound.name,
      state: stateName(paths),
      branch: branchAt(this.#folder),
    };
    this.#holder = ownName();
  }

  /** Receipts of a request, the newest first: those of this pipeline only, if it wants results of its own. */
  of(job: string): readonly Receipt[] {
    return (this.store.of(this.service, job) ?? []).filter((receipt) => this.#counts(receipt));
  }

  takesOf(first: string): readonly Receipt[] {
    return (this.store.takesOf(this.service, first) ?? []).filter((one) => this.#counts(one));
  }

  #counts(receipt: Receipt): boolean {
    return !this.#reuseOwn || this.isOwn(receipt);
  }

  /** True if this pipeline file, in this folder, made the creation. */
  isOwn({ source }: Receipt): boolean {
    return source.folder === this.source.folder && source.pipeline === this.source.pipeline;
  }

  /** True while the process that sends the request may still hear the answer. */
  isBeingSent({ line, holder }: Receipt, now: number): boolean {
    if (line.state !== 'intended' || holder === undefined || holder === this.#holder) return false;
    const [pid, host = '', ...started] = holder.split(' ');
    if (host !== hostname()) return now - Date.parse(line.at) < otherHostMs;
    return isRunning({ pid: Number(pid), started: started.join(' ') || undefined });
  }

  /** From here on, receipts name the account that pays. Without an account endpoint, the key stands for it. */
  pays(account: Account | undefined, key: string): void {
    const { salt } = this.store;
    if (salt === undefined) return;
    const id = account?.id;
    const [kind, what] = typeof id === 'string' && id !== '' ? ['account', id] : ['key', key];
    this.#account = `${kind}:${createHmac('sha256', salt).update(what).digest('hex').slice(0, 32)}`;
  }

  get knowsPayer(): boolean {
    return this.#account !== undefined;
  }

  payerOf({ account }: Receipt): Payer {
    if (account === undefined || this.#account === undefined) return 'unclear';
    if (account === this.#account) return 'same';
    return account.startsWith('account:') && this.#account.startsWith('account:')
      ? 'other'
      : 'unclear';
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

  /** Notes what has become of a creation, or what a detection found; `write` writes it. */
  note(line: JobLine): void {
    const isDetection = line.state === 'supplied' && line.kind === faceDetect.name;
    const isCreation = line.name !== undefined && line.state !== 'intended';
    if (isCreation || isDetection) this.#changed.set(keyOf(line), this.#receiptOf(line));
  }

  /** What cannot be written now is written with what comes next. */
  write(): void {
    if (this.#changed.size > 0 && this.store.put([...this.#changed.values()]))
      this.#changed.clear();
  }

  close(): void {
    this.write();
    this.store.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #receiptOf(line: JobLine): Receipt {
    return {
      ...{ service: this.service, line, source: this.source, account: this.#account },
      holder: line.state === 'intended' ? this.#holder : undefined,
      saved: (line.outputs ?? []).map(
        ({ index, task, path, bytes, sha256, stored }): SavedFile => ({
          ...{ index, task, bytes, sha256, stored },
          path: resolve(this.#folder, path),
        }),
      ),
    };
  }
}

const keyOf = ({ job, name = '' }: JobLine): string => `${job} ${name}`;

/** How long a creation of another host may still be under way, in milliseconds. */
const otherHostMs = 120_000;

const ownName = (): string =>
  [process.pid, hostname(), processState(process.pid)?.started ?? ''].join(' ').trim();

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
