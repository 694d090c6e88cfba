// A worker: takes errands of one run, has them done on this machine, and answers. It decides nothing and pays nothing, and what it
// leaves when it is killed is done again.
import type { Clock } from '../core/ports.ts';
import { retryWhileAway, type Sql } from './connection.ts';
import type { EngineRun } from './database.ts';
import { type Bound, type Errand, Seal } from './errand.ts';
import { type Ground, isShared, type Outcome, perform, wordOf } from './hand.ts';
import { type Lease, Queue, type QueueKind, type Queues, queueKinds, type Taken } from './queue.ts';

export interface WorkerParts extends Ground {
  readonly sql: Sql;
  readonly run: Pick<EngineRun, 'run'>;
  readonly secret: string;
  /** Names this process and no other. */
  readonly name: string;
  readonly host: string;
  /** How many errands are done at once. */
  readonly places: number;
  readonly clock: Clock;
  /** Aborted: nothing more is begun, and what is begun is completed. */
  readonly leave: AbortSignal;
  /** Whether the output folder is the one of the run; called again when that changes. */
  readonly onFolder: (isShared: boolean) => void;
  /** Called when something begins to be wrong here, and with undefined when nothing is any more. */
  readonly onNote: (note: string | undefined) => void;
}

const beatMs = 2_000;
const [minPollMs, maxPollMs] = [20, 500];
/** A machine that can do nothing leaves errands to others for so long. */
const restMs = 10_000;
const maxPerStatement = 500;

const late: Outcome = { answer: { is: 'unable', why: 'it came too late' } };
const notOpened: Omit<Outcome, 'answer'> = {
  note: 'errands cannot be opened: is SHOTLIST_WORKER_SECRET the one of the run, and the version of shotlist?',
  isAiling: true,
};

interface Answered extends Lease {
  readonly kind: QueueKind;
  readonly body: string;
}

export class Worker {
  readonly #o: WorkerParts;
  readonly #queues: Queues;
  readonly #errands: Seal;
  readonly #answers: Seal;
  readonly #busy = new Map<Taken, QueueKind>();
  readonly #over = new AbortController();
  readonly #broken = Promise.withResolvers<never>();
  readonly #answered: Answered[] = [];
  #sending: Promise<void> | undefined;
  /** Undefined before the first look at the output folder. */
  #kind: QueueKind | undefined;
  #note: string | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;

  private constructor(parts: WorkerParts, queues: Queues) {
    const { secret, run } = parts;
    this.#o = parts;
    this.#queues = queues;
    this.#errands = new Seal(secret, run.run, 'errands');
    this.#answers = new Seal(secret, run.run, 'answers');
  }

  /** From now on the coordinator counts on it. */
  static async open(parts: WorkerParts): Promise<Worker> {
    const worker = new Worker(parts, await Queue.open(parts.sql, parts.run.run));
    await worker.#beat();
    return worker;
  }

  /** Until nobody coordinates the run any more, or the worker leaves. */
  async run(): Promise<void> {
    const { sql, run, name } = this.#o;
    const beating = new AbortController();
    const beats = this.#beats(beating.signal);
    try {
      await Promise.race([this.#work(), beats, this.#broken.promise]);
    } finally {
      beating.abort();
    }
    await this.#patiently(() =>
      sql.query('delete from shotlist.worker where run = $1 and worker = $2', [run.run, name]),
    );
  }

  async #work(): Promise<void> {
    const { clock, places, leave } = this.#o;
    const ended = AbortSignal.any([leave, this.#over.signal]);
    let pause = minPollMs;
    while (!ended.aborted) {
      const free = this.#isResting ? 0 : places - this.#busy.size;
      const kind = this.#kind ?? 'any';
      const taken = free > 0 ? await this.#patiently(() => this.#queues[kind].fetch(free)) : [];
      for (const one of taken) {
        this.#busy.set(one, kind);
        const over = this.#do(one, kind).finally(() => this.#busy.delete(one));
        over.catch(this.#broken.reject);
      }
      pause = taken.length === 0 && free > 0 ? Math.min(maxPollMs, pause * 2) : minPollMs;
      if (taken.length < free || free === 0) await clock.sleep(pause, ended);
    }
    while (this.#busy.size > 0) await clock.sleep(minPollMs);
  }

  #patiently<T>(call: () => Promise<T>): Promise<T> {
    return retryWhileAway({ clock: this.#o.clock, quit: this.#o.leave }, call);
  }

  async #do(taken: Taken, kind: QueueKind): Promise<void> {
    const { clock } = this.#o;
    const { id, retryCount } = taken;
    const [epoch, until, sealed = ''] = taken.text.split(' ');
    const bound: Bound = { epoch: Number(epoch), id, until: Number(until) };
    const errand = this.#errands.open<Errand>(bound, sealed);
    if (errand === undefined) {
      this.#saw(notOpened);
      return await this.#patiently(() => this.#queues[kind].giveBack([taken]));
    }
    const { answer, ...outcome } =
      clock.now() > bound.until
        ? late
        : await perform(errand, `${id} ${retryCount}`, kind, this.#o);
    this.#saw(outcome);
    this.#answered.push({
      id,
      retryCount,
      kind,
      body: `${id} ${this.#answers.close(bound, answer)}`,
    });
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  /** Answers that come at about the same time share a transaction with the ends of their errands. */
  async #send(): Promise<void> {
    const { sql, run, clock } = this.#o;
    await clock.sleep(minPollMs);
    while (this.#answered.length > 0) {
      const batch = this.#answered.splice(0, maxPerStatement);
      const bodies = batch.map(({ body }) => body);
      await this.#patiently(() =>
        sql.transaction(async (within) => {
          await within.query(
            'insert into shotlist.result (run, body) select $1, unnest($2::text[])',
            [run.run, bodies],
          );
          for (const kind of queueKinds)
            await this.#queues[kind].finish(
              batch.filter((one) => one.kind === kind),
              within,
            );
        }),
      );
    }
  }

  #saw({ note, isAiling }: Omit<Outcome, 'answer'>): void {
    if (isAiling === true) this.#restsUntil = this.#o.clock.elapsed() + restMs;
    if (note !== this.#note) this.#o.onNote(note);
    this.#note = note;
  }

  get #isResting(): boolean {
    return this.#o.clock.elapsed() < this.#restsUntil;
  }

  async #beats(ended: AbortSignal): Promise<never> {
    for (;;) {
      await this.#o.clock.sleep(beatMs, ended);
      if (ended.aborted) return await new Promise<never>(() => undefined);
      await this.#patiently(() => this.#beat());
    }
  }

  /** Renews the leases, and says how this worker is. One that takes nothing has no places. */
  async #beat(): Promise<void> {
    const { sql, run, name, host, output, leave } = this.#o;
    const [now] = await sql.query<Omit<EngineRun, 'run' | 'service'>>(
      `select coordinator, word, epoch::float8, coalesce(until > clock_timestamp(), false) as "isHeld"
       from shotlist.run where run = $1`,
      [run.run],
    );
    if (now === undefined || now.coordinator === null) return this.#over.abort();
    const isOurs = isShared(output, wordOf(now));
    // Its coordinator was killed, and there may be another run by now.
    if (!now.isHeld && !isOurs) return this.#over.abort();
    const kind = isOurs ? 'files' : 'any';
    if (kind !== this.#kind) this.#o.onFolder(isOurs);
    this.#kind = kind;
    for (const kind of queueKinds)
      await this.#queues[kind].renew(
        [...this.#busy].filter(([, of]) => of === kind).map(([one]) => one),
      );
    const places = this.#isResting || leave.aborted ? 0 : this.#o.places;
    await sql.query(
      `insert into shotlist.worker values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())
       on conflict (run, worker) do update
       set places = $4, busy = $5, files = $6, note = $7, at = clock_timestamp()`,
      [run.run, name, host, places, this.#busy.size, isOurs, this.#note ?? null],
    );
  }
}
