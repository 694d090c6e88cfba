// One trial: a run whose disk fails once, checks of what it left, and undisturbed runs until everything is complete.
import { existsSync } from 'node:fs';
import {
  checkAudit,
  checkEnd,
  checkMessages,
  type FileSnapshot,
  snapshotOf,
} from './disk-invariants.ts';
import type { Scenario } from './disk-scenarios.ts';
import { type CommandResult, DiskTestbed, type TracedResult } from './disk-testbed.ts';
import { openDoubts } from './invariants.ts';
import { auditLedgers, type LedgerAudit } from './ledger-audit.ts';
import type { Call, FaultInjection } from './strace.ts';

/** The system calls and files of a scenario when nothing fails. */
export interface Reference {
  readonly calls: readonly Call[];
  readonly snapshot: FileSnapshot;
}

export interface Trial {
  /** False: the run did not make that call, so nothing was tried. */
  readonly hit: boolean;
  readonly code: number | null;
  readonly doubts: number;
  readonly violations: readonly string[];
  /** What the run printed. */
  readonly output: string;
}

/** The most runs that may be needed until everything is complete. */
const mostRuns = 3;

export async function undisturbed(
  scenario: Scenario,
  before: readonly Call[],
  cache: string,
): Promise<Reference> {
  return await inTestbed(scenario, cache, async (testbed) => {
    await scenario.prepare(testbed, before);
    const { code, calls, output } = await testbed.tracedRun();
    if (code !== 0)
      throw new Error(`${scenario.name}: an undisturbed run did not end well: ${output}`);
    return { calls, snapshot: snapshotOf(testbed) };
  });
}

export async function tryDisk(
  scenario: Scenario,
  injection: FaultInjection,
  { before, snapshot }: { readonly before: readonly Call[]; readonly snapshot: FileSnapshot },
  cache: string,
): Promise<Trial> {
  return await inTestbed(scenario, cache, async (testbed) => {
    await scenario.prepare(testbed, before);
    const trial = new DiskTrial(testbed, scenario, snapshot);
    return await trial.play(injection);
  });
}

async function inTestbed<T>(
  scenario: Scenario,
  cache: string,
  operation: (testbed: DiskTestbed) => Promise<T>,
): Promise<T> {
  const testbed = await DiskTestbed.open(cache, scenario);
  try {
    return await operation(testbed);
  } finally {
    await testbed.close();
  }
}

class DiskTrial {
  readonly #testbed: DiskTestbed;
  readonly #scenario: Scenario;
  readonly #snapshot: FileSnapshot;
  readonly #violations: string[] = [];
  #doubts = 0;

  constructor(testbed: DiskTestbed, scenario: Scenario, snapshot: FileSnapshot) {
    this.#testbed = testbed;
    this.#scenario = scenario;
    this.#snapshot = snapshot;
  }

  async play(injection: FaultInjection): Promise<Trial> {
    const sent = this.#sent();
    const run = await this.#testbed.tracedRun(injection);
    if (run.hit) {
      this.#find(checkMessages('the run', run));
      if (run.code === 2 && this.#sent() !== sent)
        this.#find(['exit code 2 says that nothing was sent, and something was']);
      const audit = await this.#fileFacts();
      if (audit !== undefined && run.code === 0) this.#findAtEnd(audit, true);
      if (run.code !== 0) await this.#status();
      await this.#complete();
    } else if (run.code !== 0) this.#find([`nothing failed, and it ended badly: ${run.output}`]);
    return this.#trialOf(run);
  }

  #trialOf({ hit, code, output }: TracedResult): Trial {
    return { hit, code, output, doubts: this.#doubts, violations: this.#violations };
  }

  /** Requests that change something at the service. */
  #sent(): string {
    const changes = Object.entries(this.#testbed.service.requests());
    return JSON.stringify(changes.filter(([route]) => !route.startsWith('GET ')));
  }

  /** Undefined: the state file cannot be read, which is a violation. */
  async #fileFacts(): Promise<LedgerAudit | undefined> {
    const { workspace, service } = this.#testbed;
    const audit = await auditLedgers(workspace, service);
    if (typeof audit === 'string') {
      this.#find([`the state file cannot be read: ${audit}`]);
      return undefined;
    }
    this.#find(checkAudit(audit, this.#testbed, this.#scenario.chargesPerPhoto));
    return audit;
  }

  async #status(): Promise<void> {
    if (!existsSync(this.#testbed.workspace.state)) return;
    const told = await this.#testbed.command('status', 'pipeline.yaml');
    this.#find(checkMessages('status', told));
    if (told.code !== 0 && told.code !== 4) this.#find([`status ended with ${told.code}`]);
  }

  async #complete(): Promise<void> {
    for (let runs = 1; runs <= mostRuns; runs++) {
      const told = await this.#testbed.run();
      this.#find(checkMessages('the run after it', told));
      const audit = await this.#fileFacts();
      if (audit === undefined) return;
      if (told.code === 0) return this.#findAtEnd(audit, false);
      if (told.code !== 4)
        return this.#find([`the run after it ended with ${told.code}: ${told.output}`]);
      await this.#resolve(audit);
    }
    this.#find([`it is not complete after ${mostRuns} runs`]);
  }

  #findAtEnd(audit: LedgerAudit, mayLeaveFiles: boolean): void {
    const checkContext = {
      chargesPerPhoto: this.#scenario.chargesPerPhoto,
      snapshot: this.#snapshot,
      mayLeaveFiles,
    };
    this.#find(checkEnd(audit, this.#testbed, checkContext));
  }

  /** Does what a person does who looks into the hub. */
  async #resolve(audit: LedgerAudit): Promise<void> {
    for (const { tasks, name } of openDoubts(audit)) {
      this.#doubts += 1;
      const charged = audit.paid.find((one) => one.name === name);
      const answer = charged === undefined ? ['--not-charged'] : ['--project', charged.project];
      const told: CommandResult = await this.#testbed.command(
        'resolve',
        'pipeline.yaml',
        tasks[0] ?? '',
        ...answer,
      );
      if (told.code !== 0) this.#find([`${tasks[0]} cannot be resolved: ${told.output}`]);
    }
  }

  #find(sentences: readonly string[]): void {
    this.#violations.push(...sentences);
  }
}
