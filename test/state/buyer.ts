// The life of a run, as far as receipts are concerned: it buys what nobody has bought, and writes its state file. Whoever
// drives it decides what happens between two acts.
import { current, type Move, stateAfter } from '../../src/model/record/job.ts';
import { Ledger } from '../../src/model/record/ledger.ts';
import { lineText, parseLine } from '../../src/model/record/line.ts';
import type { Claim, Receipts } from '../../src/state/receipts.ts';

export interface Machine {
  /** The state file. */
  read(): string;
  /** The line is on disk when it returns. */
  append(line: string): void;
  /** Anything may happen meanwhile: others go on, this process stands still or is killed. */
  pause(): Promise<void>;
  send(job: string, attempt: string): void;
}

export interface Buying {
  readonly run: string;
  readonly jobs: readonly string[];
  /** False: without claims, to see what they are for. */
  readonly claims: boolean;
}

const kind = 'face-swap-photo';
const at = '2026-11-28T10:00:00.000Z';
const charge = { credits: 5, read: at };
const fault = { code: 'killed', message: '' };

/** What became of the jobs, in words, with their number. */
export async function buy(
  machine: Machine,
  receipts: Receipts,
  { run, jobs, claims }: Buying,
): Promise<ReadonlyMap<string, number>> {
  const tally = new Map<string, number>();
  const tell = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const ledger = new Ledger();
  for (const text of machine.read().split('\n')) {
    const line = parseLine(text);
    if (line.ok) ledger.join(line.value);
  }
  for (const { line } of receipts.ownLines()) if (ledger.join(line)) tell('came home');

  const put = (move: Move): void => {
    const line = stateAfter(ledger.job(move.job), move, run, at);
    ledger.put(line);
    machine.append(`${lineText(line)}\n`);
  };
  const commit = (move: Move): void => {
    put(move);
    const line = ledger.job(move.job);
    if (line !== undefined) receipts.note(line);
  };
  const join = (line: Parameters<Ledger['join']>[0] & { readonly job: string }): void => {
    if (!ledger.join(line)) return;
    const now = ledger.job(line.job);
    if (now !== undefined) machine.append(`${lineText(now)}\n`);
  };

  for (const line of [...ledger.jobs()]) {
    const { job } = line;
    for (const { name, state, adopted, run: of } of line.attempts)
      if (state === 'intended' && !adopted && of !== run)
        put({ job, is: 'doubt', attempt: name, fault });
    receipts.note(ledger.job(job) ?? line);
  }

  let number = 0;
  async function once(job: string): Promise<string | undefined> {
    await machine.pause();
    const receipt = receipts.get(job);
    if (receipt !== undefined) join(receipt.line);
    const known = ledger.job(job);
    const counting = known && current(known);
    if (counting !== undefined) {
      const { name: attempt, state, adopted } = counting;
      if (state === 'intended' && adopted && receipt?.isBusy) return undefined;
      if (state === 'intended' || state === 'doubt') return 'in doubt';
      if (state === 'created' && !adopted)
        commit({ job, is: 'complete', attempt, charge, result: { downloads: 1 } });
      return adopted ? 'adopted' : 'had';
    }
    const attempt = `${run} ${number++}`;
    put({ job, is: 'intent', kind, task: 'swap:a', attempt, reserve: 5, forgets: [] });
    await machine.pause();
    const line = ledger.job(job);
    if (line === undefined) throw new Error('no line');
    const claim: Claim = claims ? receipts.claim(line, attempt) : { is: 'go' };
    if (claim.is !== 'go') {
      tell(`not sent: ${claim.is}`);
      commit({ job, is: 'refused', attempt, fault });
      if (claim.is === 'known') join(claim.line);
      return undefined;
    }
    await machine.pause();
    machine.send(job, attempt);
    await machine.pause();
    commit({ job, is: 'created', attempt, project: `p ${attempt}`, charge });
    await machine.pause();
    commit({ job, is: 'complete', attempt, charge, result: { downloads: 1 } });
    return 'bought';
  }

  const left = [...jobs];
  async function worker(): Promise<void> {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      let end: string | undefined;
      for (let tries = 0; end === undefined && tries < 60; tries++) end = await once(job);
      tell(end ?? 'waited in vain');
    }
  }
  await Promise.all([worker(), worker(), worker()]);
  return tally;
}
