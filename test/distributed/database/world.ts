// A small world around the database of an engine, for the model test: two workers, coordinators that take over from each
// other, a service that counts what it is sent, and a person. Each action is one step of one of them, and any action may
// follow any other. What the world may not do is written as `violation`.

import type {
  Ask,
  Batch,
  BatchAnswer,
  Fact,
  IssuedOrder,
  Lease,
} from '../../../src/distributed/database/batch.ts';
import {
  type CoordinatorStore,
  TermOver,
} from '../../../src/distributed/database/coordinator-store.ts';
import type { EngineDatabase } from '../../../src/distributed/database/database.ts';
import type { Sql } from '../../../src/distributed/database/sql.ts';
import type { WorkerStore } from '../../../src/distributed/database/worker-store.ts';
import { committed, Ledger } from '../../../src/model/ledger.ts';
import type { EventLine, NewEvent } from '../../../src/model/line.ts';
import { abandoned, notTaken } from '../../../src/model/settled.ts';
import { isJobEvent, jobFacts } from '../../../src/model/state.ts';
import { job, supplied } from '../../model/lines.ts';
import { mayGo, mayUseNumberAgain, probe, type Standing } from './claims.ts';
import { importOf, intentOf, issued } from './orders.ts';
import { rowOf, rowsOf, totalsOf } from './rows.ts';

export const jobs = ['a', 'b'] as const;

/** What the service knows of a name. */
interface Sent {
  times: number;
  project?: string;
  credits: number;
  refunded: boolean;
  /** A person gave up on it or wants it again, or it was deleted: the job may be paid once more. */
  excused: boolean;
}

/** A delivery at a worker, and how far the worker is with it. */
interface Visit {
  readonly lease: Lease;
  readonly order: Order;
  next: 'ask' | 'send' | 'tell' | 'settle' | 'end' | 'over';
  /** What is written next, again and again until the answer arrives. */
  pending: readonly Fact[];
  again: boolean;
}

interface Order {
  readonly of: string;
  /** Unique to the order, as that of a real attempt is; it begins with the job. */
  readonly name: string;
  readonly attempt: number;
  readonly reserve: number;
  readonly epoch: number;
  readonly seen: number;
  readonly key: string;
}

/** The ledger, the ledger as another coordinator reads it, and what the database counts. */
interface Audit {
  readonly own: { readonly rows: readonly object[] };
  readonly again: object;
  readonly row: object;
  readonly rows: readonly object[];
}

interface Coordinator {
  readonly name: string;
  readonly orderStore: CoordinatorStore;
  readonly ledger: Ledger;
  read: number;
  readonly inFlight: Map<string, string>;
}

export class World {
  readonly sent = new Map<string, Sent>();
  violation: string | undefined;
  readonly #engine: EngineDatabase;
  readonly #sql: Sql;
  readonly #run: string;
  readonly #stores: readonly WorkerStore[];
  readonly #visits: Visit[][] = [[], []];
  readonly #orders = new Map<string, Order>();
  #coordinator: Coordinator | undefined;
  #former: Coordinator | undefined;
  /** The delivery that was told to go, by the name of the attempt. */
  readonly #owners = new Map<string, Lease>();
  /** The number of the last record of a charge that was higher than its estimate. */
  #surprise = 0;
  #count = 0;

  constructor(engine: EngineDatabase, sql: Sql, run: string) {
    this.#engine = engine;
    this.#sql = sql;
    this.#run = run;
    this.#stores = ['w0', 'w1'].map((worker) =>
      engine.worker(run, { worker, host: 'h', places: 4 }),
    );
  }

  async begin(): Promise<void> {
    await this.#engine.import(importOf(this.#run));
    await this.#engine.setStage(this.#run, 'open');
    await this.takeOver();
    await this.takeOver();
    await this.record(supplied('u'));
  }

  get coordinator(): Coordinator {
    if (this.#coordinator === undefined) throw new Error('the world has not begun');
    return this.#coordinator;
  }

  /** A coordinator reads everything, and doubts what nobody answers for. */
  async takeOver(): Promise<void> {
    const name = `c${this.#next()}`;
    await this.#sql.query('update shotlist.run set coordinator_until = null where run = $1', [
      this.#run,
    ]);
    const orderStore = await this.#engine.run(this.#run).acquire(name, 60_000);
    if (orderStore === undefined) throw new Error('nobody has the term, and it is not given');
    this.#former = this.#coordinator;
    await orderStore.dropQueued();
    await orderStore.doubtIntended('nobody answers for it');
    const ledger = new Ledger();
    const read = await load(ledger, orderStore);
    this.#coordinator = { name, orderStore, ledger, read, inFlight: new Map() };
    await this.poll();
  }

  /** Every record that the database accepted is accepted by the ledger. */
  async poll(): Promise<void> {
    const mine = this.coordinator;
    for (const record of await mine.orderStore.records(mine.read, 10_000)) {
      if (record.seq !== mine.read + 1) this.#violate(`record ${record.seq} follows ${mine.read}`);
      mine.read = record.seq;
      if (record.is === 'ended') mine.inFlight.delete(record.key);
      if (record.is !== 'event') continue;
      const line: EventLine = { ...record.event, at: record.at };
      const folded = mine.ledger.apply({ type: 'event', line });
      if (!folded.ok) this.#violate(`the ledger refuses what the database took: ${folded.error}`);
      if (isSurprise(record.event, mine.ledger)) this.#surprise = record.seq;
    }
  }

  /** Orders the job if it may begin, or the rest of its work if it was paid. */
  async issue(of: string, reserve: number): Promise<void> {
    await this.poll();
    const mine = this.coordinator;
    if ([...mine.inFlight.values()].includes(of)) return;
    const line = mine.ledger.job(job(of));
    if (line !== undefined && !jobFacts[line.state].mayBegin && line.state !== 'created') return;
    const spent = line === undefined || !mayUseNumberAgain(line) || reserve % 2 === 0;
    const key = await this.#issueOne(mine, of, reserve, (line?.attempt ?? 0) + (spent ? 1 : 0));
    mine.inFlight.set(key, of);
  }

  /** A coordinator that does not know yet that its term is over, nor what has happened since. */
  async issueLate(worker: number, of: string): Promise<void> {
    if (this.#former === undefined) return;
    const line = this.#former.ledger.job(job(of));
    if (line === undefined || jobFacts[line.state].mayBegin) {
      await this.#issueOne(this.#former, of, 5, (line?.attempt ?? 0) + 1);
      await this.fetch(worker);
    }
    try {
      await this.#former.orderStore.record([
        { is: 'event', id: `late ${this.#next()}`, key: '', event: intentOf(of, 99) },
      ]);
      this.#violate('a coordinator records after its term');
    } catch (error) {
      if (!(error instanceof TermOver)) throw error;
    }
  }

  async #issueOne(
    mine: Coordinator,
    of: string,
    reserve: number,
    attempt: number,
  ): Promise<string> {
    const key = `${of}-${this.#next()}`;
    const name = `${of} #${attempt} ${key}`;
    const { epoch } = mine.orderStore;
    this.#orders.set(key, { of, name, reserve, attempt, epoch, seen: mine.read, key });
    await mine.orderStore.issue([issued(key, epoch)]);
    return key;
  }

  async fetch(worker: number): Promise<void> {
    for (const { lease, issued: delivered } of (await this.#stores[worker]?.fetch(2)) ?? []) {
      const order = this.#orders.get(keyIn(delivered));
      if (order === undefined) continue;
      const line = this.coordinator.ledger.job(job(order.of));
      const attached = line?.state === 'created';
      this.#visits[worker]?.push({
        lease,
        order,
        next: attached ? 'settle' : 'ask',
        pending: [],
        again: false,
      });
    }
  }

  /** One step of one delivery; `lost`: it happens, but its answer does not arrive. `luck` decides what the service does; a worker without an order gets one. */
  async work(worker: number, which: number, luck: number, lost: boolean): Promise<void> {
    const visits = this.#visits[worker] ?? [];
    if (visits.length === 0) {
      await this.issue(jobs[which % jobs.length] ?? jobs[0], 1 + (luck % 20));
      await this.fetch(worker);
    }
    const visit = visits[which % Math.max(1, visits.length)];
    if (visit === undefined) return;
    const { lease, order } = visit;
    const { name } = order;
    switch (visit.next) {
      case 'ask': {
        // Now and then, a worker is wrong about what it was told before.
        const ask = { ...askFor(visit), again: luck === 23 ? !visit.again : visit.again };
        const allowed = await this.#allows(ask);
        const answer = await this.#commit(worker, { asks: [ask] });
        const granted = answer.claims[0]?.is === 'go';
        if (granted !== allowed)
          this.#violate(`${name}: ${JSON.stringify(answer.claims[0])}, and go is ${allowed}`);
        if (granted) this.#owners.set(name, lease);
        if (!lost) await this.#heed(visit, answer, name);
        return;
      }
      case 'send':
        this.#send(visit, name, luck);
        return;
      case 'tell': {
        const { facts } = await this.#commit(worker, { facts: visit.pending });
        if (lost) return;
        visit.next = facts[0] === 'refused' || luck % 2 === 0 ? 'end' : 'settle';
        // Now and then, a question comes once more that was answered long ago.
        if (luck % 6 === 4) visit.next = 'ask';
        return;
      }
      case 'settle': {
        if (visit.pending[0]?.id.startsWith('settled') !== true)
          visit.pending = this.#settlement(order.of, luck);
        await this.#commit(worker, { facts: visit.pending });
        if (!lost) visit.next = 'end';
        return;
      }
      case 'end': {
        const outcome = { is: 'withheld', why: 'the world' } as const;
        await this.#commit(worker, { ends: [{ is: 'ended', lease, key: order.key, outcome }] });
        if (!lost) visit.next = 'over';
        return;
      }
      case 'over':
        visits.splice(visits.indexOf(visit), 1);
    }
  }

  async #allows(ask: Ask): Promise<boolean> {
    await this.poll();
    const { id, retry } = ask.lease;
    const live = await this.#sql.query(
      `select from shotlist_queue.job where id = $1 and retry_count = $2 and state = 'active'`,
      [id, retry],
    );
    return mayGo({ ask, live: live.length > 0 }, this.#standing);
  }

  get #standing(): Standing {
    const { ledger, orderStore, read } = this.coordinator;
    const { epoch } = orderStore;
    return { ledger, epoch, read, surprise: this.#surprise, owners: this.#owners };
  }

  /** Asks everything about a job that a worker could ask now, and takes each answer back. */
  async probe(fingerprint: string): Promise<void> {
    await this.poll();
    for (const wrong of await probe(this.#sql, this.#run, fingerprint, this.#standing))
      this.#violate(wrong);
  }

  async #heed(visit: Visit, { claims }: BatchAnswer, name: string): Promise<void> {
    const [claim] = claims;
    if (claim?.is === 'go') visit.next = 'send';
    else if (claim?.is === 'stale') visit.next = 'over';
    else if (claim?.is === 'exists' && claim.same && claim.state === 'intended') {
      const why = 'another worker began it';
      visit.pending = [this.#fact({ event: 'doubt', job: job(visit.order.of), why }, name)];
      visit.next = 'tell';
    } else if (claim?.is === 'exists' && claim.state === 'created') visit.next = 'settle';
    else visit.next = 'end';
  }

  /** The creation is sent: it is taken, or not, or taken without an answer, or not taken and sent again. */
  #send(visit: Visit, name: string, luck: number): void {
    const { of, reserve } = visit.order;
    const known = this.sent.get(name) ?? { times: 0, credits: 0, refunded: false, excused: false };
    this.sent.set(name, known);
    const kind = luck % 4;
    if (kind === 3) {
      visit.again = true;
      visit.next = 'ask';
      return;
    }
    const id = job(of);
    if (kind === 2) {
      visit.pending = [this.#fact(notTaken(id, { code: 'no', message: 'no' }), name)];
      visit.next = 'tell';
      return;
    }
    known.times += 1;
    if (known.times > 1) this.#violate(`${name} was taken ${known.times} times`);
    known.project = `p ${of} #${visit.order.attempt}`;
    known.credits = luck % 8 === 0 ? reserve + 3 : reserve;
    const others = [...this.sent].filter(
      ([other, { project, refunded, excused }]) =>
        other.startsWith(`${of} `) && project !== undefined && !refunded && !excused,
    );
    if (others.length > 1) this.#violate(`${of} was paid twice`);
    const { project, credits } = known;
    visit.pending = [
      this.#fact(
        kind === 1
          ? { event: 'doubt', job: id, why: 'no answer' }
          : { event: 'created', job: id, project, credits },
        name,
      ),
    ];
    visit.next = 'tell';
  }

  #settlement(of: string, luck: number): readonly Fact[] {
    const found = [...this.sent].findLast(
      ([name, { project }]) => name.startsWith(`${of} `) && project !== undefined,
    );
    if (found === undefined) return [];
    const [name, sent] = found;
    const refunded = luck % 3 === 0;
    // The service refunds once and for all; a second reader sees the same.
    const done = sent.refunded || refunded;
    sent.refunded = done;
    const credits = done ? 0 : sent.credits;
    const status = done ? 'error' : 'complete';
    const settled = { event: 'settled', job: job(of), status, credits } as const;
    return [{ is: 'event', id: `settled ${this.#next()}`, key: '', name, event: settled }];
  }

  /** The worker's process ends. */
  kill(worker: number): void {
    this.#visits[worker]?.splice(0);
  }

  /** The leases of a worker that is dead or frozen lapse; a frozen one goes on later as if nothing had happened. */
  async lapse(worker: number): Promise<void> {
    const ids = this.#visits[worker]?.map(({ lease }) => lease.id) ?? [];
    await this.#sql.query(
      `update shotlist_queue.job set heartbeat_on = now() - interval '1 hour'
       where name = $1 and state = 'active' and (id = any ($2::uuid[]) or not id = any ($3::uuid[]))`,
      [`run-${this.#run}`, ids, this.#visits.flat().map(({ lease }) => lease.id)],
    );
    for (const key of await this.coordinator.orderStore.supervise())
      this.coordinator.inFlight.delete(key);
    await this.#sql.query(
      `update shotlist_queue.job set start_after = now() where name = $1 and state = 'retry'`,
      [`run-${this.#run}`],
    );
  }

  /** A person decides a doubt, once no worker can still send it, and may be wrong. */
  async resolve(of: string, charged: boolean): Promise<void> {
    await this.poll();
    const line = this.coordinator.ledger.job(job(of));
    if (line?.state !== 'doubt') return;
    const unsent = this.#visits
      .flat()
      .some(({ next, order }) => order.of === of && (next === 'send' || next === 'ask'));
    if (unsent) return;
    this.#excuse(of);
    await this.record(
      charged
        ? abandoned(job(of), line.reserve ?? 0, 'given up')
        : notTaken(job(of), { code: 'not_charged', message: 'a person said so' }),
    );
  }

  /** An event of the coordinator about a job: the database takes exactly what the ledger takes. */
  async record(event: NewEvent): Promise<void> {
    await this.poll();
    const { orderStore, ledger } = this.coordinator;
    const line: EventLine = { ...event, at: '2026-08-05T10:00:00.000Z' };
    const wanted = trial(ledger, line);
    const answers = await orderStore.record([
      { is: 'event', id: `c ${this.#next()}`, key: '', event },
    ]);
    if ((answers[0] === 'done') !== wanted)
      this.#violate(`${event.event}: the database says ${answers[0]}, and the ledger ${wanted}`);
    if ((event.event === 'forgotten' || event.event === 'deleted') && answers[0] === 'done')
      for (const of of jobs) if (job(of) === event.job) this.#excuse(of);
    if ('job' in event) await this.probe(event.job);
  }

  async fold(): Promise<void> {
    await this.poll();
    const { orderStore, ledger, read } = this.coordinator;
    const { header } = await orderStore.snapshot();
    const snapshot = { header, runs: ledger.runs(), tasks: ledger.tasks(), seq: read };
    await orderStore.fold(snapshot, [...ledger.jobs()]);
  }

  /** What must agree at any time. */
  async audit(): Promise<Audit> {
    await this.poll();
    const { orderStore, ledger } = this.coordinator;
    const other = new Ledger();
    const read = await load(other, orderStore);
    for (const record of await orderStore.records(read, 10_000)) {
      if (record.is !== 'event') continue;
      other.apply({ type: 'event', line: { ...record.event, at: record.at } });
    }
    const row = await totalsOf(this.#sql, this.#run);
    const rows = await rowsOf(this.#sql, this.#run);
    const own = { ...stateOf(ledger), rows: [...ledger.jobs()].map(rowOf) };
    return { own, again: stateOf(other), row, rows };
  }

  #fact(event: NewEvent, name: string): Fact {
    return { is: 'event', id: `f ${this.#next()}`, key: '', name, event };
  }

  async #commit(worker: number, batch: Partial<Batch>): Promise<BatchAnswer> {
    const orderStore = this.#stores[worker];
    if (orderStore === undefined) throw new Error(`there is no worker ${worker}`);
    return orderStore.commit({ facts: [], ends: [], asks: [], ...batch });
  }

  #excuse(of: string): void {
    for (const [name, sent] of this.sent) if (name.startsWith(`${of} `)) sent.excused = true;
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }

  #violate(what: string): void {
    this.violation ??= what;
  }
}

/** The charge of an attempt is higher than its estimate. */
function isSurprise(event: NewEvent, ledger: Ledger): boolean {
  if (event.event !== 'created' && event.event !== 'settled' && event.event !== 'amended')
    return false;
  const { reserve = 0, credits } = ledger.job(event.job) ?? {};
  return event.credits > reserve && event.credits === credits;
}

const stateOf = (ledger: Ledger) => ({
  total: ledger.total,
  committed: committed(ledger.total),
  jobs: [...ledger.jobs()],
  runs: ledger.runs(),
});

/** Whether the ledger would take the event; asked of a copy. */
function trial(ledger: Ledger, line: EventLine): boolean {
  const copy = new Ledger();
  for (const run of ledger.runs()) copy.apply({ type: 'run', line: run });
  for (const one of ledger.jobs()) copy.apply({ type: 'job', line: one });
  if (!isJobEvent(line)) return true;
  return copy.apply({ type: 'event', line }).ok;
}

async function load(ledger: Ledger, orderStore: CoordinatorStore): Promise<number> {
  const { runs, tasks, seq } = await orderStore.snapshot();
  for (const line of runs) ledger.apply({ type: 'run', line });
  for await (const group of orderStore.jobs())
    for (const line of group) ledger.apply({ type: 'job', line });
  for (const line of tasks) ledger.apply({ type: 'task', line });
  return seq;
}

const askFor = ({ lease, order, again }: Visit): Ask => ({
  lease,
  epoch: order.epoch,
  seen: order.seen,
  key: order.key,
  intent: { ...intentOf(order.of, order.attempt, order.reserve), name: order.name },
  again,
});

function keyIn(delivered: unknown): string {
  const known: (value: unknown) => value is IssuedOrder = (value): value is IssuedOrder =>
    typeof value === 'object' && value !== null && 'order' in value;
  return known(delivered) ? delivered.order.key : '';
}
