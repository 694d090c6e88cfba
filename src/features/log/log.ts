// `log`: reads the log of runs. Sends and writes nothing, also while a run appends to it.
import { fstatSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { openRegular } from '../../base/regular-file.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { count } from '../../base/text.ts';
import { matchOf } from '../../files/glob.ts';
import { stepOf } from '../../model/task.ts';
import { refuse } from '../refuse.ts';

export interface LogOptions {
  /** `--run`: the number of a run. */
  readonly run?: number | undefined;
  /** `--items`: a key, or a glob of keys. */
  readonly items?: string | undefined;
  /** `--task`: the name of a task, or of a step. */
  readonly task?: string | undefined;
  /** `--project`: the id of a project. */
  readonly project?: string | undefined;
  /** `--failed`: only tasks that failed or are in doubt, hooks that failed, and bugs. */
  readonly failed?: boolean | undefined;
  /** `--follow`: goes on with the lines that are appended later. */
  readonly follow?: boolean | undefined;
  /** Ends a log that is followed. */
  readonly signal?: AbortSignal | undefined;
  readonly onLine: (line: LogLine) => void;
}

/** How many lines were read, and how many of them passed the filter. */
export interface LogRead {
  readonly lines: number;
  readonly shown: number;
}

/**
 * Reads a log that `run --log` wrote, line by line, in constant memory.
 *
 * @example
 * ```ts
 * import { readLog } from 'shotlist';
 *
 * await readLog('run.log', {
 *   failed: true,
 *   onLine: ({ time, task }) => console.log(time, task),
 * });
 * ```
 */
export async function readLog(
  file: string,
  { follow = false, signal, onLine, items, ...asked }: LogOptions,
): Promise<LogRead> {
  const filter = filterOf(asked, items);
  let [lines, shown] = [0, 0];
  try {
    for await (const text of linesOf(file, follow, signal)) {
      if (text.trim() === '') continue;
      const line = parseLogLine(text);
      // A line that is not ours may be the rest of one that a full disk cut off.
      if (line === undefined && lines === 0)
        refuse(
          `${file} is not a log of shotlist`,
          'name the file that run --log <file> wrote; shotlist status <file> shows the state of a pipeline',
          'shotlist log',
        );
      lines += 1;
      if (line === undefined || !passes(line, filter)) continue;
      shown += 1;
      onLine(line);
    }
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    refuse(`the log ${systemReason(error)}`, undefined, file);
  }
  return { lines, shown };
}

function filterOf(asked: Omit<LogFilter, 'item'>, items: string | undefined): LogFilter {
  if (items === undefined) return asked;
  const matches = matchOf(items, { dot: true });
  if (!matches.ok) refuse(`--items ${items.slice(0, 200)} ${matches.error}`);
  return { ...asked, item: (item) => item === items || matches.value(item) };
}

// The lines of a text file, also of one that another process still appends to.

const lineFeed = 10;
const chunkBytes = 1 << 18;
const pauseMs = 250;
/** No program writes a longer line into a log. */
const maxLineBytes = 1 << 24;

/**
 * Yields complete lines. With `follow`, the lines that are appended later, too, until `signal` is aborted; a file that was
 * replaced or cut is read from its beginning. Throws system errors.
 */
async function* linesOf(
  path: string,
  follow: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  for (;;) {
    await using handle = await openRegular(path);
    let [position, rest] = [0, Buffer.alloc(0)];
    for (;;) {
      if (signal?.aborted === true) return;
      const buffer = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await handle.read({ buffer, position });
      if (bytesRead === 0) {
        if (!follow) {
          if (rest.length > 0) yield rest.toString('utf8');
          return;
        }
        await wait(pauseMs);
        if (isAnother(path, handle.fd, position)) break;
        continue;
      }
      position += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let from = 0;
      for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed, from)) {
        yield rest.toString('utf8', from, end);
        from = end + 1;
      }
      rest = rest.subarray(from);
      if (rest.length > maxLineBytes) rest = Buffer.alloc(0);
    }
  }
}

/** A file that is missing for a moment may be on its way to another name: the old one is read on. */
function isAnother(path: string, descriptor: number, position: number): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined) return false;
  return now.ino !== fstatSync(descriptor).ino || now.size < position;
}

// A line of the log that `--log` writes, and how people read it.

export interface LogLine {
  /** ISO 8601. */
  readonly time: string;
  /** As pino counts: 30 info, 40 warn, 50 error. */
  readonly level: number;
  /** What happened: the type of the event. */
  readonly what: string;
  /** The number of the run. Absent before the plan is known, and for a process that runs nothing at the moment. */
  readonly run?: number;
  readonly task?: string;
  readonly item?: string;
  readonly project?: string;
  /** The whole line. */
  readonly fields: JsonObject;
}

/** Absent fields let every line pass. */
interface LogFilter extends Pick<LogOptions, 'run' | 'task' | 'project' | 'failed'> {
  /** True for the items that are wanted. */
  readonly item?: (item: string) => boolean;
}

/** Undefined if it is not a line of a log. */
function parseLogLine(text: string): LogLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { time, level, msg, run } = value;
  if (typeof time !== 'string' || typeof level !== 'number' || typeof msg !== 'string')
    return undefined;
  const textIn = (name: string): string | undefined => {
    const field = value[name];
    return typeof field === 'string' ? field : undefined;
  };
  return {
    time,
    level,
    what: msg,
    fields: value,
    run: typeof run === 'number' ? run : undefined,
    task: textIn('task'),
    item: textIn('item'),
    project: textIn('project'),
  };
}

function passes(line: LogLine, { run, item, task, project, failed }: LogFilter): boolean {
  if (run !== undefined && line.run !== run) return false;
  if (item !== undefined && (line.item === undefined || !item(line.item))) return false;
  if (task !== undefined && (line.task === undefined || !isNamed(line.task, task))) return false;
  if (project !== undefined && line.project !== project) return false;
  return failed !== true || isFailure(line);
}

const isNamed = (task: string, name: string): boolean => task === name || stepOf(task) === name;

function isFailure({ what, fields: { ending, result } }: LogLine): boolean {
  if (what === 'task') return ending === 'failed' || ending === 'doubt';
  return what === 'bug' || (what === 'hook' && result === 'failed');
}

/** One line: when, in which run, what, and the rest of what the event says. */
export function logLineText({ time, run, what, task, item, project, fields }: LogLine): string {
  const at = time.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '');
  const number = run === undefined ? '' : `#${run}`;
  const about = task ?? item ?? '';
  const told = what === 'charged' ? chargeIn(fields) : tellingIn(fields);
  const from = project === undefined ? '' : `project ${project}`;
  return printable(
    [at, number, about === '' ? what : about, ...told, from]
      .filter((part) => part !== '')
      .join('  '),
  );
}

/** Below 0, the service has given credits back. */
const chargeIn = ({ credits }: JsonObject): readonly string[] =>
  typeof credits !== 'number'
    ? []
    : [
        credits < 0
          ? `refunded ${count(-credits, 'credit')}`
          : `charged ${count(credits, 'credit')}`,
      ];

function tellingIn({ ending, credits, why, message, ok, outcome, summary, stack }: JsonObject) {
  const texts = [ending, why, message, outcome].filter((part) => typeof part === 'string');
  const end =
    isObject(summary) && typeof summary['outcome'] === 'string' ? [summary['outcome']] : [];
  return [
    ...texts,
    ...end,
    ...(typeof ok === 'boolean' ? [ok ? 'item finished' : 'item not finished'] : []),
    ...(typeof credits === 'number' && credits > 0 ? [count(credits, 'credit')] : []),
    ...(typeof stack === 'string' ? [stack] : []),
  ];
}
