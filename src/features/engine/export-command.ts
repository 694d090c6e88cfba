// shotlist export: brings the record of a distributed run back to the state file.

import { count } from '../../base/text.ts';
import type { ExportFlags } from '../../terminal/flags.ts';
import { stopWhenAsked } from '../../terminal/stop.ts';
import { command } from '../command.ts';
import { exportState } from './export.ts';

export async function exportCommand(file: string, flags: ExportFlags): Promise<number> {
  const stop = stopWhenAsked();
  try {
    return await command(
      file,
      flags,
      (pipeline, { onWarning }) =>
        exportState(pipeline, { ...flags, onWarning, signal: stop.signal }),
      {
        text: ({ state, jobs }) =>
          `${state} has the record again: ${count(jobs, 'job')}. Runs need no database from here on.`,
      },
    );
  } finally {
    stop.off();
  }
}
