// shotlist engine: looks after the database of distributed runs.

import type { EngineFlags } from '../../terminal/flags.ts';
import { engineText } from '../../views/engine-text.ts';
import { answer } from '../command.ts';
import { acceptEngine, checkEngine, dropEngine, migrateEngine } from './engine.ts';

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
