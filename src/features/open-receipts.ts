// Opens the receipts of this user for a command about a state file, and joins what they know of its own payments: a state file
// lives in git, so it may be gone, or older than they are.
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { printable } from '../base/printable.ts';
import { realPathOr } from '../base/real-path.ts';
import { repositoryOf } from '../base/repository.ts';
import { isSystemProblem } from '../base/system-error.ts';
import type { Env } from '../base/user-folder.ts';
import type { Clock } from '../core/ports.ts';
import { shownPath } from '../files/shown-path.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { creditsOf } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Job } from '../model/record/line.ts';
import type { Loaded } from '../state/load-state.ts';
import { isHeld } from '../state/lock.ts';
import { Receipts } from '../state/receipts.ts';
import { misplacedReceipts, receiptsFile, servicesOf } from '../state/receipts-file.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { missingText } from '../views/receipts-text.ts';

export interface ReceiptsTerms {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  /** In the header of the state file; undefined: there is none. */
  readonly service: string | undefined;
  readonly env: Env;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly onWarning: (message: string) => void;
  /** Default: nothing is written that this one says. */
  readonly ledger?: Ledger;
  readonly writes: boolean;
}

export function openReceipts(terms: ReceiptsTerms): Receipts {
  const { bound, paths, env, clock, onWarning, ledger, writes } = terms;
  const folder = realPathOr(bound.folder);
  const state = stateName(paths);
  const file = receiptsFileOf(paths, terms.service ?? paths.serviceName, env);
  const service = terms.service ?? (paths.serviceName || soleServiceOf(file, state));
  const misplaced = service === 'rehearsal' ? undefined : misplacedReceipts(env);
  if (misplaced !== undefined) onWarning(misplaced);
  return new Receipts({
    file,
    service,
    by: { state, pipeline: join(folder, basename(bound.file)), branch: branchAt(folder) },
    lock: paths.lock,
    writes,
    clock,
    isHeld,
    jobs: () => ledger?.jobs() ?? [],
    warn: onWarning,
  });
}

/** A rehearsal's receipts are beside the data of its service, whose projects they are about. */
const receiptsFileOf = (
  { privateRunFolder }: Pick<RunPaths, 'privateRunFolder'>,
  service: string,
  env: Env,
): string => (service === 'rehearsal' ? join(privateRunFolder, 'receipts.db') : receiptsFile(env));

/** The absolute path of a state file, links in its folders resolved. */
const stateName = ({ state }: Pick<RunPaths, 'state'>): string =>
  join(realPathOr(dirname(state)), basename(state));

/** The service that a lost state file belonged to; empty if that is not known. */
function soleServiceOf(file: string, state: string): string {
  const [service = '', ...others] = servicesOf(file, state);
  return others.length === 0 ? service : '';
}

/** The branch that is checked out; undefined if there is none. Only a name for people. */
function branchAt(folder: string): string | undefined {
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

/**
 * Joins what the receipts know of a state file's own payments, and notes what they do not know. `notice`: a sentence for the
 * user, if they know of further payments.
 */
export function joinOwnReceipts(
  receipts: Receipts,
  { ledger, header }: Pick<Loaded, 'ledger' | 'header'>,
  paths: RunPaths,
  writes: boolean,
): { readonly isNews: boolean; readonly notice?: string } {
  const found = new Found();
  let isNews = false;
  for (const { line, branch } of receipts.ownLines((job) => ledger.textOf(job))) {
    const before = ledger.job(line.job);
    if (ledger.join(line)) {
      isNews = true;
      found.add(line, before, branch);
    }
    const now = ledger.job(line.job);
    if (writes && now !== undefined) receipts.note(now);
  }
  const { ownJobs = ledger.ownJobs } = receipts;
  if (writes && ownJobs < ledger.ownJobs) receipts.add(ledger.jobs());
  if (!isNews) return { isNews };
  return found.creations === 0
    ? { isNews }
    : { isNews, notice: found.notice(paths, header === undefined) };
}

/** Payments that a state file did not have. */
class Found {
  creations = 0;
  #credits = 0;
  #newest: { readonly at: string; readonly branch: string | undefined } | undefined;

  add({ attempts }: Job, before: Job | undefined, branch: string | undefined): void {
    const known = new Set(before?.attempts.map(({ name }) => name));
    for (const attempt of attempts) {
      if (known.has(attempt.name) || attempt.state === 'refused') continue;
      this.creations += 1;
      this.#credits += creditsOf(attempt);
      if (this.#newest === undefined || this.#newest.at < attempt.at)
        this.#newest = { at: attempt.at, branch };
    }
  }

  notice(paths: RunPaths, isMissing: boolean): string {
    const { at = '', branch } = this.#newest ?? {};
    const payments = missingText({ creations: this.creations, credits: this.#credits });
    const what = isMissing
      ? `is missing, but your receipts know of ${payments} in it`
      : `lacks ${payments} that your receipts know of`;
    const made = this.creations === 1 ? 'made' : 'the last one made';
    const on = branch === undefined ? '' : ` on branch ${printable(branch)}`;
    return `${shownPath(paths.state)} ${what} (${made} ${at.slice(0, 10)}${on}): nothing is paid again`;
  }
}
