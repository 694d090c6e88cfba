// The dispatcher: turns a step that is ready into the next action: a job, or an end without one. It decides with the
// plan's functions and builds orders, but starts and ends nothing.
import type { Json, JsonObject } from '../base/json.ts';
import { err, type Result, unreachable } from '../base/result.ts';
import type { Code } from '../contract/codes.ts';
import type { Ending } from '../core/ending.ts';
import type { StepBreaker } from '../core/step-breaker.ts';
import { timeoutOf } from '../core/timeout.ts';
import { bodyOf } from '../language/body.ts';
import type { Step } from '../language/pipeline.ts';
import { nextAttempt } from '../model/attempt.ts';
import { elementsOf } from '../model/element.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import { unknownKind } from '../model/job-kind.ts';
import { taskId } from '../model/task.ts';
import { ask, type TaskAnswer } from '../plan/ask.ts';
import { decideTake, finalFailure } from '../plan/decide.ts';
import type { End } from '../plan/ending.ts';
import { expectationOf } from '../plan/estimate.ts';
import { whyOf } from '../plan/reason.ts';
import { awayUpload, payAgainHint } from '../plan/renew.ts';
import type { Action, EndWithoutJob, RunTerms } from './action.ts';
import type { Budget } from './budget.ts';
import type { InFlight } from './in-flight.ts';
import type { FanRun, ItemRun } from './item-run.ts';
import { excludedEnd } from './item-walk.ts';
import type { CreateOrder, JobOrder, OrderHead } from './jobs/job.ts';
import {
  attachOrder,
  attemptName,
  awaitOrder,
  copyOrder,
  deleteOrder,
  freshDownloads,
  headOf,
  orderedTake,
  storeOrder,
} from './orders.ts';
import type { ProjectUsers } from './project-users.ts';
import { refreshesFor } from './refresh-inputs.ts';
import type { Slots } from './slots.ts';

type Decided = Extract<TaskAnswer, { is: 'decided' }>;

type Request = Omit<CreateOrder, 'operation' | 'name' | 'reserve' | 'expectation'>;

const end = (ending: Ending, why: string, diagnostic?: Code): EndWithoutJob => ({
  action: 'end',
  ending,
  why,
  diagnostic,
});
/** Nothing is wrong with the task: another one of its item, which the service refuses, is why it is not bought. */
const pointless = (why: string): EndWithoutJob => ({
  ...end('pending', why),
  held: { by: 'run' },
});
const fail = (why: string, diagnostic?: Code): Action => end('failed', why, diagnostic);
const excluded: Action = { action: 'end', ...excludedEnd };

export interface DispatcherOptions extends RunTerms {
  readonly budget: Budget;
  readonly slots: Pick<Slots, 'isFull'>;
  readonly stepBreaker: StepBreaker;
  readonly inFlight: InFlight;
  readonly users: ProjectUsers;
}

export class Dispatcher {
  readonly #o: DispatcherOptions;
  constructor(options: DispatcherOptions) {
    this.#o = options;
  }

  nextAction(itemRun: ItemRun, step: Step): Action {
    const verdict = this.#verdictOn(itemRun, step);
    if (verdict !== undefined) return { action: 'end', ...verdict };
    const { fileFacts } = this.#o;
    const answer = this.#ask(itemRun, step);
    const head = headOf(this.#o.inFlight.key(), itemRun.task(step), step);
    const places = fileFacts.takeUnread();
    if (places.length > 0) {
      const order = { ...head, kind: 'digest', operation: 'digest', places } as const;
      return { action: 'start', fingerprint: undefined, order };
    }
    switch (answer.is) {
      case 'end':
        if (this.#isExcluded(step) && this.#isExcludedEnd(itemRun, step, answer.ending))
          return excluded;
        return { ...end(answer.ending, answer.why, answer.diagnostic), named: answer.named };
      case 'unread':
        throw new Error(`bug: ${head.task} is unread and there is nothing to read`);
      case 'decided':
        this.#o.manifests?.note(answer);
        return this.#decided(itemRun, step, answer, head);
      default:
        return unreachable(answer);
    }
  }

  /** True if this run does not begin the step. Results of earlier runs are reused nevertheless. */
  #isExcluded(step: Step): boolean {
    return !this.#o.allows(step, 'begin');
  }

  /** An excluded step is skipped only by results of earlier runs, because the plan knows no others. */
  #isExcludedEnd(itemRun: ItemRun, step: Step, ending: Ending): boolean {
    if (ending !== 'skipped') return ending === 'failed';
    const { references = [] } = step.condition ?? {};
    return references.some(
      ({ root, key: name }) =>
        root === 'steps' &&
        name !== undefined &&
        itemRun.suppliersOf(step, name).some((owner) => {
          const outputs = owner.outputsOf(name);
          return outputs !== undefined && this.#o.inFlight.begun(outputs.fingerprint);
        }),
    );
  }

  /** Why a step must not begin, by the plan. A plan that did not know the elements of a fan-out speaks of all of them. */
  #verdictOn(itemRun: ItemRun, step: Step): End | undefined {
    const { item } = itemRun;
    const verdicts = this.#o.unrunnable.get(item?.key ?? '');
    return verdicts?.get(itemRun.task(step)) ?? verdicts?.get(taskId(step.name, item));
  }

  /** The elements of a fan-out whose list can be known, or why it has none. */
  elements({ fan }: FanRun, itemRun: ItemRun, step: Step): Result<readonly Json[], End> {
    const verdict = this.#verdictOn(itemRun, step);
    if (verdict !== undefined) return err(verdict);
    const elements = elementsOf(fan, itemRun.byContent(this.#o.base).scope);
    if (elements.ok) return elements;
    if (this.#isExcluded(step)) return err(excludedEnd);
    const { code, text, message } = elements.error;
    return err({ ending: 'failed', why: `${text.trim()}: ${message}`, diagnostic: code });
  }

  #ask(itemRun: ItemRun, step: Step): TaskAnswer {
    const { fileFacts, journal, base, requireOutputs, takes, remembered } = this.#o;
    return ask({
      step,
      task: itemRun.task(step),
      names: itemRun.byContent(base),
      facts: fileFacts,
      jobOf: (fingerprint) => journal.ledger.job(fingerprint),
      savers: itemRun.saversOf(step).map((saver) => itemRun.task(saver)),
      requireOutputs,
      takes,
      remembered,
    });
  }

  #decided(itemRun: ItemRun, step: Step, answer: Decided, head: OrderHead): Action {
    const { fingerprint, wanted, take } = answer;
    const redone = itemRun.isRedone(step.name);
    // An excluded step reuses only results of earlier runs, because the plan knows no others.
    if (!redone && this.#isExcluded(step) && this.#o.inFlight.begun(fingerprint)) return excluded;
    if (!redone && answer.decision.act !== 'reuse' && !this.#o.allows(step, answer.decision.act))
      return excluded;
    // Another task of this run began the job: its intent or its charge is in the journal, and this task shares it.
    const shareable = wanted.operation !== 'download' && wanted.operation !== 'delete';
    if (
      (redone || answer.decision.act !== 'reuse') &&
      shareable &&
      this.#o.inFlight.has(fingerprint)
    )
      return { action: 'join', fingerprint };
    const again = redone ? this.#paidMeanwhile(answer, head) : undefined;
    const settle = { ...head, operation: 'settle', fingerprint } as const;
    if (again === 'busy') return { action: 'start', fingerprint, order: settle };
    if (redone && again === undefined) return this.#begin(itemRun, step, answer, head);
    const { decision, job } = again ?? answer;
    switch (decision.act) {
      case 'reuse': {
        if (job === undefined) throw new Error(`bug: ${head.task} reuses nothing`);
        const { files } = decision;
        const why = files === undefined ? '' : whyOf(decision.reason);
        return { action: 'reuse', fingerprint, job, why, files, others: take?.others ?? 0 };
      }
      case 'begin':
        return this.#begin(itemRun, step, answer, head);
      case 'attach':
        if (job === undefined) return { action: 'start', fingerprint, order: settle };
        return { action: 'start', fingerprint, order: attachOrder(head, step, job, take) };
      case 'copy': {
        if (wanted.operation !== 'download')
          throw new Error(`bug: ${head.task} copies no download`);
        const order = copyOrder(head, wanted.to, fingerprint, decision.sources, this.#o.fileFacts);
        return { action: 'start', fingerprint: undefined, order };
      }
      case 'store': {
        const order = storeOrder(head, fingerprint, decision.sources, this.#o.fileFacts);
        return { action: 'start', fingerprint: undefined, order };
      }
      case 'doubt':
        if (job === undefined || this.#o.listening !== true)
          return { ...end('doubt', whyOf(decision.reason)), reserve: job?.reserve ?? 0 };
        return { action: 'start', fingerprint, order: awaitOrder(head, step, job, take) };
      case 'lost':
        if (wanted.operation === 'create' && this.#o.payAgain)
          return this.#begin(itemRun, step, answer, head);
        return this.#lost(itemRun, step, whyOf(decision.reason));
      case 'keep':
        return fail(whyOf(decision.reason));
      case 'defer':
        return end('skipped', whyOf(decision.reason));
      default:
        return unreachable(decision);
    }
  }

  /** `--pay-again` is about the result that is lost: another one of the request may be paid for, and is taken instead. */
  #paidMeanwhile(
    { wanted, fingerprint, take }: Decided,
    { task }: OrderHead,
  ): Pick<Decided, 'decision' | 'job'> | 'busy' | undefined {
    if (wanted.operation !== 'create' || take === undefined || take.saveTo !== undefined)
      return undefined;
    const paid = this.#o.remembered?.paid(fingerprint, task);
    if (paid === undefined || paid === 'busy') return paid;
    return { job: paid, decision: decideTake(take, paid) };
  }

  /** True if a download would meet a delete of the same project, or a delete a task that uses it, in any item. */
  #inUse(itemRun: ItemRun, step: Step, fingerprint: Fingerprint): boolean {
    const { inFlight, users } = this.#o;
    return inFlight.clashes(step, fingerprint) || users.isStillUsed(itemRun, step, fingerprint);
  }

  #lost(itemRun: ItemRun, step: Step, why: string): Action {
    const owner = step.of === undefined ? undefined : itemRun.ownerOf(step.of);
    const source = step.of === undefined ? undefined : owner?.step(step.of);
    // An upload lacks only its file: nobody can pay for that.
    if (step.kind.operation === 'upload') return fail(why);
    if (!this.#o.payAgain || owner === undefined || source === undefined)
      return fail(`${why}; ${payAgainHint}`);
    if (this.#isExcluded(source)) return excluded;
    return { action: 'refresh', list: [{ how: 'redo', owner, step: source }] };
  }

  #begin(itemRun: ItemRun, step: Step, answer: Decided, head: OrderHead): Action {
    const { wanted, fingerprint, job, content, away, stored } = answer;
    const supplies = wanted.operation === 'upload' || wanted.operation === 'detect';
    if (this.#o.isTick === true && supplies && this.#o.slots.isFull) return { action: 'slot' };
    const refusal = supplies ? this.#o.budget.refusal(itemRun) : undefined;
    if (refusal !== undefined) return refusal;
    switch (wanted.operation) {
      case 'upload': {
        if (away !== undefined) return fail(awayUpload(head.task, away));
        if (content === undefined) throw new Error(`bug: ${head.task} has no content`);
        const from = { in: 'input', path: wanted.file } as const;
        const fetched = stored === undefined ? {} : { stored };
        const file = { from, name: wanted.file, content, ...fetched };
        return {
          action: 'start',
          fingerprint,
          order: { ...head, operation: 'upload', fingerprint, ...file },
        };
      }
      case 'detect':
      case 'create':
        return this.#request(itemRun, step, answer, head);
      case 'download':
      case 'delete': {
        if (job?.project === undefined) return fail('its project is not known');
        if (this.#inUse(itemRun, step, fingerprint)) return { action: 'wait' };
        // A repaired line may not say what its project is.
        const made = step.of === undefined ? undefined : itemRun.ownerOf(step.of)?.step(step.of);
        const tool = job.kind === unknownKind ? (made?.kind.name ?? job.kind) : job.kind;
        const about = { ...head, fingerprint, tool, project: job.project };
        const order: JobOrder =
          wanted.operation === 'delete'
            ? deleteOrder(about, step, job, this.#o.fileFacts)
            : {
                ...about,
                operation: 'download',
                to: wanted.to,
                ...freshDownloads(this.#liveDownloads(itemRun, step), job, this.#o.clock.now()),
              };
        return { action: 'start', fingerprint: undefined, order };
      }
      default:
        return unreachable(wanted);
    }
  }

  #liveDownloads(itemRun: ItemRun, { of }: Step): unknown {
    return of === undefined ? undefined : itemRun.outputsOf(of)?.live?.['downloads'];
  }

  /** A request whose body contains outputs of other steps: the outputs must be live, and the body valid. */
  #request(
    itemRun: ItemRun,
    step: Step,
    { fingerprint, job, take }: Decided,
    head: OrderHead,
  ): Action {
    const stale = this.#refreshes(itemRun, step);
    if (stale !== undefined) return stale;
    const live = itemRun.liveFor(step, this.#o.base);
    if (!live.ok) return fail(live.error);
    const body = bodyOf(step, live.value);
    if (!body.ok) return fail(body.error.message, body.error.code);
    const request = { fingerprint, body: body.value, timeoutMs: timeoutOf(step) };
    if (step.kind.operation === 'detect') {
      return { action: 'start', fingerprint, order: { ...head, operation: 'detect', ...request } };
    }
    const final = this.#o.isTick === true ? finalFailure(job, step.attempts) : undefined;
    if (final !== undefined) return fail(this.#o.journal.ledger.task(head.task)?.why ?? final);
    const order = { ...head, ...request, attempt: nextAttempt(job), ...orderedTake(take) };
    return this.#pay(itemRun, step, order, take?.others ?? 0);
  }

  /** `others`: what other takes have cost. */
  #pay(itemRun: ItemRun, step: Step, request: Request, others: number): Action {
    const { pipeline, clock, budget, stepBreaker } = this.#o;
    const { fingerprint, body, task } = request;
    const before = this.#o.failed.get(fingerprint);
    if (before !== undefined) return fail(before);
    const against = stepBreaker.against(step);
    if (against !== undefined) return against.own ? fail(against.why) : pointless(against.why);
    const expectation = expectationOf(step, body);
    if (expectation === undefined) throw new Error(`bug: ${task} is free`);
    const grant = budget.ask(itemRun, task, expectation, others);
    if (!grant.granted) return grant.instead;
    const given: JsonObject[string] | undefined = body['name'];
    const shown = typeof given === 'string' && given !== '' ? given : `${pipeline.name} ${task}`;
    const name = attemptName(shown, () => clock.chance());
    const { reserve } = grant;
    const order: JobOrder = { ...request, operation: 'create', name, reserve, expectation };
    return { action: 'start', fingerprint, order };
  }

  #refreshes(itemRun: ItemRun, step: Step): Action | undefined {
    const { journal, clock, fileFacts, inFlight, payAgain, remembered } = this.#o;
    const { ledger } = journal;
    const awayOf = (owner: ItemRun, supplier: Step): string | undefined => {
      const answer = this.#ask(owner, supplier);
      return answer.is === 'decided' ? answer.away : undefined;
    };
    const context = {
      jobOf: (job: string) => ledger.job(job),
      facts: fileFacts,
      now: clock.now(),
      inFlight,
      awayOf,
      remembered,
      buysAgain: (supplier: Step) => payAgain && !this.#isExcluded(supplier),
    };
    const refreshes = refreshesFor(itemRun, step, context);
    if (refreshes.are === 'unsettled') return { action: 'wait' };
    if (refreshes.are === 'impossible')
      return payAgain && refreshes.isLost ? excluded : fail(refreshes.why);
    return refreshes.list.length > 0 ? { action: 'refresh', list: refreshes.list } : undefined;
  }
}
