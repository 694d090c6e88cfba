// shotlist log: reads the log of runs.

import type { LogFlags } from '../../terminal/flags.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { logLineText, readLog } from './log.ts';

export async function showLogCommand(file: string, flags: LogFlags): Promise<number> {
  const { json = false, ...filter } = flags;
  await readLog(file, {
    ...filter,
    onLine: (line) => (json ? printJson(line.fields) : print(logLineText(line))),
  });
  return 0;
}
