// What happens to jobs, runs and tasks, and the ledgers that it makes, for these tests.
import fc from 'fast-check';
import { digestOf } from '../../src/base/digest.ts';
import { unreachable } from '../../src/base/result.ts';
import { type JobView, viewIn } from '../../src/model/job-view.ts';
import { isOver, type Move, stateAfter } from '../../src/model/record/job.ts';
import { Ledger } from '../../src/model/record/ledger.ts';
import { type Header, type Job, parseLine, type TaskLine } from '../../src/model/record/line.ts';

/**
 * A move of a job, or what a run and a task are told of. The attempt of a move is the last one, its times are those of the
 * moment, and a move about a file is about all records of it: all of this is filled in.
 */
export type Happening =
  | Move
  | { readonly is: 'run'; readonly number: number; readonly due?: string }
  | { readonly is: 'ended' }
  | ({ readonly is: 'task' } & Pick<TaskLine, 'task' | 'ending' | 'fault'>);

/** A job's fingerprint: the same for the same words. */
export const job = (words: string): string => digestOf({ kind: words });

export const header: Header = { shotlist: 4, pipeline: 'p', service: 'rehearsal' };

export const at = '2026-08-05T10:00:00.000Z';

export const intent = (
  of = 'a',
  reserve = 10,
  attempt = 1,
  kind = 'face-swap-photo',
): Extract<Move, { readonly is: 'intent' }> => ({
  is: 'intent',
  job: job(of),
  task: `swap:${of}`,
  kind,
  attempt: `${of} #${attempt}`,
  reserve,
  forgets: [],
});
/** The first take of `a` counts no longer. */
export const picked = (of = 'a', take = 2): Move => ({ is: 'picked', job: job(of), take });

const last = (of: string) => ({ job: job(of), attempt: '' });
const charge = (credits: number) => ({ credits, read: at });

export const created = (of = 'a', credits = 10, project = `p-${of}`): Move => ({
  ...last(of),
  is: 'created',
  project,
  charge: charge(credits),
});
export const complete = (of = 'a', credits = 10, more = {}): Move => ({
  ...last(of),
  is: 'complete',
  charge: charge(credits),
  result: { downloads: 1, ...more },
});
export const errored = (of = 'a', credits = 0): Move => ({
  ...last(of),
  is: 'failed',
  charge: charge(credits),
  fault: { code: 'unknown_error', message: 'it broke' },
});
export const doubted = (of = 'a', message = 'the service did not answer'): Move => ({
  ...last(of),
  is: 'doubt',
  fault: { code: 'in_doubt', message },
});
export const refused = (of = 'a', code = 'refused'): Move => ({
  ...last(of),
  is: 'refused',
  fault: { code, message: 'no' },
});
export const notCharged = (of = 'a'): Move => ({ ...last(of), is: 'said', mark: 'notCharged' });
export const abandoned = (of = 'a'): Move => ({ ...last(of), is: 'said', mark: 'gaveUp' });
export const forgotten = (of = 'a'): Move => ({ ...last(of), is: 'said', mark: 'forgotten' });
export const output = (
  of = 'a',
  index = 0,
  path = `${of}-${index}.png`,
  seconds?: number,
): Move => ({
  is: 'output',
  job: job(of),
  output: {
    of: '',
    task: `save:${of}`,
    index,
    path,
    bytes: 5,
    sha256: job(`${of} ${index}`),
    ...(seconds === undefined ? {} : { seconds }),
  },
});
const file = (of: string) => ({ job: job(of), of: '', task: `save:${of}`, index: 0, path: '' });
export const stored = (of: string, store: string): Move => ({ ...file(of), is: 'stored', store });
export const pruned = (of = 'a'): Move => ({ ...file(of), is: 'pruned' });
export const unsaved = (of = 'a'): Move => ({ ...file(of), is: 'unsaved' });
export const deleted = (of = 'a'): Move => ({ ...last(of), is: 'deleted' });
export const gone = (of = 'a'): Move => ({ ...last(of), is: 'gone' });
export const amended = (of = 'a', credits = 7): Move => ({
  ...last(of),
  is: 'charged',
  charge: charge(credits),
});
export const supplied = (of = 'a'): Move => ({
  is: 'supplied',
  job: job(of),
  task: `photo:${of}`,
  kind: 'upload',
  result: { file_path: 'x' },
});
export const serves = (of = 'a', task = `copy:${of}`): Move => ({
  is: 'serves',
  job: job(of),
  task,
});
export const run = (number = 1): Happening => ({ is: 'run', number });
export const ended: Happening = { is: 'ended' };
export const taskEnds = (
  task: string,
  ending: TaskLine['ending'],
  message: string,
  code = '',
): Happening => ({ is: 'task', task, ending, fault: { code, message } });

/** A millisecond after each other, the first at `at`. */
export const timeOf = (index: number): string => new Date(Date.parse(at) + index).toISOString();

/** Folds what happens into the ledger of a state file. `from`: how much happened before. */
export function folded(
  happenings: readonly Happening[],
  into = Ledger.of([header]),
  from = 0,
): Ledger {
  for (const [index, happening] of happenings.entries())
    fold(happening, into, timeOf(from + index));
  return into;
}

function fold(happening: Happening, ledger: Ledger, time: string): void {
  const open = ledger.runs().at(-1);
  switch (happening.is) {
    case 'run': {
      if (open !== undefined && open.ended === undefined) return;
      const { number, due } = happening;
      const id = `${time}-${number}`;
      ledger.put({ run: id, at: time, ...(due === undefined ? {} : { due }) });
      return;
    }
    case 'ended':
      if (open !== undefined)
        ledger.put({ ...open, ended: time, creations: ledger.sent(open.run) });
      return;
    case 'task': {
      const { is: _, ...line } = happening;
      ledger.put({ ...line, at: time, run: open?.run ?? 'unknown' });
      return;
    }
    default:
      for (const move of whole(happening, ledger.job(happening.job), time))
        ledger.put(stateAfter(ledger.job(move.job), move, open?.run ?? 'unknown', time));
  }
}

function whole(move: Move, before: Job | undefined, time: string): readonly Move[] {
  const attempts = before?.attempts ?? [];
  const name = attempts.at(-1)?.name ?? '';
  switch (move.is) {
    case 'intent':
      return [{ ...move, forgets: attempts.filter((one) => !isOver(one)).map((one) => one.name) }];
    case 'output':
      return [{ ...move, output: { ...move.output, of: name } }];
    case 'stored':
    case 'pruned':
    case 'unsaved':
      return (before?.outputs ?? [])
        .filter(({ of, task }) => of === name && task === move.task)
        .map(({ of, index, path }) => ({ ...move, of, index, path }));
    case 'created':
    case 'complete':
    case 'failed':
    case 'charged':
      return [{ ...move, attempt: name, charge: { credits: 0, ...move.charge, read: time } }];
    case 'deleted': {
      const [, of = ''] =
        (before?.tasks ?? []).find((task) => task.startsWith('swap:'))?.split(':') ?? [];
      return [{ ...move, attempt: name }, serves(of, `tidy:${of}`)];
    }
    case 'refused':
    case 'doubt':
    case 'gone':
    case 'missing':
    case 'said':
    case 'settled':
      return [{ ...move, attempt: name }];
    default:
      return [move];
  }
}

/** The lines of the state file of a ledger. */
export const textsOf = (ledger: Ledger): readonly string[] => [...ledger.texts()];

/** What the state file of a ledger says. */
export function readBack(ledger: Ledger): Ledger {
  return Ledger.of(
    textsOf(ledger).map((text) => {
      const read = parseLine(text);
      if (!read.ok) throw new Error(read.error);
      return read.value;
    }),
  );
}

/** What is seen of the one job after these moves. */
export function jobAfter(...moves: readonly Move[]): JobView | undefined {
  const [first] = moves;
  return first === undefined ? undefined : viewIn(folded(moves), first.job);
}

/** What may happen next to a job in this state. */
function nexts(of: string, before: JobView | undefined, credits: number, attempt: number) {
  const state = before?.state;
  switch (state) {
    case undefined:
      return [intent(of, credits, attempt), supplied(of)];
    case 'supplied':
      return [supplied(of), serves(of)];
    case 'intended':
      return [created(of, credits), doubted(of), refused(of), abandoned(of)];
    case 'doubt':
      return [created(of, credits), notCharged(of), abandoned(of)];
    case 'created':
      return [complete(of, credits), errored(of, 0), errored(of, credits), serves(of), gone(of)];
    case 'complete':
      return [output(of, credits % 3), deleted(of), amended(of, credits), gone(of), forgotten(of)];
    case 'deleted':
      return [output(of, credits % 3), intent(of, credits, attempt), amended(of, credits)];
    case 'failed':
    case 'forgotten':
      return [intent(of, credits, attempt)];
    default:
      return unreachable(state);
  }
}

interface Choice {
  readonly of: string;
  readonly choice: number;
  readonly credits: number;
}

/** A valid history: runs that begin and end, jobs that move as they may, tasks that fail and are skipped. */
export const journals: fc.Arbitrary<readonly Happening[]> = fc
  .array(
    fc.record<Choice>({
      of: fc.constantFrom('a', 'b', 'c', 'd'),
      choice: fc.nat(11),
      credits: fc.nat(200),
    }),
    { maxLength: 60, size: 'max' },
  )
  .map((picks) => {
    const ledger = new Ledger();
    const happenings: Happening[] = [];
    const add = (happening: Happening): void => {
      folded([happening], ledger, happenings.length);
      happenings.push(happening);
    };
    for (const { of, choice, credits } of picks) {
      const last = ledger.runs().at(-1);
      if (last === undefined || last.ended !== undefined) add(run(ledger.runs().length + 1));
      if (choice === 11) add(ended);
      else if (choice === 10) add(taskEnds(`swap:${of}`, 'failed', 'no such file'));
      else if (choice === 9) add(taskEnds(`swap:${of}`, 'skipped', 'its if: is false'));
      else {
        const attempt = (ledger.job(job(of))?.attempts.length ?? 0) + 1;
        const may = nexts(of, viewIn(ledger, job(of)), credits, attempt);
        const next = may[choice % may.length];
        if (next !== undefined) add(next);
      }
    }
    return happenings;
  });
