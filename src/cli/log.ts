// The log of a run: every happening as a line of JSON, to a file or, with --verbose, to standard error.
import { destination, pino } from 'pino';
import type { Happening } from '../report/happening.ts';

export interface Log {
  write(happening: Happening): void;
  close(): void;
}

export function openLog({
  log,
  verbose,
}: {
  readonly log?: string;
  readonly verbose?: boolean;
}): Log {
  if (log === undefined && verbose !== true)
    return { write: () => undefined, close: () => undefined };
  const sink =
    log === undefined
      ? destination({ fd: 2, sync: true })
      : destination({ dest: log, mkdir: true, sync: true });
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, sink);
  return {
    write(happening) {
      const { type, ...rest } = happening;
      if (type === 'warning') logger.warn(rest, type);
      else logger.info(rest, type);
    },
    close() {
      sink.flushSync();
      if (log !== undefined) sink.end();
    },
  };
}
