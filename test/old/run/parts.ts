// The parts of a run, for tests of one of them: a journal whose disk a test owns, and orders.

import { digestOf } from '../../../src/base/digest.ts';
import { calendarCaps } from '../../../src/core/calendar-budget.ts';
import { JournalWriter, type LineFile } from '../../../src/core/journal-writer.ts';
import type { RunEvent } from '../../../src/core/run-event.ts';
import { StepBreaker } from '../../../src/core/step-breaker.ts';
import type { Pipeline, Step } from '../../../src/language/pipeline.ts';
import { type Fingerprint, fingerprintFrom } from '../../../src/model/fingerprint.ts';
import { valueItem } from '../../../src/model/item.ts';
import { Ledger } from '../../../src/model/ledger.ts';
import type { NewEvent } from '../../../src/model/line.ts';
import { Budget } from '../../../src/run/budget.ts';
import { InFlight, type RunningJob } from '../../../src/run/in-flight.ts';
import { ItemRun } from '../../../src/run/item-run.ts';
import type { ItemTask } from '../../../src/run/item-walk.ts';
import type {
  AttachOrder,
  AwaitOrder,
  CreateOrder,
  JobOrder,
  UploadOrder,
} from '../../../src/run/jobs/job.ts';
import { Slots } from '../../../src/run/slots.ts';
import { FakeClock } from '../../files/places.ts';
import { pipelineOf } from '../../tables/plan-world.ts';

export const photoPipeline = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
  tidy: { uses: delete, with: { of: swap } }
`;

export const fingerprint = (words: string): Fingerprint => fingerprintFrom(digestOf({ words }));

/** Lines in memory. A sync is over when the test says so, or fails. */
export class ManualFile implements LineFile {
  readonly lines: string[] = [];
  readonly #syncs: PromiseWithResolvers<void>[] = [];

  append(line: string): void {
    this.lines.push(line);
  }

  sync(): Promise<void> {
    const sync = Promise.withResolvers<void>();
    this.#syncs.push(sync);
    return sync.promise;
  }

  /** How many syncs nobody has answered yet. */
  get syncing(): number {
    return this.#syncs.length;
  }

  /** Everything that was appended is on disk, or the disk has failed. */
  async synced(error?: Error): Promise<void> {
    for (const sync of this.#syncs.splice(0)) {
      if (error === undefined) sync.resolve();
      else sync.reject(error);
    }
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

export interface Terms {
  readonly total?: number;
  readonly perItem?: number;
  readonly pipeline?: string;
  readonly before?: readonly NewEvent[];
  readonly someExcluded?: boolean;
}

/** What a run is made of, without the walk. */
export class Parts {
  readonly pipeline: Pipeline;
  readonly ledger = new Ledger();
  readonly file = new ManualFile();
  readonly clock = new FakeClock();
  readonly told: RunEvent[] = [];
  readonly onEvent = (event: RunEvent): void => void this.told.push(event);
  readonly journal: JournalWriter;
  readonly budget: Budget;
  readonly inFlight: InFlight;
  readonly stepBreaker: StepBreaker;
  readonly slots: Slots;
  readonly shared: ItemRun;

  constructor({
    total,
    perItem,
    before = [],
    someExcluded = false,
    pipeline = photoPipeline,
  }: Terms = {}) {
    this.pipeline = pipelineOf(pipeline);
    this.journal = new JournalWriter(this.ledger, this.file, this.clock, { run: {} });
    this.journal.append(before);
    const { journal } = this;
    const calendar = calendarCaps(this.pipeline);
    this.budget = new Budget({
      ledger: journal.ledger,
      total,
      perItem,
      calendar,
      clock: this.clock,
    });
    this.inFlight = new InFlight(this.ledger, someExcluded ? new Set() : undefined);
    this.stepBreaker = new StepBreaker(this.pipeline.steps);
    this.slots = new Slots({
      ledger: this.ledger,
      now: () => this.clock.now(),
      steps: this.pipeline.steps,
      limits: undefined,
      follows: () => this.inFlight.followsAny,
      isTick: false,
    });
    const steps = this.pipeline.steps.filter((one) => one.shared);
    this.shared = new ItemRun({ steps, item: undefined });
  }

  step(name: string): Step {
    const found = this.pipeline.steps.find((step) => step.name === name);
    if (found === undefined) throw new Error(`there is no step ${name}`);
    return found;
  }

  item(key: string): ItemRun {
    const { shared } = this;
    const steps = this.pipeline.steps.filter((step) => !step.shared);
    return new ItemRun({ steps, item: valueItem({ key }, 0), around: shared });
  }

  /** A job that does not end. */
  fly(itemTask: ItemTask, of: Fingerprint | undefined, order: JobOrder): RunningJob {
    const job = { ...itemTask, fingerprint: of, order };
    void this.inFlight.start(job, () => new Promise(() => undefined));
    return job;
  }

  warnings(): readonly string[] {
    return this.told.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  }
}

const common = (key: string) => ({
  ...{ key, task: `swap:${key}`, kind: 'photo-colorizer', attempts: 3 },
  ...{ fingerprint: fingerprint(key), timeoutMs: 60_000 },
});

export const createOrder = (key: string, reserve = 10, setting = 'a'): CreateOrder => ({
  ...common(key),
  ...{ operation: 'create', body: {}, name: `${key} #1`, attempt: 1, reserve },
  expectation: {
    ...{ kind: 'photo-colorizer', why: '', otherwise: reserve },
    measure: { of: `photo-colorizer ${setting}`, amount: Math.max(1, reserve) },
  },
});

export const attachOrder = (key: string, credits = 10, settled = false): AttachOrder => ({
  ...common(key),
  ...{
    operation: 'attach',
    project: `p-${key}`,
    settled,
    credits,
    since: Date.parse('2026-08-05T10:00:00Z'),
  },
});

export const awaitOrder = (key: string, reserve = 10): AwaitOrder => ({
  ...common(key),
  ...{ operation: 'await', name: `${key} #1`, reserve },
});

export const uploadOrder = (key: string): UploadOrder => ({
  ...{ key, task: `photo:${key}`, kind: 'upload', attempts: 5, operation: 'upload' },
  ...{ fingerprint: fingerprint(key), from: { in: 'input', path: 'a.png' } },
  ...{ name: 'a.png', content: digestOf({ content: 'a' }) },
});

/** What a creation reports, in its order's words. */
export const intentOf = (order: CreateOrder, reserve = order.reserve): NewEvent => ({
  ...{ event: 'intent', job: order.fingerprint, task: order.task, kind: order.kind },
  ...{ attempt: order.attempt, name: order.name, reserve, measure: order.expectation.measure },
});

export const createdOf = (order: { fingerprint: string; key: string }, credits = 10): NewEvent => ({
  ...{ event: 'created', job: order.fingerprint, project: `p-${order.key}`, credits },
});

export const settledOf = (order: { fingerprint: string }, credits = 10): NewEvent => ({
  ...{ event: 'settled', job: order.fingerprint, credits },
  ...(credits === 0 ? { status: 'error' } : { status: 'complete', result: { downloads: 1 } }),
});

export const doubtOf = (order: { fingerprint: string }): NewEvent => ({
  ...{ event: 'doubt', job: order.fingerprint, why: 'the answer never came' },
});
