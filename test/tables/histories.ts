// Histories of one pipeline that begin together and part: two clones that both ran. Each is made with the real ledger.
import fc from 'fast-check';
import { digestOf } from '../../src/base/digest.ts';
import { unreachable } from '../../src/base/result.ts';
import { Ledger } from '../../src/model/ledger.ts';
import type { JobLine, NewEvent } from '../../src/model/line.ts';
import { abandoned, notTaken } from '../../src/model/settled.ts';
import { compacted } from '../model/lines.ts';

export interface Histories {
  readonly base: Ledger;
  readonly ours: Ledger;
  readonly theirs: Ledger;
}

export interface Steps extends Histories {
  /** Ours, when half of it had happened: a commit of its own. */
  readonly midway: Ledger;
}

interface Pick {
  readonly of: string;
  readonly choice: number;
  readonly credits: number;
}

const picks = (maxLength: number): fc.Arbitrary<readonly Pick[]> =>
  fc.array(
    fc.record<Pick>({
      of: fc.constantFrom('a', 'b', 'c'),
      choice: fc.nat(19),
      credits: fc.integer({ min: 1, max: 50 }),
    }),
    { maxLength },
  );

/** Appends events to a ledger, as a run on one machine would. */
class Machine {
  readonly ledger: Ledger;
  readonly #name: string;
  #minute: number;

  constructor(name: string, ledger: Ledger, minute: number) {
    this.#name = name;
    this.ledger = ledger;
    this.#minute = minute;
  }

  act(all: readonly Pick[]): this {
    for (const pick of all) this.#step(pick);
    return this;
  }

  #step({ of, choice, credits }: Pick): void {
    if (this.ledger.openRun === undefined)
      this.#add({ event: 'run', run: (this.ledger.runs().at(-1)?.run ?? 0) + 1 });
    const task = `swap:${of}`;
    if (choice === 19) return this.#add({ event: 'ended' });
    if (choice === 18) return this.#add({ event: 'failed', task, why: `no file ${credits}` });
    const job = digestOf({ kind: of });
    const may = this.#nexts(job, this.ledger.job(job), credits);
    const next = may[choice % may.length];
    if (next !== undefined) this.#add(next);
  }

  #add(event: NewEvent): void {
    const seq = this.ledger.seq + 1;
    this.#minute += 1;
    const at = new Date(Date.UTC(2026, 7, 5) + this.#minute * 60_000).toISOString();
    const applied = this.ledger.apply({ type: 'event', line: { seq, ...event, at } });
    if (!applied.ok) throw new Error(applied.error);
  }

  /** What may happen next to a job. */
  #nexts(job: string, line: JobLine | undefined, credits: number): readonly NewEvent[] {
    const task = 'swap:one';
    const attempt = (line?.attempt ?? 0) + 1;
    const unique = `${this.#name} ${this.#minute}`;
    const intent: NewEvent = {
      ...{ event: 'intent', job, task, kind: 'face-swap-photo', attempt, name: unique },
      reserve: credits,
    };
    const created: NewEvent = { event: 'created', job, project: `p ${line?.name}`, credits };
    const { project = '' } = line ?? {};
    const settled = (status: 'complete' | 'error', charge: number): NewEvent => ({
      ...{ event: 'settled', job, status, credits: charge },
    });
    const output: NewEvent = {
      ...{ event: 'output', job, task: credits < 25 ? 'save:one' : 'save:two' },
      ...{ index: credits % 3, path: 'one.png' },
      ...{ bytes: credits, sha256: digestOf({ unique }) },
    };
    const forgotten: NewEvent = { event: 'forgotten', job };
    const gone: NewEvent = { event: 'deleted', job, why: 'not found' };
    const serves: NewEvent = { event: 'serves', job, task: `copy:${this.#name}` };
    const refused = notTaken(job, { code: 'refused', message: 'no' });
    const amended: NewEvent = { event: 'amended', job, project, credits };
    const state = line?.state;
    switch (state) {
      case undefined:
      case 'failed':
      case 'forgotten':
        return [intent];
      case 'intended':
        return [created, created, { event: 'doubt', job, why: 'no answer' }, refused];
      case 'doubt':
        return [created, refused, abandoned(job, credits, 'nobody knows')];
      case 'created':
        // What becomes of a project does not depend on who looks.
        return digestOf({ project }) < '8'
          ? [settled('complete', credits), serves, gone]
          : [settled('error', 0), settled('error', 3), gone];
      case 'complete':
        return [output, amended, serves, gone, forgotten, { ...forgotten, task: 'save:one' }];
      case 'deleted':
        return [intent, amended, output];
      case 'supplied':
        return [serves];
      default:
        return unreachable(state);
    }
  }
}

export const histories: fc.Arbitrary<Steps> = fc
  .tuple(picks(12), picks(7), picks(7), picks(14))
  .map(([before, first, second, others]) => {
    const base = new Machine('base', new Ledger(), 0).act(before).ledger;
    const midway = new Machine('ours', compacted(base), 1000).act(first).ledger;
    return {
      base,
      midway,
      ours: new Machine('later', compacted(midway), 2000).act(second).ledger,
      theirs: new Machine('theirs', compacted(base), 1000.5).act(others).ledger,
    };
  });
