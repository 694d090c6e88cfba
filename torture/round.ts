// One round: a pipeline is run, killed, checked and run again until it is complete, with faults all the time.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chanceOf } from '../src/base/chance.ts';
import type { PathForm } from '../src/contract/api/routes.ts';
import { type LocalService, startService } from '../src/service/start.ts';
import { type CrashPlan, crashPlanText, drawCrashPlan } from './crash-plan.ts';
import { drawFaultProfile, type FaultProfile } from './fault-profile.ts';
import {
  type CheckContext,
  checkAlways,
  checkEnd,
  checkLedgers,
  openDoubts,
} from './invariants.ts';
import { auditLedgers, type LedgerAudit } from './ledger-audit.ts';
import { resolveDoubts } from './resolve-doubts.ts';
import type { Ended, RunWorker, WorkerPool } from './worker-pool.ts';
import {
  creditsOf,
  openWorkspace,
  type SecondTool,
  secondTools,
  type Terms,
  type Workspace,
} from './workspace.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly number: number;
  readonly items: number;
  readonly paths: PathForm;
  readonly key: string;
  readonly pool: WorkerPool;
  /** The outputs of an undisturbed run of the same folder. */
  readonly reference: (second: SecondTool) => ReadonlyMap<string, string>;
}

export interface RoundResult {
  /** What happened, for a person who investigates a violation. */
  readonly log: readonly string[];
  readonly runs: number;
  /** The plans that killed a run. */
  readonly kills: readonly CrashPlan[];
  readonly doubts: number;
  readonly projects: number;
  readonly violations: readonly string[];
  /** Kept when there are violations. */
  readonly folder: string;
}

/** More runs than any round needs. */
const mostRuns = 60;
/** The opening balance in credits: more than any round spends. */
const opening = 1_000_000;
/** A run that takes longer hangs, unless one response never arrives. In milliseconds. */
const timeoutMs = 90_000;
const silentTimeoutMs = 5_000;
/** The time in which the last request of a killed run arrives, in milliseconds. */
const arrivalMs = 30;

export async function tortureRound(options: RoundOptions): Promise<RoundResult> {
  const { seed, number, items, paths, key, reference } = options;
  const chance = chanceOf(seed, number);
  const second = secondTools[Math.floor(chance() * secondTools.length)] ?? 'clip';
  const price = creditsOf({ second, items });
  const budget = chance() < 0.25 ? Math.ceil(price * 0.6) : price * 2;
  const window = [2, 8, 32][Math.floor(chance() * 3)] ?? 32;
  const terms: Terms = { second, items, budget, window };
  const faultProfile = drawFaultProfile(chance);
  const workspace = await openWorkspace(terms);
  const service = await startService({
    ...{ key, paths, credits: opening, tier: 'business', pictures: 'plain' },
    faults: { faults: faultProfile.faults },
  });
  const checkContext = { workspace, terms, reference: reference(second), opening };
  const round = new Round({ options, chance, faultProfile, workspace, service, checkContext });
  try {
    return await round.play();
  } finally {
    await service.close();
    if (round.violations.length === 0) await workspace.remove();
  }
}

interface RoundContext {
  readonly options: RoundOptions;
  readonly chance: () => number;
  readonly faultProfile: FaultProfile;
  readonly workspace: Workspace;
  readonly service: LocalService;
  readonly checkContext: CheckContext;
}

class Round {
  readonly violations: string[] = [];
  readonly #context: RoundContext;
  readonly #log: string[] = [];
  readonly #kills: CrashPlan[] = [];
  #killsLeft: number;
  #runs = 0;
  #doubts = 0;

  constructor(context: RoundContext) {
    this.#context = context;
    this.#killsLeft = 1 + Math.floor(context.chance() * 6);
    const { terms } = context.checkContext;
    this.#log.push(
      `${terms.second}, budget ${terms.budget}, window ${terms.window}, ${this.#killsLeft} kills`,
    );
  }

  async play(): Promise<RoundResult> {
    let audit = await this.#runUntilComplete();
    if (this.violations.length === 0 && audit !== undefined) {
      this.#find(checkEnd(audit, this.#context.checkContext));
      if (this.#context.options.number % 8 === 0) audit = await this.#runForFree();
    }
    const { folder } = this.#context.workspace;
    if (this.violations.length > 0) this.#leaveEvidence(folder);
    return {
      log: this.#log,
      runs: this.#runs,
      kills: this.#kills,
      doubts: this.#doubts,
      projects: audit?.paid.length ?? 0,
      violations: this.violations,
      folder,
    };
  }

  /** Returns the final audit, or undefined if the run never completed. */
  async #runUntilComplete(): Promise<LedgerAudit | undefined> {
    const { chance, options } = this.#context;
    let last = '';
    while (this.#runs < mostRuns) {
      const plan: CrashPlan =
        this.#killsLeft > 0 ? drawCrashPlan(chance, options.items) : { how: 'none' };
      const concurrent = this.#killsLeft > 0 && chance() < 0.1;
      const end = concurrent ? await this.#runTwo(plan) : await this.#runOne(plan);
      const audit = await this.#checkRun(end);
      if (audit === undefined) return undefined;
      if (concurrent || end.how !== 'ended' || !('summary' in end.end)) continue;
      const { outcome, problems } = end.end.summary;
      last = `${outcome}: ${problems.map(({ task, ending, why }) => `${task} ${ending}: ${why}`).join('; ')}`;
      if (outcome === 'done') return audit;
      if (outcome === 'doubt' && !(await this.#resolveDoubts(audit))) return undefined;
    }
    this.#find([`not complete after ${mostRuns} runs; the last one: ${last}`]);
    return undefined;
  }

  /** Checks the invariants; undefined: one does not hold. */
  async #checkRun(end: Ended): Promise<LedgerAudit | undefined> {
    const { workspace, service, checkContext } = this.#context;
    const audit = await auditLedgers(workspace, service);
    if (typeof audit === 'string') {
      this.#find([audit]);
      return undefined;
    }
    this.#find(checkAlways(audit, checkContext));
    if (end.how === 'ended' && 'summary' in end.end) this.#find(checkLedgers(audit));
    return this.violations.length === 0 ? audit : undefined;
  }

  async #resolveDoubts(audit: LedgerAudit): Promise<boolean> {
    const { workspace, service, options } = this.#context;
    await wait(arrivalMs);
    const now = await auditLedgers(workspace, service);
    if (typeof now === 'string') throw new Error(`bug: ${now}`);
    this.#doubts += openDoubts(audit).length;
    this.#log.push(`resolved ${openDoubts(audit).length}`);
    const env = {
      ...{ SHOTLIST_RECEIPTS: workspace.receipts },
      ...{ SHOTLIST_BASE_URL: service.address, SHOTLIST_API_KEY: options.key },
    };
    this.#find(await resolveDoubts(workspace, now, env));
    return this.violations.length === 0;
  }

  async #runOne(plan: CrashPlan): Promise<Ended> {
    const end = await this.#perform(this.#context.options.pool.take(), plan);
    this.#judge(plan, end, false);
    return end;
  }

  /** Two runs at once: one of them is refused, or begins after the other has ended. */
  async #runTwo(plan: CrashPlan): Promise<Ended> {
    const { options, chance } = this.#context;
    const delayMs = chance() * 15 * options.items;
    const undisturbed: CrashPlan = { how: 'none' };
    const one = this.#perform(options.pool.take(), plan);
    await wait(delayMs);
    const other = this.#perform(options.pool.take(), undisturbed);
    const [end, otherEnd] = await Promise.all([one, other]);
    this.#judge(plan, end, true);
    this.#judge(undisturbed, otherEnd, true);
    return end;
  }

  async #perform(process: RunWorker, plan: CrashPlan): Promise<Ended> {
    const { workspace, service, faultProfile } = this.#context;
    const { file, state, receipts } = workspace;
    const crash = plan.how === 'crash' ? plan.crash : undefined;
    this.#runs += 1;
    const ending = process.run({ file, state, receipts, service: service.address, crash });
    const fatal = new AbortController();
    const after = (ms: number, name: NodeJS.Signals): void => {
      const timer = setTimeout(() => process.signal(name), ms);
      fatal.signal.addEventListener('abort', () => clearTimeout(timer));
    };
    if (plan.how === 'moment') after(plan.ms, 'SIGKILL');
    if (plan.how === 'signal') after(plan.ms, plan.name);
    let timedOut = false;
    const timeout = setTimeout(
      () => {
        timedOut = true;
        process.signal('SIGKILL');
      },
      faultProfile.silent ? silentTimeoutMs : timeoutMs,
    );
    const end = await ending;
    clearTimeout(timeout);
    fatal.abort();
    if (timedOut && !faultProfile.silent) this.#find([`a run hung (${crashPlanText(plan)})`]);
    return end;
  }

  #judge(plan: CrashPlan, end: Ended, inCompany: boolean): void {
    this.#log.push(`${crashPlanText(plan)}: ${endText(end)}`);
    if (end.how === 'broke') this.#find([`a run broke: ${end.why}`]);
    if (end.how === 'killed') {
      this.#killsLeft -= 1;
      this.#kills.push(plan);
    }
    if (end.how !== 'ended' || !('problem' in end.end)) return;
    if (end.end.problem !== 'locked' || !inCompany)
      this.#find([`a run was refused: ${end.end.text}`]);
  }

  /** Promise 4: a run with nothing to do asks the service for nothing. */
  async #runForFree(): Promise<LedgerAudit | undefined> {
    const { service, workspace } = this.#context;
    const asked = JSON.stringify(service.requests());
    const end = await this.#runOne({ how: 'none' });
    const outcome = end.how === 'ended' && 'summary' in end.end ? end.end.summary.outcome : end.how;
    if (outcome !== 'done') this.#find([`a second run ended with ${outcome}`]);
    if (JSON.stringify(service.requests()) !== asked) this.#find(['a second run was not free']);
    const audit = await auditLedgers(workspace, service);
    return typeof audit === 'string' ? undefined : audit;
  }

  #find(sentences: readonly string[]): void {
    this.violations.push(...sentences);
  }

  #leaveEvidence(folder: string): void {
    const { service, faultProfile } = this.#context;
    const write = (name: string, value: unknown): void =>
      writeFileSync(join(folder, name), JSON.stringify(value, undefined, 1));
    write('torture-story.json', { log: this.#log, violations: this.violations });
    write('torture-service-ledger.json', service.ledger());
    write('torture-faults.json', faultProfile.faults);
  }
}

function endText(end: Ended): string {
  if (end.how !== 'ended') return end.how;
  return 'problem' in end.end ? end.end.problem : end.end.summary.outcome;
}
