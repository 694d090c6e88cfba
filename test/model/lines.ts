// Events, jobs and whole journals for these tests.
import fc from 'fast-check';
import { digestOf } from '../../src/base/digest.ts';
import { unreachable } from '../../src/base/result.ts';
import { Ledger } from '../../src/model/ledger.ts';
import type { EventLine, JobLine, NewEvent } from '../../src/model/line.ts';
import { Ledger as Record } from '../../src/model/record/ledger.ts';
import { type Header, parseLine } from '../../src/model/record/line.ts';
import { abandoned as givenUp, notTaken } from '../../src/model/settled.ts';
import type { JobEvent } from '../../src/model/state.ts';
import { stateAfter } from './transitions.ts';

/** A job's fingerprint: the same for the same words. */
export const job = (words: string): string => digestOf({ kind: words });

export const header: Header = { shotlist: 4, pipeline: 'p', service: 'rehearsal' };

export const at = '2026-08-05T10:00:00.000Z';

export const intent = (
  of = 'a',
  reserve = 10,
  attempt = 1,
  kind = 'face-swap-photo',
): NewEvent => ({
  event: 'intent',
  job: job(of),
  task: `swap:${of}`,
  kind,
  attempt,
  name: `${of} #${attempt}`,
  reserve,
});
/** The first take of `a` counts no longer. */
export const picked = (of = 'a', take = 2): NewEvent => ({ event: 'picked', job: job(of), take });
export const created = (of = 'a', credits = 10): NewEvent => ({
  event: 'created',
  job: job(of),
  project: `p-${of}`,
  credits,
});
export const complete = (of = 'a', credits = 10): NewEvent => ({
  event: 'settled',
  job: job(of),
  status: 'complete',
  credits,
  result: { downloads: 1 },
});
export const errored = (of = 'a', credits = 0): NewEvent => ({
  event: 'settled',
  job: job(of),
  status: 'error',
  credits,
  error: { code: 'unknown_error', message: 'it broke' },
});
export const doubted = (of = 'a'): NewEvent => ({
  event: 'doubt',
  job: job(of),
  why: 'the service did not answer',
});
export const refused = (of = 'a'): NewEvent =>
  notTaken(job(of), { code: 'refused', message: 'no' });
export const output = (of = 'a', index = 0, path = `${of}-${index}.png`): NewEvent => ({
  event: 'output',
  job: job(of),
  task: `save:${of}`,
  index,
  path,
  bytes: 5,
  sha256: job(`${of} ${index}`),
});
export const deleted = (of = 'a'): NewEvent => ({
  event: 'deleted',
  job: job(of),
  task: `tidy:${of}`,
});
export const abandoned = (of = 'a', credits = 10): NewEvent =>
  givenUp(job(of), credits, 'nobody knows');
export const gone = (of = 'a'): NewEvent => ({ event: 'deleted', job: job(of), why: 'not found' });
export const amended = (of = 'a', credits = 7): NewEvent => ({
  event: 'amended',
  job: job(of),
  project: `p-${of}`,
  credits,
});
export const forgotten = (of = 'a'): NewEvent => ({ event: 'forgotten', job: job(of) });
export const unsaved = (of = 'a'): NewEvent => ({
  event: 'forgotten',
  job: job(of),
  task: `save:${of}`,
});
export const supplied = (of = 'a'): NewEvent => ({
  event: 'supplied',
  job: job(of),
  task: `photo:${of}`,
  kind: 'upload',
  result: { file_path: 'x' },
});
export const serves = (of = 'a', task = `copy:${of}`): NewEvent => ({
  event: 'serves',
  job: job(of),
  task,
});
export const run = (number = 1): NewEvent => ({ event: 'run', run: number });
export const ended: NewEvent = { event: 'ended' };

/** A millisecond after each other, the first at `at`. */
export const timeOf = (index: number): string => new Date(Date.parse(at) + index).toISOString();

export const dated = (events: readonly NewEvent[], from = 0): readonly EventLine[] =>
  events.map((event, index) => ({ ...event, at: timeOf(from + index) }));

/** Folds events into the ledger of a state file; one that cannot be folded is an error. `from`: how many there were before. */
export function folded(
  events: readonly NewEvent[],
  into = new Ledger(Record.of([header])),
  from = 0,
): Ledger {
  for (const line of dated(events, from)) {
    const result = into.apply(line);
    if (!result.ok) throw new Error(result.error);
  }
  return into;
}

/** The lines of the state file of a ledger. */
export const textsOf = ({ record }: Ledger): readonly string[] => [...record.texts()];

/** What the state file of a ledger says. */
export function readBack(ledger: Ledger): Ledger {
  const lines = textsOf(ledger).map((text) => {
    const read = parseLine(text);
    if (!read.ok) throw new Error(read.error);
    return read.value;
  });
  return new Ledger(Record.of(lines));
}

function asJob(event: NewEvent): JobEvent {
  const [line] = dated([event]);
  if (line === undefined || !('job' in line)) throw new Error(`${event.event} is about no job`);
  return line;
}

/** The job after these events, from nothing. */
export function jobAfter(...events: readonly NewEvent[]): JobLine | undefined {
  let line: JobLine | undefined;
  for (const event of events) {
    const moved = stateAfter(line, asJob(event));
    if (!moved.ok) throw new Error(moved.error);
    line = moved.value;
  }
  return line;
}

export const move = (before: JobLine | undefined, event: NewEvent): ReturnType<typeof stateAfter> =>
  stateAfter(before, asJob(event));

/** What may happen next to a job in this state. */
function nexts(of: string, before: JobLine | undefined, credits: number): readonly NewEvent[] {
  const attempt = (before?.attempt ?? 0) + 1;
  const state = before?.state;
  switch (state) {
    case undefined:
      return [intent(of, credits, attempt), supplied(of)];
    case 'supplied':
      return [supplied(of), serves(of), forgotten(of)];
    case 'intended':
      return [created(of, credits), doubted(of), refused(of), abandoned(of, before?.reserve)];
    case 'doubt':
      return [created(of, credits), refused(of), abandoned(of, before?.reserve)];
    case 'created':
      return [complete(of, credits), errored(of, 0), errored(of, credits), serves(of), gone(of)];
    case 'complete':
      return [output(of, credits % 3), deleted(of), amended(of, credits), gone(of), forgotten(of)];
    case 'deleted':
      return [output(of, credits % 3), intent(of, credits, attempt), amended(of, credits)];
    case 'failed':
      return [intent(of, credits, attempt)];
    case 'forgotten':
      return [before?.kind === 'upload' ? supplied(of) : intent(of, credits, attempt)];
    default:
      return unreachable(state);
  }
}

interface Pick {
  readonly of: string;
  readonly choice: number;
  readonly credits: number;
}

/** A valid journal: runs that begin and end, jobs that move as they may, tasks that fail and are skipped. */
export const journals: fc.Arbitrary<readonly NewEvent[]> = fc
  .array(
    fc.record<Pick>({
      of: fc.constantFrom('a', 'b', 'c', 'd'),
      choice: fc.nat(11),
      credits: fc.nat(200),
    }),
    { maxLength: 60 },
  )
  .map((picks) => {
    const ledger = new Ledger();
    const events: NewEvent[] = [];
    const add = (event: NewEvent): void => {
      events.push(event);
      const result = ledger.apply({ ...event, at });
      if (!result.ok) throw new Error(result.error);
    };
    for (const { of, choice, credits } of picks) {
      if (ledger.openRun === undefined) add(run(ledger.runs().length + 1));
      if (choice === 11) add(ended);
      else if (choice === 10) add({ event: 'failed', task: `swap:${of}`, why: 'no such file' });
      else if (choice === 9) add({ event: 'skipped', task: `swap:${of}`, why: 'its if: is false' });
      else {
        const may = nexts(of, ledger.job(job(of)), credits);
        const next = may[choice % may.length];
        if (next !== undefined) add(next);
      }
    }
    return events;
  });
