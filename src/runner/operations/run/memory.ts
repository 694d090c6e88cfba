// What a run remembers for the next one in this checkout: its looks at projects that still render, and the account's plan.
import { readLooks, writeLooks } from '../../adapters/state/looks-file.ts';
import { LastLooks, type RenderingProject } from '../../run/jobs/last-looks.ts';
import type { PreparedRun } from './context.ts';
import type { AccountFacts } from './resources.ts';

export class RunMemory {
  readonly looks: LastLooks;
  /** The account's tier; from an earlier run if this one did not ask. */
  readonly tier: string | undefined;
  readonly #run: PreparedRun;
  readonly #isNew: boolean;

  constructor(run: PreparedRun, account: AccountFacts) {
    const known = readLooks(run.prepared.paths.looks);
    this.#run = run;
    this.looks = new LastLooks(known.looks, run.lookSchedule);
    this.tier = account.asked ? account.tier : known.tier;
    this.#isNew = this.tier !== known.tier;
  }

  /** When the next look is useful, ISO 8601: at a project that this run left, else at one that an earlier run left. */
  wakeAt(): string {
    const now = this.#run.clock.now();
    const moment = this.looks.nextMoment(this.#rendering(), now) ?? now;
    return new Date(Math.max(now, moment)).toISOString();
  }

  /** Writes what is new. Without the file, the next run looks once more, which is all. */
  async save(): Promise<void> {
    const { manner, options, prepared, onEvent } = this.#run;
    if (manner === 'run' && options.detachAfterMs === undefined) return;
    const { tier } = this;
    const rendering = new Set(this.#rendering().map(({ project }) => project));
    const looks = this.looks.remembered(rendering, this.#isNew);
    if (looks === undefined) return;
    const written = await writeLooks(prepared.paths.looks, { tier, looks });
    if (written.ok) return;
    const message = `${written.error}: the next tick may look at projects too early`;
    onEvent({ type: 'warning', message });
  }

  #rendering(): readonly RenderingProject[] {
    return [...this.#run.prepared.state.ledger.unsettled()].flatMap(({ project, kind, at }) =>
      project === undefined ? [] : [{ project, kind, since: Date.parse(at) }],
    );
  }
}
