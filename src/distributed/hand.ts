// One errand, done on a worker's machine: by the hands that a local run has, inside the bounds of this machine's own checkout.
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnFile } from '../base/regular-file.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemReason } from '../base/system-error.ts';
import { LocalHands } from '../core/hands.ts';
import { normalized } from '../core/output-path.ts';
import type { Disk, FileProblem, MediaApi, OutputStore, Saved } from '../core/ports.ts';
import type { RealDisk } from '../files/disk.ts';
import type { EngineRun } from './database.ts';
import type { Answer, Errand, Task } from './errand.ts';
import type { QueueKind } from './queue.ts';

/** What this machine has of the run. */
export interface Ground {
  readonly disk: RealDisk;
  /** Absolute. */
  readonly output: string;
  readonly store: OutputStore | undefined;
  /** The storage of a service, by the service's base address. */
  readonly apiOf: (service: string) => Pick<MediaApi, 'put' | 'download'>;
}

export interface Outcome {
  readonly answer: Answer;
  /** What is wrong with this machine, or with what it reaches. */
  readonly note?: string;
  /** This machine could not do the next errand either. */
  readonly isAiling?: true;
}

/** In the output folder of a run: what `wordOf` says. */
export const wordFile = '.shotlist-run';

/** A folder that was copied during an earlier term is not the one of the run. */
export const wordOf = ({ word, epoch }: Pick<EngineRun, 'word' | 'epoch'>): string =>
  `${word}-${epoch}`;

/** Whether an output folder is the one of the run, now. */
export function isShared(output: string, word: string): boolean {
  const read = readOwnFile(join(output, wordFile), { max: 200 });
  return read.ok && read.value.toString('utf8').trim() === word;
}

const notShared = `the output folder is not the one of the run (${wordFile})`;

/** `name`: no other hand has it. `kind`: of the queue that the errand comes from. */
export async function perform(
  errand: Errand,
  name: string,
  kind: QueueKind,
  ground: Ground,
): Promise<Outcome> {
  try {
    return await performed(errand, name, kind, ground);
  } catch (error) {
    // A file that goes away while it is read, for one. A bug, too, is left to the coordinator, which says where it is.
    return unable(systemReason(error));
  }
}

async function performed(
  { task, word, under, service, store: storeName }: Errand,
  name: string,
  kind: QueueKind,
  ground: Ground,
): Promise<Outcome> {
  const { disk, output, store } = ground;
  const refusal = (): string | undefined =>
    kind === 'any' || isShared(output, word) ? undefined : notShared;
  const wrong = refusal();
  if (wrong !== undefined) return ailing(wrong);
  if (under !== disk.recordedAs(''))
    return ailing(`the output folder is ${disk.recordedAs('')} here, and ${under} in the run`);
  if (storeName !== disk.store) return ailing('the pipeline file here names another store');
  const replaced = 'replaces' in task ? task.replaces : [];
  const own = disk.for(
    { name, refusal },
    { mayReplace: (_, there) => there !== undefined && replaced.includes(there) },
  );
  const storing = kind === 'any' ? store : undefined;
  if (storing !== undefined) own.place = placingIn(storing, own);
  const hands = new LocalHands({ api: ground.apiOf(service), disk: own, store });
  switch (task.do) {
    case 'save':
      return savedOutcome(await hands.save(task.url, task.spot), refusal, storing);
    case 'bring':
      return savedOutcome(await hands.bring(task.file, task.spot), refusal);
    case 'store':
      return isOutput(task.file.path, ground)
        ? outcome(await hands.store(task.file))
        : unable(`${task.file.path} is no output here`);
    case 'upload':
      return await upload(task, own, hands);
  }
}

/** The bounds of this checkout decide whether an input may be read. */
async function upload(
  { target, path, content }: Task<'upload'>,
  disk: Disk,
  hands: LocalHands,
): Promise<Outcome> {
  const fact = disk.input(path);
  if (fact.is === 'absent') return unable(`${path} ${fact.why}`);
  const other = unable(`${path} is another file here`);
  if (fact.digest !== undefined && fact.digest !== content) return other;
  const sent = await hands.upload(target, { in: 'input', path });
  return sent.ok && sent.value !== content ? other : outcome(sent);
}

function isOutput(path: string, { disk, output }: Ground): boolean {
  const under = disk.recordedAs('');
  const below = path.slice(under === '' ? 0 : under.length + 1);
  const isBelow = path === disk.recordedAs(below) && normalized(below).ok;
  return isBelow && lstatSync(join(output, below), { throwIfNoEntry: false })?.isFile() === true;
}

/** Results go into the store instead of a folder that nobody else sees. */
const placingIn =
  (store: OutputStore, disk: Disk): Disk['place'] =>
  async (temporary, _, digest) => {
    const put = await store.put(temporary, digest, statSync(temporary.path).size);
    await disk.discard(temporary);
    return put.ok ? put : err({ message: put.error.message, systemic: false });
  };

// What became of it

interface Failure {
  readonly reason: string;
  readonly message: string;
}

const unable = (why: string): Outcome => ({ answer: { is: 'unable', why } });
const ailing = (note: string): Outcome => ({ ...unable(note), note, isAiling: true });
const done = (result: unknown): Outcome => ({ answer: { is: 'done', result } });

function outcome(result: Result<unknown, Failure>): Outcome {
  if (result.ok) return done(result);
  const { reason, message } = result.error;
  switch (reason) {
    case 'local':
    case 'unreachable':
      return ailing(message);
    // By rules or rights that another machine may not have.
    case 'refused':
    case 'aborted':
      return unable(message);
    case 'unavailable':
    case 'unanswered':
    case 'throttled':
      return { ...done(result), note: message };
    default:
      return done(result);
  }
}

/** What stands at the place and may not be replaced is the coordinator's to judge. */
function savedOutcome(
  saved: Result<Result<Saved, FileProblem>, Failure>,
  refusal: () => string | undefined,
  store?: OutputStore,
): Outcome {
  if (!saved.ok) return outcome(saved);
  if (saved.value.ok)
    return done(store === undefined ? saved : ok(ok({ ...saved.value.value, stored: store.id })));
  const { message, systemic } = saved.value.error;
  const wrong = refusal() ?? (systemic ? message : undefined);
  return wrong === undefined ? unable(message) : ailing(wrong);
}
