// shotlist engine: looks after the database of distributed runs. shotlist export: brings the record of one back to the state file.

import { count } from '../../base/text.ts';
import type { EngineFlags, ExportFlags } from '../../terminal/flags.ts';
import { stopWhenAsked } from '../../terminal/stop.ts';
import { engineText } from '../../views/engine-text.ts';
import { answer, command } from '../command.ts';
import { acceptEngine, checkEngine, dropEngine, migrateEngine } from './engine.ts';
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

const reports = { check: checkEngine, migrate: migrateEngine, accept: acceptEngine };

export async function engineCommand(
  name: 'check' | 'migrate' | 'accept' | 'drop',
  { engine, json = false }: EngineFlags,
): Promise<number> {
  if (name === 'drop')
    return answer(await dropEngine(engine), json, {
      text: ({ database }) => `All tables of shotlist in ${database} are gone.`,
    });
  return answer(await reports[name](engine), json, {
    text: engineText,
    exitCode: ({ condition }) =>
      condition.unsafe.length > 0 || condition.changedFrom !== undefined ? 2 : 0,
  });
}
