// The world of the property "a plan tells what a run does": pipelines on machines without a disk or a network, run again
// and again while things change. A rewrite of plan and run replaces the method `run` and nothing else here.

import { digestOf } from '../../src/base/digest.ts';
import { priceOf } from '../../src/contract/price.ts';
import { existingTool } from '../../src/contract/tools/all.ts';
import { type PlannedItems, planItems } from '../../src/features/planning/plan-items.ts';
import { runPhases } from '../../src/features/run/phases.ts';
import { listItems } from '../../src/files/items.ts';
import { toCel } from '../../src/language/expression.ts';
import { BoundPipeline } from '../../src/language/load/bound-pipeline.ts';
import type { Pipeline } from '../../src/language/pipeline.ts';
import { Ledger } from '../../src/model/ledger.ts';
import { parseLine } from '../../src/model/line.ts';
import type { TaskId } from '../../src/model/task.ts';
import { LookSchedule } from '../../src/plan/look-schedule.ts';
import { stepsExcludedBy } from '../../src/plan/step-selection.ts';
import { pickedTakes } from '../../src/plan/takes.ts';
import { FileFacts } from '../../src/run/file-facts.ts';
import { LookBudget } from '../../src/run/jobs/looks.ts';
import { Outages } from '../../src/run/jobs/outages.ts';
import { ProjectIds } from '../../src/run/jobs/project-ids.ts';
import { JournalWriter } from '../../src/run/journal-writer.ts';
import type { RunEvent, TaskEnding } from '../../src/run/run-event.ts';
import { RunView } from '../../src/run/run-view.ts';
import { ReceiptBook } from '../../src/state/receipts/receipt-book.ts';
import { RememberedPayments } from '../../src/state/receipts/remembered-payments.ts';
import { pathsOf } from '../../src/state/run-paths.ts';
import { MemoryDisk } from '../fakes/memory-disk.ts';
import { MemoryService } from '../fakes/memory-service.ts';
import { FakeClock } from '../files/places.ts';
import type { Mutation, Selection } from './random-pipelines.ts';

const day = 86_400_000;
const service = 'https://memory.example';

export interface Ended {
  readonly step: string;
  readonly ending: TaskEnding;
  readonly why: string;
}

export interface Outcome {
  readonly plannedItems: PlannedItems;
  /** By task. */
  readonly endings: ReadonlyMap<string, Ended>;
  /** What the service charged, refunds taken off. */
  readonly charged: number;
  /** True if a cap kept the run from something. */
  readonly capped: boolean;
}

/** A creation, as the journal that wrote its intent names it. */
interface Creation {
  readonly job: string;
  readonly task: string;
  /** Which checkout, and which of its state files. */
  readonly record: string;
  /** How often an input was edited before: what an item cost with other content counts for no cap of the item. */
  readonly edits: number;
  /** The number of the run, of all runs in this world. */
  readonly run: number;
}

/** One pipeline file in one folder: its disk, and its state file. */
class Checkout {
  readonly disk = new MemoryDisk();
  readonly loaded: BoundPipeline;
  /** The state file. */
  lines: string[] = [];
  /** Counts the state files. */
  states = 0;

  constructor(pipeline: Pipeline, folder: string) {
    const base = { inputs: toCel({}), env: {} };
    this.loaded = new BoundPipeline(
      {
        ...{ file: 'p.yaml', digest: digestOf(''), pipeline, warnings: [], included: {} },
        ...{ profiles: [], profile: undefined, outputProfile: undefined },
      },
      { folder, named: [], base, otherProfiles: async () => [] },
    );
    for (const name of ['s0', 's1', 'f0', 'f1', 'f2']) this.disk.files.set(`${name}.png`, name);
    // The same content under another name, and a file that must be read first. f4.png does not exist.
    this.disk.files.set('f3.png', 'f0');
    this.disk.unread.add('f1.png');
  }

  ledger(): Ledger {
    const ledger = new Ledger();
    for (const text of this.lines) {
      const line = parseLine(text);
      const folded = line.ok ? ledger.apply(line.value) : line;
      if (!folded.ok) throw new Error(`a damaged journal: ${folded.error}`);
    }
    return ledger;
  }
}

/** Each attempt has a name of its own. */
class WorldClock extends FakeClock {
  #draws = 0;

  override chance(): number {
    this.#draws += 1;
    return (this.#draws * 0.618_033_988_749_895) % 1;
  }
}

export class PlanWorld {
  readonly clock = new WorldClock();
  readonly service: MemoryService;
  /** By the name that was sent. */
  readonly creations = new Map<string, Creation>();
  readonly #checkouts: readonly Checkout[];
  readonly #receipts: string | undefined;
  /** How many runs there were, with the one in progress. */
  runs = 0;
  #at = 0;
  #edits = 0;

  /** `receipts`: the folder of the user's receipts; without it there are none. */
  constructor(pipeline: Pipeline, receipts: string | undefined) {
    this.#receipts = receipts;
    this.#checkouts = ['one', 'two'].map((name) => new Checkout(pipeline, `/nowhere/${name}`));
    this.service = new MemoryService(this.#here.disk, this.clock, (tool, body) => {
      const price = priceOf(existingTool(tool), body);
      if (!price.known) throw new Error(`${tool} has no price`);
      return price.credits;
    });
  }

  get #here(): Checkout {
    const here = this.#checkouts[this.#at];
    if (here === undefined) throw new Error('no checkout');
    return here;
  }

  /** The state file in use. */
  get record(): string {
    return `${this.#at} ${this.#here.states}`;
  }

  change({ what, at }: Mutation): void {
    const { disk } = this.#here;
    const nth = (paths: readonly string[]): string | undefined =>
      paths[at % Math.max(1, paths.length)];
    const files = [...disk.files.keys()];
    const output = nth(files.filter((path) => path.startsWith('out/')));
    const input = nth(files.filter((path) => !path.startsWith('out/')));
    if (what === 'days') this.clock.pass(at * day);
    if (what === 'lose-output' && output !== undefined) disk.loseOutput(output);
    if (what === 'clone') disk.checkOutAnew();
    if (what === 'edit-output' && output !== undefined) disk.files.set(output, 'edited');
    if (what === 'edit-input' && input !== undefined) {
      disk.files.set(input, `new ${at}`);
      this.#edits += 1;
    }
    if (what === 'lose-input' && input !== undefined) disk.files.delete(input);
    // A first plan does not read files that no other can equal; what the disk then fails to read nobody can foresee.
    if (what === 'break-input' && input !== undefined && this.#here.ledger().size > 0)
      disk.broken.add(input);
    // Without receipts, nothing would know of the payments.
    if (this.#receipts === undefined) return;
    if (what === 'lose-state') {
      this.#here.lines = [];
      this.#here.states += 1;
      // The next plan is a first one again.
      disk.broken.clear();
    }
    if (what === 'other-pipeline') {
      this.#at = 1 - this.#at;
      this.service.disk = this.#here.disk;
    }
  }

  /** `total`: the cap of this run. */
  async run(selection: Selection, total: number | undefined): Promise<Outcome> {
    this.runs += 1;
    const { clock } = this;
    const { loaded, disk, lines } = this.#here;
    const { pipeline } = loaded;
    const ledger = this.#here.ledger();
    const base = { ...loaded.base, run: { date: '2026-08-05' } };
    const { excluded, keys } = selected(pipeline, selection);
    const { requireOutputs, payAgain = false } = selection;
    const list = await listItems(pipeline.items, '/nowhere', '/nowhere/out', keys);
    if (!list.ok) throw new Error(list.error[0]?.message);
    using receipts = this.#openReceipts(ledger);
    const { remembered } = receipts;
    const { perItem, perDay } = pipeline.budget;
    const isCapped = [total, perItem, perDay].some((cap) => cap !== undefined);
    const plannedItems = await planItems(loaded, list.value, {
      ...{ base, ledger, disk, clock, excluded, requireOutputs, remembered },
      ...(payAgain ? { payAgain: new Set<TaskId>() } : {}),
      findsNeeds: isCapped,
    });
    const endings = new Map<string, Ended>();
    const before = this.service.charged;
    if (plannedItems.problems.length > 0)
      return { plannedItems, endings, charged: 0, capped: false };
    const append = (line: string): void => {
      lines.push(line);
      this.#note(line);
    };
    const file = { append, async sync() {} };
    const journal = new JournalWriter(ledger, file, clock, { run: {}, receipts: receipts.book });
    remembered?.recordWith({
      adopted: ({ line }) => journal.append([{ event: 'adopted', job: line.job, line }]),
      ended: (events) => journal.append([...events]),
    });
    const stopper = new AbortController();
    const onEvent = (event: RunEvent): void => {
      if (event.type !== 'task') return;
      const { task, step, ending, why = '' } = event;
      endings.set(task, { step, ending, why });
    };
    const outages = new Outages({
      ...{ api: this.service, address: service, clock, stop: stopper.signal, onEvent },
      backoffMs: 1,
      limitMs: 1000,
    });
    const { tally, stopped } = await runPhases({
      ...{ pipeline, base, earlier: [], list: list.value, plannedItems, visitsAll: false },
      context: {
        ...{ api: outages.api, outages, projects: new ProjectIds(), disk, clock, backoffMs: 1 },
        ...{ pace: async () => undefined, lookSchedule: new LookSchedule({ speedFactor: 1 }) },
        looks: new LookBudget(clock, 1),
        ...{ inbox: undefined, remembered },
      },
      ...{ stopper, excluded, signal: undefined, machineStops: [], journal },
      view: new RunView({ pipeline: pipeline.name, speed: undefined, began: 0 }),
      ...{ fileFacts: new FileFacts(disk), clock, budget: total, payAgain, requireOutputs },
      ...{ takes: pickedTakes(ledger), listening: false, onEvent, remembered },
      ...{ needs: plannedItems.needs, begun: plannedItems.inProgress },
    });
    journal.end();
    const capped = stopped.by === 'budget' || tally.heldItems !== undefined;
    return { plannedItems, endings, charged: this.service.charged - before, capped };
  }

  #note(text: string): void {
    const line = parseLine(text);
    if (!line.ok || line.value.type !== 'event' || line.value.line.event !== 'intent') return;
    const { job, task, name } = line.value.line;
    const [record, edits, run] = [this.record, this.#edits, this.runs];
    this.creations.set(name, { job, task, record, edits, run });
  }

  #openReceipts(ledger: Ledger) {
    const { loaded } = this.#here;
    const folder = this.#receipts;
    if (folder === undefined)
      return { book: undefined, remembered: undefined, [Symbol.dispose]() {} };
    const book = new ReceiptBook({
      ...{ bound: loaded, service, env: { SHOTLIST_RECEIPTS: folder } },
      paths: pathsOf(loaded, { kind: 'hosted', address: service, key: 'key' }, {}),
      now: () => this.clock.now(),
      onWarning: (message) => {
        throw new Error(message);
      },
    });
    const remembered = new RememberedPayments({
      ...{ book, ledger, clock: this.clock, store: undefined, inquiry: undefined },
      lend: () => undefined,
    });
    return { book, remembered, [Symbol.dispose]: () => book.close() };
  }
}

function selected(pipeline: Pipeline, { only, until, exclude, items }: Selection) {
  const names = pipeline.steps.map(({ name }) => name);
  const named = (numbers: readonly number[]): readonly string[] =>
    numbers.map((number) => names[number % names.length] ?? '');
  const excluded = stepsExcludedBy(pipeline.steps, {
    ...{ only: named(only), until: named(until), exclude: named(exclude) },
  });
  if (!excluded.ok) throw new Error(excluded.error);
  const keys =
    items === null || items.length === 0 ? {} : { keys: new Set(items.map((at) => `k${at % 4}`)) };
  return { excluded: excluded.value, keys };
}
