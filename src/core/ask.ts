// What a task is and what is to be done about it, once the steps before it are over.
import type { Digest } from '../base/digest.ts';
import { canonical } from '../base/json.ts';
import { ok, type Result } from '../base/result.ts';
import { toCel } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { extensionMark } from '../language/result-name.ts';
import { fill } from '../language/template.ts';
import { conditionHolds } from '../model/condition.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import { uploadFingerprint } from '../model/fingerprint.ts';
import { current } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Output } from '../model/record/line.ts';
import {
  type Beside,
  type Decision,
  decideCreate,
  decideDelete,
  decideDownload,
  decideSupply,
  filesOf,
  isAway,
  isWaiting,
  Known,
  knownOf,
  type Source,
} from './decide.ts';
import { done, type End } from './ending.ts';
import { type Facts, isStored, type ReceiptsView } from './facts.ts';
import { isKnown, isList, type Named, Ref, Taken, textOf } from './names.ts';
import { normalized } from './output-path.ts';
import { endOfSupply, recordedOutputs, savedOutputs, suppliedIn } from './outputs.ts';
import { priceOfStep } from './price.ts';
import {
  endOf,
  foreignFile,
  problemAt,
  problemOf,
  problemOfBody,
  problemOfFile,
  problemOfPlace,
  type TaskProblem,
  unreadable,
  unusablePlace,
} from './problems.ts';
import type { PlannedStep } from './program.ts';
import type { ReasonCode } from './reason.ts';
import { ForItems, fingerprintOfRequest, requestText, withExpressions } from './request.ts';
import { type Base, type Destination, isTasks, type Scope, type Task } from './scope.ts';
import type { TakeRule } from './takes.ts';

export interface Asked {
  readonly ledger: Pick<Ledger, 'job' | 'dearest'>;
  readonly facts: Facts;
  readonly receipts: ReceiptsView;
  readonly takes: TakeRule;
  readonly base: Base;
  /** Reads and hashes a file, once. The error is the end of a sentence about it. */
  digest(path: string): Promise<Result<Digest, string>>;
  /** Why a place below the output folder cannot be used on this machine; the end of a sentence. */
  readonly unusable: (to: string) => string | undefined;
  now(): number;
  /** Fingerprints of creations that may be paid for once more. */
  readonly payAgain: ReadonlySet<string>;
  /** Downloads whose files are to be saved once more, as if they were not there. */
  readonly saveAgain: ReadonlySet<string>;
}

const skipped: End = { ending: 'skipped', why: 'its if: is false' };

export class Asking {
  readonly #o: Asked;
  /** Whoever asks does nothing: a creation that it begins is not there afterwards. */
  readonly #isDry: boolean;

  /** Requests that may be sent. */
  readonly #right = new Map<Step, ForItems<Named>>();
  /** Projects of which a download of this walk has saved all files. */
  readonly #saved = new Set<string>();
  /** By step: a task that waits for something. */
  readonly #waiting = new Map<string, Beside>();

  constructor(options: Asked, isDry: boolean) {
    this.#o = options;
    this.#isDry = isDry;
  }

  /** `if:`, file, place, request. Returns how the task ends, if it is not to be. */
  name(task: Task): Promise<End | undefined> | End | undefined {
    const { step, scope } = task;
    if (step.of !== undefined) {
      const source = scope.found(step.of);
      if (source === undefined || isTasks(source)) throw new Error(`bug: ${task.id} is of no task`);
      task.source = source;
    }
    const end = this.#condition(task);
    if (end !== undefined) return end;
    switch (step.kind.operation) {
      case 'upload':
        return this.#upload(task);
      case 'download':
        return this.#download(task);
      case 'delete':
        task.fingerprint = fingerprintOfRequest('delete', JSON.stringify(task.source?.fingerprint));
        return undefined;
      default:
        return this.#request(task);
    }
  }

  #condition(task: Task): End | undefined {
    const { step, planned } = task;
    if (planned.when === undefined) return undefined;
    const named = planned.when(this.#names(task));
    if (named.ok && named.value === true) return undefined;
    if (named.ok && named.value === false) return skipped;
    if (named.ok && !isKnown(named.value) && this.#isEarly(task)) {
      task.perhaps = true;
      task.condition = named.value;
      return undefined;
    }
    const values = this.#values(task);
    const holds = values.ok ? conditionHolds(step, values.value) : values;
    if (!holds.ok) return fail(task, problemAt(holds.error));
    return holds.value ? undefined : skipped;
  }

  #names({ scope, planned }: Task) {
    return scope.names(this.#o.base, planned.needs);
  }

  #values({ scope, planned }: Task) {
    return scope.values(this.#o.base, planned.needs, (one) => this.#recorded(one, false));
  }

  async #upload(task: Task): Promise<End | undefined> {
    const named = this.#path(task);
    if ('end' in named) return named.end;
    if ('name' in named) {
      task.fingerprint = fingerprintOfRequest('upload', named.name);
      return undefined;
    }
    const { path } = named;
    task.file = path;
    const { facts } = this.#o;
    const fact = facts.input(path);
    if (this.#isDry && fact.is === 'absent' && [...task.needs].some(isSaving)) {
      // A download before it writes the file.
      task.perhaps = true;
      task.fingerprint = fingerprintOfRequest('upload', canonical({ path }));
      return undefined;
    }
    task.away = fact.is === 'absent' ? this.#elsewhere(task, path) : undefined;
    let problem = task.away === undefined ? problemOfFile(path, fact) : undefined;
    let digest = fact.is === 'file' ? fact.digest : task.away?.sha256;
    if (problem === undefined && digest === undefined) {
      const read = await this.#o.digest(path);
      if (!read.ok) return fail(task, unreadable(path, read.error));
      digest = read.value;
      problem = problemOfFile(path, facts.input(path));
    }
    if (problem !== undefined) return fail(task, problem);
    if (digest === undefined) throw new Error(`bug: nobody knows the content of ${path}`);
    task.content = digest;
    task.fingerprint = uploadFingerprint(digest);
    return undefined;
  }

  /** The result of a download that another checkout has: the record knows its content. */
  #elsewhere({ needs }: Task, path: string): Output | undefined {
    const { facts } = this.#o;
    return [...needs]
      .flatMap((one) => (one.kind.operation === 'download' ? this.savedBy(one) : []))
      .find((output) => output.path === path && facts.isElsewhere(output));
  }

  #isNowhere({ away }: Task): boolean {
    return away !== undefined && !isStored(away, this.#o.facts);
  }

  #download(task: Task): End | undefined {
    const named = this.#path(task);
    if ('end' in named) return named.end;
    if ('path' in named) {
      const problem = problemOfPlace(task.step, named.path);
      if (problem !== undefined) return fail(task, problem);
      task.to = named.path;
    }
    const place = 'path' in named ? JSON.stringify(named.path) : named.name;
    const of = JSON.stringify(task.source?.fingerprint);
    task.fingerprint = fingerprintOfRequest('download', `[${of},${place}]`);
    return undefined;
  }

  /** The path of an upload or a download; its name, where only the run knows it. */
  #path(task: Task): { readonly end: End } | { readonly path: string } | { readonly name: string } {
    const { planned } = task;
    if (planned.path === undefined) throw new Error(`bug: ${task.id} has no path`);
    const named = planned.path.name(this.#names(task));
    if (!named.ok) return { end: fail(task, problemAt(named.error)) };
    if (isKnown(named.value)) return { path: String(named.value) };
    if (this.#isEarly(task)) {
      task.perhaps = true;
      return { name: textOf(named.value, task.reads) };
    }
    const values = this.#values(task);
    const filled = values.ok ? fill(planned.path.template, values.value) : values;
    if (!filled.ok) return { end: fail(task, problemAt(filled.error)) };
    return { path: String(filled.value) };
  }

  #request(task: Task): End | undefined {
    const { step, id, planned } = task;
    const names = this.#names(task);
    const text = requestText(step, names, task.reads);
    if (!text.ok) return fail(task, problemAt(text.error));
    task.text = text.value;
    task.first = fingerprintOfRequest(step.kind.name, task.text);
    task.fingerprint = task.first;
    if (step.kind.operation !== 'create') return undefined;
    const named = (number: number): Fingerprint =>
      fingerprintOfRequest(step.kind.name, text.value, number);
    const choice = this.#o.takes.choose(task.first, id, named);
    if (choice === undefined)
      return { ending: 'blocked', why: 'it has no result that a take could follow' };
    const { number, others, saveTo } = choice;
    task.take = number;
    task.others = others;
    task.to = saveTo;
    task.fingerprint = named(number);
    const count = planned.count?.(names);
    if (count?.ok === true && typeof count.value === 'number' && count.value > 0)
      task.asked = count.value;
    task.destinations =
      saveTo === undefined ? this.#destinations(task) : [{ task: id, path: saveTo }];
    return undefined;
  }

  /** Where the downloads beside a creation put its results, as far as that is known when it is paid for. */
  #destinations({ planned, scope }: Task): readonly Destination[] | 'kept' {
    const found: Destination[] = [];
    for (const { step, path, when, needs } of planned.downloads) {
      if (path === undefined || !isBeside(step, planned)) continue;
      const names = scope.names(this.#o.base, needs);
      const holds = when?.(names) ?? ok(true);
      const to = path.name(names);
      if (!holds.ok || !to.ok || !isKnown(holds.value) || !isKnown(to.value)) return 'kept';
      if (holds.value === true) found.push({ task: scope.idOf(step), path: String(to.value) });
    }
    return found;
  }

  /** A task has ended. */
  ended(task: Task, end: End): void {
    const { id, step, kind, source = task, to } = task;
    if (kind.operation === 'delete') return;
    if (isWaiting(end) && this.#waiting.get(step.name)?.end?.ending !== 'blocked')
      this.#waiting.set(step.name, { task: id, to: undefined, end });
    // A reroll saves the take itself.
    const isSaved = isSaving(task) || (kind.operation === 'create' && to !== undefined);
    if (isSaved && end.ending === 'done') this.#saved.add(source.fingerprint);
  }

  /** From here to the promise of who does it, nothing may be awaited. Returns how the task ends, if it cannot be. */
  decide(task: Task): End | undefined {
    const { step, source } = task;
    const { facts } = this.#o;
    task.known = this.#known(source ?? task);
    switch (step.kind.operation) {
      case 'upload':
        this.#take(task, decideSupply(task.known));
        if (task.action === 'supply' && this.#isNowhere(task))
          this.#lose(task, 'upload-elsewhere', task.away?.path);
        return undefined;
      case 'detect':
        this.#take(task, decideSupply(task.known));
        return task.action === 'supply' ? this.#check(task) : undefined;
      case 'create': {
        const mayPayAgain = this.#o.payAgain.has(task.fingerprint);
        this.#take(task, decideCreate({ known: task.known, mayPayAgain }, facts));
        if (task.to !== undefined) this.#rerolled(task, task.to);
        // If it fails for a passing cause, it is made again.
        if (task.action === 'follow') this.#price(task);
        if (task.action === 'create') this.#inputs(task);
        return task.action === 'create' ? this.#check(task) : undefined;
      }
      case 'download':
        if (task.to === undefined)
          this.#take(task, { action: 'save', reason: { code: 'not-saved-yet' } });
        else this.#take(task, this.#saving(task, task.to));
        return task.action === 'save' || task.action === 'copy' ? this.#replaced(task) : undefined;
      case 'delete':
        return this.#delete(task);
    }
  }

  #saving(task: Task, to: string): Decision {
    const { id } = task;
    const { facts, saveAgain } = this.#o;
    const source = this.#source(task);
    const question = { task: id, to, source, isDry: this.#isDry };
    const own = source.known.own;
    if (!saveAgain.has(id) || own === undefined) return decideDownload(question, facts);
    const at = new Date(this.#o.now()).toISOString();
    const outputs = own.outputs.map((output) =>
      output.task === id ? { ...output, forgotten: output.forgotten ?? at } : output,
    );
    const known = new Known({ ...own, outputs }, () => source.known.receipt);
    const again = decideDownload({ ...question, source: { ...source, known } }, facts);
    // What is saved nowhere else stays as it is.
    const now = again.action === 'lost' ? source.known.ownNow : undefined;
    const isHere = now !== undefined && filesOf(source.known, now, facts) !== undefined;
    return isHere ? decideDownload(question, facts) : again;
  }

  /** A take that is to be saved, too. */
  #rerolled(task: Task, to: string): void {
    const { id, known, asked, take, action } = task;
    if (action === 'create') task.reason = { code: 'take-asked', about: String(take) };
    if (action !== 'reuse') return;
    const source = { known, asked, end: done };
    const saving = decideDownload({ task: id, to, source, isDry: this.#isDry }, this.#o.facts);
    if (saving.action !== 'reuse') this.#take(task, saving);
  }

  #take(task: Task, { action, reason, files }: Decision): void {
    task.action = action;
    task.reason = reason;
    task.files = files;
  }

  #known({ fingerprint, kind }: Task): Known {
    const isPaid = kind.operation === 'create' || kind.operation === 'detect';
    return knownOf(this.#o.ledger, isPaid ? this.#o.receipts : undefined, fingerprint);
  }

  #source({ source, known }: Task): Source {
    if (source === undefined) throw new Error('bug: a task is of no other');
    return { known, asked: source.asked, end: source.end ?? done };
  }

  /** A place must be usable, and nobody's file is replaced. Only the run knows some names. */
  #replaced(task: Task): End | undefined {
    const { facts } = this.#o;
    const { to, known, step } = task;
    const unusable = to === undefined ? undefined : this.#o.unusable(to);
    if (unusable !== undefined) return fail(task, unusablePlace(step, unusable));
    if (to === undefined || to.endsWith('/') || to.includes(extensionMark)) return undefined;
    const below = normalized(to);
    const path = below.ok ? facts.recordedAs(below.value) : undefined;
    if (path === undefined) return undefined;
    const fact = facts.output(path);
    const isOurs = (digest: string | undefined): boolean =>
      known.job?.outputs.some(({ sha256 }) => sha256 === digest) === true;
    if (fact.is !== 'file' || isOurs(fact.digest) || facts.mayReplace(path)) return undefined;
    return fail(task, foreignFile(step, path));
  }

  /** A request that reads what is nowhere any more cannot be sent. */
  #inputs(task: Task): void {
    for (const input of task.reads) {
      const supplied = this.#isNowhere(input) ? suppliedIn(this.#known(input).job) : undefined;
      if (supplied !== undefined && endOfSupply(Date.parse(supplied.at)) <= this.#o.now())
        return this.#lose(task, 'upload-expired', input.away?.path);
      if (input.end?.action === 'create') continue;
      const known = this.#known(input);
      const { now } = known;
      if (now !== undefined && isAway(now) && filesOf(known, now, this.#o.facts) === undefined)
        return this.#lose(task, 'input-deleted', input.id);
    }
  }

  #lose(task: Task, code: ReasonCode, about: string | undefined): void {
    this.#take(task, { action: 'lost', reason: { code, about } });
  }

  #price(task: Task): void {
    const body = task.planned.body(this.#names(task));
    if (body.ok) task.price = priceOfStep(task.step, body.value, this.#o.ledger);
  }

  /** What is known of the request must be right before anything is paid. */
  #check(task: Task): End | undefined {
    const { step, planned } = task;
    const names = this.#names(task);
    const right = this.#right.get(step) ?? new ForItems<Named>(step.with);
    this.#right.set(step, right);
    let request = right.get(names);
    if (request === undefined) {
      const body = planned.body(names);
      if (!body.ok) return fail(task, problemAt(body.error));
      request = body.value;
      const problem = problemOfBody(step, withExpressions(request));
      if (problem !== undefined) return fail(task, problem);
      right.keep(names, request);
    }
    task.request = request;
    task.price = priceOfStep(step, request, this.#o.ledger);
    return undefined;
  }

  #delete(task: Task): undefined {
    const { step, source, scope, planned } = task;
    const { payer } = scope;
    const near = planned.isLate ? [...payer.tasks, ...(payer.parent?.tasks ?? [])] : payer.tasks;
    const own = near.filter((one) => one.scope === scope || one.scope.fan === undefined);
    const savers = own.filter((one) =>
      planned.downloads.some(({ step: saver }) => saver === one.step),
    );
    const readers = near.filter(
      (one) => one.kind.operation !== 'download' && source !== undefined && one.needs.has(source),
    );
    const isShared = source !== undefined && source.scope.payer.parent === undefined;
    const elsewhere = (isShared ? planned.readers : [])
      .filter((name) => !near.some((one) => one.step.name === name))
      .map((name) => this.#waiting.get(name))
      .filter((one) => one !== undefined);
    const isDownload = (one: Beside): boolean =>
      planned.downloads.some(({ step: saver }) => this.#waiting.get(saver.name) === one);
    const question = {
      source: this.#source(task),
      discard: step.discard,
      savers: savers.map(besideOf),
      readers: [...readers.map(besideOf), ...elsewhere.filter((one) => !isDownload(one))],
      isSaved: source !== undefined && this.#saved.has(source.fingerprint),
      waiting: elsewhere.find(isDownload),
      isDry: this.#isDry,
    };
    this.#take(task, decideDelete(question, this.#o.facts));
    if (savers.some(({ perhaps }) => perhaps)) task.perhaps = true;
  }

  /** What the task reads is not there yet. */
  #isEarly({ planned, scope }: Task): boolean {
    const needs = [...planned.needs, ...(scope.fan?.needs ?? [])];
    return needs.some(({ step, reads }) => {
      const found = reads ? scope.found(step) : undefined;
      const tasks = found === undefined ? [] : isTasks(found) ? found : [found];
      return tasks.some((one) => this.#recorded(one, false) === undefined);
    });
  }

  /** The outputs of a task as the record has them; undefined if it has none yet. */
  #recorded(task: Task, withAddresses: boolean): unknown {
    if (this.#isDry && task.end?.action === 'create') return undefined;
    const { operation } = task.kind;
    const outputs =
      operation === 'download'
        ? savedOutputs(this.savedBy(task))
        : recordedOutputs(operation, this.#known(task).job, withAddresses);
    return outputs && toCel(outputs);
  }

  /** The files that a download has recorded, of the attempt that counts. */
  savedBy({ source, id }: Task): readonly Output[] {
    const job = source && this.#o.ledger.job(source.fingerprint);
    const now = job && current(job);
    return (job?.outputs ?? []).filter(
      ({ of, task, kept }) => of === now?.name && task === id && !kept,
    );
  }

  /** What a list may be, if the record says all that it is made of. */
  recordedValues(
    scope: Scope,
    needs: PlannedStep['needs'],
  ): ReturnType<Scope['values']> | undefined {
    let isAll = true;
    const values = scope.values(this.#o.base, needs, (one) => {
      const outputs = this.#recorded(one, true);
      isAll &&= outputs !== undefined;
      return outputs;
    });
    return isAll ? values : undefined;
  }
}

const isSaving = ({ kind, end }: Task): boolean =>
  kind.operation === 'download' && (end?.action === 'save' || end?.action === 'copy');

const besideOf = ({ id, to, end }: Task): Beside => ({ task: id, to, end });

/** In the same place of the pipeline. */
const isBeside = (one: PlannedStep['step'], { step }: PlannedStep): boolean =>
  one.shared === step.shared && one.fan === step.fan;

function fail(task: Task, given: TaskProblem): End {
  task.problem = problemOf(given, task.step, task.scope.item);
  return endOf(task.problem);
}

/** The length of a list, or the most that it may have. */
export function lengthOf(list: Named): { readonly count?: number; readonly most?: number } {
  if (isList(list)) return { count: list.length };
  if (list instanceof Taken) {
    const { count } = lengthOf(list.of);
    return count === undefined ? { most: list.most } : { count: Math.min(count, list.most) };
  }
  const members = list instanceof Ref ? list.members : undefined;
  return members === undefined ? {} : { count: members.length };
}
