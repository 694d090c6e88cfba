// shotlist log: reads the log of runs.

import { readLog } from '../operations/log.ts';
import { logLineText } from '../report/log-line.ts';
import type { LogFlags } from './flags.ts';
import { print, printJson } from './terminal.ts';

export async function showLogCommand(file: string, flags: LogFlags): Promise<number> {
  const { json = false, ...filter } = flags;
  await readLog(file, {
    ...filter,
    onLine: (line) => (json ? printJson(line.fields) : print(logLineText(line))),
  });
  return 0;
}
