// Whether a task is needed. Pure, and the only place that knows the states of attempts: a plan and a run ask the same questions,
// so they cannot disagree. The line that is judged is always the one of the state file joined with that of the receipts.

import { extensionOf } from '../contract/api/asset.ts';
import { worthAnotherAttempt } from '../contract/api/failure.ts';
import { current, isClash, isOver } from '../model/record/job.ts';
import { joined } from '../model/record/join.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Attempt, Job, Output } from '../model/record/line.ts';
import type { Action, End } from './ending.ts';
import {
  type Facts,
  type FileCounts,
  isKept,
  isSame,
  isStored,
  type Receipt,
  type ReceiptsView,
} from './facts.ts';
import { outputPath } from './output-path.ts';
import { suppliedIn } from './outputs.ts';
import type { Reason, ReasonCode } from './reason.ts';

export interface Decision {
  readonly action: Action;
  readonly reason: Reason;
  /** Files of a reused download that are not here as recorded; absent if all are. */
  readonly files?: FileCounts;
}

/** A job as the state file and the receipts know it. Receipts are asked only where their answer can matter. */
export class Known {
  readonly own: Job | undefined;
  readonly #ask: () => Receipt | undefined;
  #receipt: { readonly is: Receipt | undefined } | undefined;

  constructor(own: Job | undefined, ask: () => Receipt | undefined = () => undefined) {
    this.own = own;
    this.#ask = ask;
  }

  get receipt(): Receipt | undefined {
    this.#receipt ??= { is: this.#ask() };
    return this.#receipt.is;
  }

  get job(): Job | undefined {
    const { receipt, own } = this;
    return receipt === undefined
      ? own
      : own === undefined
        ? receipt.line
        : joined(own, receipt.line);
  }

  /** The attempt that counts. */
  get now(): Attempt | undefined {
    const { job } = this;
    return job && current(job);
  }

  /** The same, as the state file alone knows it. */
  get ownNow(): Attempt | undefined {
    return this.own && current(this.own);
  }

  /** Made by this state file, and over: nobody else can know better. */
  get isSettled(): boolean {
    if (suppliedIn(this.own) !== undefined) return true;
    const now = this.ownNow;
    if (now === undefined || now.adopted || isForgotten(now) || isClash(now)) return false;
    if (now.state === 'deleted') return resultsOf(now) !== undefined;
    return now.state === 'complete' && !isAway(now);
  }
}

export const knownOf = (
  ledger: Pick<Ledger, 'job'>,
  receipts: ReceiptsView | undefined,
  job: string,
): Known => new Known(ledger.job(job), () => receipts?.get(job));

/** What others have paid for a request and the state file does not say. */
export function newsIn(known: Known): readonly Attempt[] {
  if (known.isSettled || known.receipt === undefined) return [];
  const names = new Set(known.own?.attempts.map(({ name }) => name));
  return known.receipt.line.attempts.filter(
    (attempt) => attempt.adopted && !isOver(attempt) && !names.has(attempt.name),
  );
}

/** A task that another one is about. */
export interface Source {
  readonly known: Known;
  /** How many results its request asks for; undefined if it does not say. */
  readonly asked: number | undefined;
  readonly end: End;
}

/** A task beside a delete. `end`: undefined if this walk has none. */
export interface Beside {
  readonly task: string;
  readonly to: string | undefined;
  readonly end: End | undefined;
}

const because = (action: Action, code: ReasonCode, about?: string): Decision => ({
  action,
  reason: about === undefined ? { code } : { code, about },
});

/** The service does not have the project any more, or not for us. */
export const isAway = ({ state, gone, missing, charge }: Attempt): boolean =>
  state === 'deleted' ||
  gone !== undefined ||
  (missing !== undefined && (charge === undefined || charge.read < missing));

/** A person has paid for it once more. */
const isForgotten = ({ forgotten }: Attempt): boolean => forgotten !== undefined;

/** The number of files of a finished project; a repaired record may not say it. */
export const resultsOf = ({ result }: Pick<Attempt, 'result'>): number | undefined => {
  const count = result?.['downloads'];
  return typeof count === 'number' ? count : undefined;
};

/** A file with the content of one result. */
export interface WholeFile {
  readonly from: 'place' | 'kept' | 'copy' | 'store';
  readonly output: Output;
}

/** A whole file for each result of an attempt: our own first, else the payer's, else the store's. Undefined if one is nowhere. */
export function filesOf(
  known: Known,
  attempt: Attempt,
  facts: Facts,
): readonly WholeFile[] | undefined {
  const count = resultsOf(attempt) ?? 0;
  const own = (known.own?.outputs ?? []).filter(({ of }) => of === attempt.name);
  const found: WholeFile[] = [];
  for (let index = 0; index < count; index++) {
    const here = own.filter((output) => output.index === index);
    const file =
      wholeAmong(here, 'place', (output) => isWhole(output, facts)) ??
      wholeAmong(here, 'kept', (output) => isKept(output, facts)) ??
      wholeAmong(copiesOf(known, attempt, index), 'copy', (output) =>
        isSame(output, facts.copy(output)),
      ) ??
      wholeAmong(here, 'store', (output) => isWantedFromStore(output, attempt, facts));
    if (file === undefined) return undefined;
    found.push(file);
  }
  return count === 0 ? undefined : found;
}

/** Whoever wants a file downloaded again may have found that the store lost it. */
const isWantedFromStore = (output: Output, attempt: Attempt, facts: Facts): boolean =>
  isStored(output, facts) && (output.forgotten === undefined || isAway(attempt));

const copiesOf = ({ receipt }: Known, { name }: Attempt, index: number): readonly Output[] =>
  (receipt?.copies ?? []).filter((output) => output.of === name && output.index === index);

function wholeAmong(
  outputs: readonly Output[],
  from: WholeFile['from'],
  is: (output: Output) => boolean,
): WholeFile | undefined {
  const output = outputs.find(is);
  return output && { from, output };
}

/** Whoever wants a file downloaded again does not want the one that is there. */
export const isWhole = (output: Output, facts: Facts): boolean =>
  output.forgotten === undefined && isSame(output, facts.output(output.path));

// Uploads and detections

/** A detection of a lost state file keeps its list: elements are named by their place in it. */
export function decideSupply(known: Known): Decision {
  return known.isSettled || suppliedIn(known.job) !== undefined
    ? because('reuse', 'same-content')
    : because('supply', 'new-content');
}

// Creations

export interface CreateQuestion {
  readonly known: Known;
  /** A person has said that this may be paid for once more. */
  readonly mayPayAgain: boolean;
}

export function decideCreate({ known, mayPayAgain }: CreateQuestion, facts: Facts): Decision {
  if (known.isSettled && !mayPayAgain) return because('reuse', 'same-request');
  const { receipt, own, now } = known;
  if (now === undefined || isForgotten(now)) {
    const decision = unpaid(known.job);
    return mayPayAgain && decision.action === 'lost' ? because('create', 'asked-again') : decision;
  }
  const isOurs = own?.attempts.some(({ name }) => name === now.name) === true;
  if (isClash(now)) return because('doubt', 'two-projects', now.clash?.join(' and '));
  if (now.state === 'intended' || now.state === 'doubt') {
    // Whoever waits for another process decides again when that one is over.
    if (!isOurs && receipt?.isBusy === true) return because('follow', 'busy-elsewhere');
    return because('doubt', isOurs ? 'in-doubt' : 'doubt-elsewhere');
  }
  // Never while it is in doubt: that is for a person to settle first.
  if (mayPayAgain) return because('create', 'asked-again');
  if (isAway(now) && now.state !== 'deleted' && filesOf(known, now, facts) === undefined)
    return because('lost', now.gone === undefined ? 'missing-at-service' : 'gone-at-service');
  if (now.state === 'created' && !isAway(now))
    return because('follow', isOurs ? 'paid-already' : 'paid-elsewhere', now.project);
  // What it had is not known: it was gone before anybody saw its end.
  if (now.state === 'deleted' && resultsOf(now) === undefined)
    return because('lost', 'gone-unseen');
  return isOurs
    ? because('reuse', 'same-request')
    : because('follow', 'made-elsewhere', now.project);
}

/** No attempt counts. */
function unpaid(job: Job | undefined): Decision {
  const tried = job?.attempts.filter((attempt) => !isForgotten(attempt)) ?? [];
  if (tried.some(({ gaveUp }) => gaveUp !== undefined)) return because('lost', 'given-up');
  const last = tried.at(-1);
  if (last === undefined) return because('create', 'new-request');
  return because('create', 'failed-before', last.fault?.code);
}

/** Failures of requests that the same request would meet again. */
const lastingFailures: readonly string[] = [
  'refused',
  'not-found',
  'expired',
  'forbidden',
  'canceled',
];

/** The failure that nothing but a person should try again; undefined if the last attempt did not fail for good. */
export function finalFailure({ own }: Known, attempts: number): Attempt['fault'] {
  const sent = (own?.attempts ?? []).filter(({ forgotten }) => forgotten === undefined);
  const last = sent.at(-1);
  if (last?.fault === undefined) return undefined;
  const { code } = last.fault;
  if (last.state === 'refused') return lastingFailures.includes(code) ? last.fault : undefined;
  if (last.state !== 'failed') return undefined;
  return worthAnotherAttempt(code) && sent.length < attempts ? undefined : last.fault;
}

// Downloads

export interface DownloadQuestion {
  readonly task: string;
  /** Below the output folder; the extension may be open. */
  readonly to: string;
  readonly source: Source;
  /** As for a delete. */
  readonly isDry: boolean;
}

export function decideDownload(question: DownloadQuestion, facts: Facts): Decision {
  const { source } = question;
  const { known } = source;
  const isNew = question.isDry && source.end.action === 'create';
  const own = isNew ? undefined : known.ownNow;
  const reused = own && reuseOf(question, own, facts);
  if (reused !== undefined) return reused;
  const { now } = known;
  if (isNew || now === undefined) return because('save', 'not-saved-yet');
  // A copy costs no request, and comes first where the project is there, too.
  const files = filesOf(known, now, facts);
  if (files !== undefined) {
    const from = new Set(files.map((file) => file.from));
    if (from.has('store')) return because('copy', 'in-store');
    return because('copy', from.has('copy') ? 'saved-elsewhere' : 'at-other-place');
  }
  if (!isAway(now)) return because('save', whyAgain(question, now, known, facts));
  if (now.gone !== undefined) return because('lost', 'gone-at-service');
  const pruned = known.own?.outputs.find(
    (output) => output.of === now.name && output.pruned !== undefined,
  );
  if (pruned === undefined) return because('lost', 'deleted-and-gone');
  return because('lost', 'deleted-and-pruned', pruned.pruned?.slice(0, 10));
}

/** The files that a download has recorded where it would put them now. */
function recordedAt(
  { task, to, source }: Pick<DownloadQuestion, 'task' | 'to' | 'source'>,
  attempt: Attempt,
  facts: Facts,
): readonly Output[] {
  const count = resultsOf(attempt) ?? 0;
  return (source.known.own?.outputs ?? []).filter((output) => {
    if (output.of !== attempt.name || output.task !== task || output.kept) return false;
    return placeOf(to, output, count, facts) === output.path;
  });
}

/** Where a result is recorded if it is saved by `to`; undefined if that is no usable path. */
export function placeOf(
  to: string,
  { index, path }: Pick<Output, 'index' | 'path'>,
  count: number,
  facts: Pick<Facts, 'recordedAs'>,
): string | undefined {
  const wanted = outputPath(to, { index, count, extension: extensionOf(path) });
  return wanted.ok ? facts.recordedAs(wanted.value) : undefined;
}

/** All files stand where they belong; somebody may have edited them, and they may be in another checkout. */
function reuseOf(question: DownloadQuestion, attempt: Attempt, facts: Facts): Decision | undefined {
  const count = resultsOf(attempt);
  const recorded = recordedAt(question, attempt, facts);
  const places = new Set(recorded.map(({ index }) => index));
  if (count === undefined || count === 0 || places.size < count) return undefined;
  const standings = [...places].map((index) =>
    recorded
      .filter((one) => one.index === index)
      .map((one) => standingOf(one, facts))
      .find((one) => one !== undefined),
  );
  if (standings.includes(undefined)) return undefined;
  const unstored = recorded.some(
    (one) => facts.store !== undefined && !isStored(one, facts) && isWhole(one, facts),
  );
  if (unstored) return because('store', 'not-in-store-yet');
  const countOf = (is: Standing): number => standings.filter((one) => one === is).length;
  const [changed, away, stored] = [countOf('changed'), countOf('elsewhere'), countOf('stored')];
  // Whoever saved it has not stored it, and may never do so.
  if (away > 0 && facts.store !== undefined && !isAway(attempt)) return undefined;
  if (changed + away + stored === 0) return because('reuse', 'saved-before');
  const inStore = away === 0 ? 'in-store' : 'in-other-checkout';
  const code = away + stored === 0 ? 'changed-on-disk' : inStore;
  return { ...because('reuse', code), files: { changed, elsewhere: away + stored, stored } };
}

type Standing = 'whole' | 'changed' | 'elsewhere' | 'stored';

/** Undefined: the file must be saved again. */
function standingOf(output: Output, facts: Facts): Standing | undefined {
  // A file that is back after it was pruned is recorded anew.
  if (isWhole(output, facts) && output.pruned === undefined) return 'whole';
  if (output.forgotten !== undefined || output.pruned !== undefined) return undefined;
  if (facts.output(output.path).is === 'file') return isKept(output, facts) ? undefined : 'changed';
  if (facts.mustBeHere) return undefined;
  if (isStored(output, facts)) return 'stored';
  return isKept(output, facts) || !facts.isElsewhere(output) ? undefined : 'elsewhere';
}

function whyAgain(
  question: DownloadQuestion,
  attempt: Attempt,
  known: Known,
  facts: Facts,
): ReasonCode {
  const recorded = recordedAt(question, attempt, facts);
  if (recorded.some(({ forgotten }) => forgotten !== undefined)) return 'asked-again';
  if (recorded.some(({ pruned }) => pruned !== undefined)) return 'file-pruned';
  const isElsewhere = recorded.some((one) => standingOf(one, facts) === 'elsewhere');
  if (isElsewhere && facts.store !== undefined) return 'not-in-store-yet';
  if (recorded.length > 0) return 'file-gone';
  return known.own?.outputs.some(({ of }) => of === attempt.name)
    ? 'at-other-place'
    : 'not-saved-yet';
}

// Deletes

export interface DeleteQuestion {
  readonly source: Source;
  readonly discard: boolean;
  /** The downloads of the project beside the delete. */
  readonly savers: readonly Beside[];
  /** The other tasks beside it that need the source. */
  readonly readers: readonly Beside[];
  /** A download of this walk, beside it or elsewhere, has saved all of it. */
  readonly isSaved: boolean;
  /** A download of the project elsewhere that waits for something. */
  readonly waiting: Beside | undefined;
  /** Nothing is really done, so that the record does not know what this walk has made. */
  readonly isDry: boolean;
}

/** A project is deleted only after all that was asked for is on disk, checked and recorded; with a store, also there. */
export function decideDelete(question: DeleteQuestion, facts: Facts): Decision {
  const { source, discard, savers, readers, isSaved, waiting, isDry } = question;
  const { known, end } = source;
  const isNew = isDry && end.action === 'create';
  const isOwn = known.isSettled && known.ownNow?.state === 'deleted';
  const now = isNew ? undefined : isOwn ? known.ownNow : known.now;
  if (now?.state === 'deleted' || now?.gone !== undefined)
    return because('reuse', 'deleted-before');
  if (end.ending !== 'done') return because('keep', 'not-complete');
  const reader = readers.find((one) => one.end !== undefined && !hasEnded(one.end));
  if (reader !== undefined) return stillNeeded(reader);
  if (now?.adopted && known.receipt?.hasSaved !== true)
    return because('keep', 'payer-has-not-saved');
  if (discard) return because('remove', 'discarded');
  const skipped = savers.find((one) => one.end?.ending === 'skipped');
  if (skipped !== undefined) return because('keep', 'saver-skipped', skipped.task);
  for (const saver of savers) {
    if (isSaving(saver.end)) continue;
    const notSaved = because('keep', 'not-saved', saver.task);
    const bad = now === undefined ? notSaved : unsafe(saver, source, now, facts);
    if (bad === undefined) continue;
    return saver.end !== undefined && isWaiting(saver.end) ? stillNeeded(saver) : bad;
  }
  const isHere = now !== undefined && filesOf(known, now, facts) !== undefined;
  const isSafe = savers.length > 0 || isSaved || isHere;
  if (!isSafe && waiting !== undefined) return stillNeeded(waiting);
  if (!isSafe) return because('keep', 'no-step-downloads');
  if (now === undefined) return because('remove', 'files-safe');
  return fewer(source, now) ?? unproved(known, now) ?? because('remove', 'files-safe');
}

const stillNeeded = ({ task, end }: Beside): Decision =>
  because('keep', end?.ending === 'excluded' ? 'reader-excluded' : 'still-needed', task);

const hasEnded = ({ ending }: End): boolean => ending === 'done' || ending === 'skipped';

/** A later run may do it. */
export const isWaiting = (end: End): boolean => !hasEnded(end) && end.ending !== 'failed';

/** In this walk, and in a plan of it alike, what such a download ends with is whole. */
const isSaving = (end: End | undefined): boolean =>
  end?.ending === 'done' &&
  (end.action === 'save' || end.action === 'copy' || end.action === 'store');

/** A file of a download that nobody may rely on. */
function unsafe(
  { task, to }: Beside,
  source: Source,
  now: Attempt,
  facts: Facts,
): Decision | undefined {
  const count = resultsOf(now) ?? 0;
  const recorded =
    to === undefined
      ? (source.known.own?.outputs ?? []).filter((one) => one.of === now.name && one.task === task)
      : recordedAt({ task, to, source }, now, facts);
  for (let index = 0; index < Math.max(1, count); index++) {
    const files = recorded.filter((output) => output.index === index);
    const [first] = files;
    if (first === undefined) return because('keep', 'not-saved', task);
    const isSafe = files.some((file) =>
      facts.store === undefined ? isWhole(file, facts) : isStored(file, facts),
    );
    if (isSafe) continue;
    if (facts.store !== undefined) return because('keep', 'not-in-store', first.path);
    const isElsewhere = files.some((file) => standingOf(file, facts) === 'elsewhere');
    return isElsewhere
      ? because('keep', 'files-elsewhere')
      : because('keep', 'not-whole', first.path);
  }
  return undefined;
}

/** A result that was held back is at the service alone. */
export function fewer(
  { asked }: { readonly asked?: number | undefined },
  attempt: Attempt,
): Decision | undefined {
  const listed = resultsOf(attempt);
  const said = attempt.result?.['image_count'];
  const wanted = Math.max(asked ?? 0, typeof said === 'number' ? said : 0);
  if (listed === undefined || listed >= wanted) return undefined;
  return because('keep', 'fewer-than-asked', `${listed} of ${wanted}`);
}

export function unproved({ own }: Known, { name }: Attempt): Decision | undefined {
  const file = own?.outputs.find((output) => output.of === name && output.unchecked);
  return file && because('keep', 'unchecked', file.path);
}
