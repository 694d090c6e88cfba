// A line of the log that `--log` writes, and how people read it.
import { isObject, type JsonObject } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { count } from '../../base/text.ts';
import { stepOf } from '../../model/task.ts';

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
export interface LogFilter {
  readonly run?: number | undefined;
  /** True for the items that are wanted. */
  readonly item?: ((item: string) => boolean) | undefined;
  /** The name of a task, or of a step. */
  readonly task?: string | undefined;
  readonly project?: string | undefined;
  /** Only tasks that failed or are in doubt, hooks that failed, and bugs. */
  readonly failed?: boolean | undefined;
}

/** Undefined if it is not a line of a log. */
export function parseLogLine(text: string): LogLine | undefined {
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
  return {
    ...{ time, level, what: msg, fields: value },
    ...(typeof run === 'number' ? { run } : {}),
    ...textIn(value, 'task'),
    ...textIn(value, 'item'),
    ...textIn(value, 'project'),
  };
}

const textIn = (fields: JsonObject, name: string): Readonly<Record<string, string>> => {
  const value = fields[name];
  return typeof value === 'string' ? { [name]: value } : {};
};

export function passes(line: LogLine, { run, item, task, project, failed }: LogFilter): boolean {
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
