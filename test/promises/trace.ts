// What a run does that others can see, in the order in which it does it: lines of the state file and their syncs, requests, receipts,
// answers to events. It knows the outside only: the wire, the lines on their way to the file, the receipts that the library lists.
import type { RunInternals, RunOptions } from '../../src/features/run/run.ts';
import { receipts } from '../../src/index.ts';
import type { LocalService } from '../../src/service/start.ts';
import { LineNews } from '../kit/news.ts';
import type { Rig, Told } from '../rig.ts';
import { type Wire, wireTo } from './wire.ts';

export interface TraceStep {
  /** `cut`: a request without an answer. */
  readonly what: 'run' | 'line' | 'sync' | 'synced' | 'request' | 'cut' | 'receipt' | 'event';
  readonly text: string;
  /** The lines that were on disk by then. */
  readonly durable: readonly string[];
}

type Env = Readonly<Record<string, string>>;

export class Trace {
  readonly steps: TraceStep[] = [];
  readonly #lines: string[] = [];
  #durable: readonly string[] = [];
  readonly #env: Env;
  readonly #news = new LineNews();
  /** By the name of the attempt. */
  readonly #receipts = new Map<string, string>();

  constructor(env: Env) {
    this.#env = env;
  }

  note(what: TraceStep['what'], text = ''): void {
    for (const { name = '', state } of receipts({ env: this.#env }).receipts.toReversed()) {
      if (this.#receipts.get(name) === state) continue;
      // The claim waits for nothing, and nothing is deleted before all is noted; the rest is noted a while after it is on disk.
      const isNoted = what === 'run' || text.startsWith('DELETE ');
      if (state !== 'intended' && !isNoted) continue;
      this.#receipts.set(name, state);
      this.#add('receipt', state);
    }
    this.#add(what, text);
  }

  /** The same again is not said again: a project is read until it is over. */
  #add(what: TraceStep['what'], text: string): void {
    const last = this.steps.at(-1);
    if (last?.what === what && last.text === text) return;
    this.steps.push({ what, text, durable: this.#durable });
  }

  /** A sync takes as long as `meanwhile`, so that what does not wait for it comes before its end. */
  lines(meanwhile: () => Promise<void>): NonNullable<RunInternals['lines']> {
    return (file) => ({
      append: (line) => {
        const said = this.#saidBy(line);
        this.note('line', said);
        this.#lines.push(said);
        file.append(line);
      },
      sync: async () => {
        const covered = this.#lines.slice();
        this.note('sync');
        await meanwhile();
        await file.sync();
        this.note('synced');
        this.#durable = covered;
      },
    });
  }

  /** What a line of the state file says has happened, and to which task. */
  #saidBy(line: string): string {
    return this.#news
      .of(line)
      .map(({ what, task }) => `${what} ${task}`.trimEnd())
      .join(', ');
  }

  /** One step in a line. */
  get text(): string {
    return this.steps.map(({ what, text }) => `${what.padEnd(8)} ${text}`.trimEnd()).join('\n');
  }
}

/** Runs of a pipeline against a service behind a wire, and their trace. */
export class TracedRig {
  readonly trace: Trace;
  readonly wire: Wire;
  readonly #rig: Rig;
  readonly #env: Env;

  private constructor(rig: Rig, env: Env, trace: Trace, wire: Wire) {
    this.#rig = rig;
    this.#env = env;
    this.trace = trace;
    this.wire = wire;
  }

  /** Its receipts are its own. */
  static async of(rig: Rig, local: LocalService): Promise<TracedRig> {
    const env = { SHOTLIST_RECEIPTS: rig.path('receipts') };
    const trace = new Trace(env);
    const wire = await wireTo(local, {
      onRequest: (route) => trace.note('request', route),
      onCut: (route) => trace.note('cut', route),
    });
    return new TracedRig(rig, env, trace, wire);
  }

  async run(options: RunOptions = {}): Promise<Told> {
    this.trace.note('run', 'begins');
    const lines = this.trace.lines(() => this.wire.meanwhile());
    const told = await this.#rig.run(this.wire.service, options, { lines }, this.#env);
    this.trace.note('run', `ends ${told.summary.outcome}`);
    return told;
  }
}
