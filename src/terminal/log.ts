// The log of a run: every run event as a line of JSON, to a file or to standard error.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { destination, type Logger, pino } from 'pino';
import { makeFolder } from '../base/folder.ts';
import { printableJson } from '../base/printable.ts';
import { assertRegular } from '../base/regular-file.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemReason } from '../base/system-error.ts';
import type { ScheduleEvent, WatchEvent } from '../views/trigger-events.ts';
import type { ShownEvent } from './exit-code.ts';
import { lose, ownRedactor } from './output.ts';
import { complain } from './terminal.ts';

/** What a long-running process logs beside run events. */
interface ProcessLine {
  readonly type: ScheduleEvent['type'] | WatchEvent['type'];
}

export interface Log {
  write(event: ShownEvent | ProcessLine): void;
  /** The same log with these fields on every line, for a process that writes several runs to one log. */
  child(fields: Readonly<Record<string, string | number>>): Log;
  close(): void;
}

interface LogFlags {
  readonly log?: string;
}

const nowhere: Log = { write: () => undefined, child: () => nowhere, close: () => undefined };

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR } = constants;

/** The beginning of every line of a log. */
const ownLine = /^\{"level":\d\d,"time":"\d{4}-\d\d-\d\dT[\d:.]+Z",/;

/** The message is the end of a sentence about the file. */
class NotALog extends Error {
  readonly code = 'NOT_REGULAR';
}

/**
 * Opens a new or empty file, or a log of earlier runs, for appending. Throws for any other file, and leaves it
 * unchanged.
 */
function openOwn(file: string): number {
  makeFolder(dirname(file));
  // Without O_NONBLOCK, opening a named pipe would wait for a reader.
  const descriptor = openSync(file, O_RDWR | O_APPEND | O_CREAT | (O_NONBLOCK ?? 0), 0o644);
  try {
    const stats = fstatSync(descriptor);
    assertRegular(stats);
    const start = Buffer.alloc(100);
    const length = readSync(descriptor, start, 0, start.length, 0);
    if (length > 0 && !ownLine.test(start.toString('latin1', 0, length)))
      throw new NotALog(
        'exists and is not a log of shotlist: nothing was appended; name another file',
      );
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Undefined if there is no log, or if it goes to standard error. */
export const logFileOf = ({ log }: LogFlags): string | undefined => (log === '-' ? undefined : log);

/** The error says why the file cannot be written. A log that fails later ends with a warning, and the run continues. */
export function openLog(flags: LogFlags): Result<Log, string> {
  const log = logFileOf(flags);
  if (flags.log === undefined) return ok(nowhere);
  let sink: ReturnType<typeof destination>;
  try {
    sink =
      log === undefined
        ? destination({ fd: 2, sync: true })
        : destination({ fd: openOwn(log), sync: true });
  } catch (error) {
    return err(`the log ${log ?? ''} ${systemReason(error)}`);
  }
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: printableJson },
    },
    sink,
  );
  let well = true;
  const giveUp = (error: unknown): void => {
    if (!well) return;
    well = false;
    sink.destroy();
    if (log === undefined) lose('err');
    else complain(`warning: the log ${log} ${systemReason(error)}; the run continues without it`);
  };
  sink.on('error', giveUp);
  const close = (): void => {
    if (!well) return;
    sink.flushSync();
    if (log !== undefined) sink.end();
  };
  const logTo = (base: Logger): Log => {
    let logger = base;
    return {
      write(event) {
        if (!well) return;
        // Tells the runs of one log apart.
        if (event.type === 'started') logger = base.child({ run: new Date().toISOString() });
        const { type, ...rest } = ownRedactor().value(event);
        logger[levelOf(event)](rest, type);
      },
      child: (fields) => logTo(base.child(ownRedactor().value(fields))),
      close,
    };
  };
  return ok(logTo(logger));
}

function levelOf(event: ShownEvent | ProcessLine): 'info' | 'warn' | 'error' {
  switch (event.type) {
    case 'bug':
      return 'error';
    case 'warning':
      return 'warn';
    case 'task':
      return event.ending === 'failed' || event.ending === 'doubt' ? 'warn' : 'info';
    case 'hook':
      return event.result === 'failed' ? 'warn' : 'info';
    default:
      return 'info';
  }
}
