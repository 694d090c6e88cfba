// The log of a run: every happening as a line of JSON, to a file or, with --verbose, to standard error.
import { destination, pino } from 'pino';
import { printableJson } from '../base/printable.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemReason } from '../edge/system-error.ts';
import type { Happening } from '../report/happening.ts';
import { lose } from './output.ts';
import { complain } from './terminal.ts';

export interface Log {
  write(happening: Happening): void;
  close(): void;
}

interface LogFlags {
  readonly log?: string;
  readonly verbose?: boolean;
}

const nowhere: Log = { write: () => undefined, close: () => undefined };

/** On failure: why the file cannot be written. A log that fails later is given up with a warning; the run goes on. */
export function openLog({ log, verbose }: LogFlags): Result<Log, string> {
  if (log === undefined && verbose !== true) return ok(nowhere);
  let sink: ReturnType<typeof destination>;
  try {
    sink =
      log === undefined
        ? destination({ fd: 2, sync: true })
        : destination({ dest: log, mkdir: true, sync: true });
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
    else complain(`warning: the log ${log} ${systemReason(error)}; the run goes on without it`);
  };
  sink.on('error', giveUp);
  return ok({
    write(happening) {
      if (!well) return;
      const { type, ...rest } = happening;
      if (type === 'warning') logger.warn(rest, type);
      else logger.info(rest, type);
    },
    close() {
      if (!well) return;
      sink.flushSync();
      if (log !== undefined) sink.end();
    },
  });
}
