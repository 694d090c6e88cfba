// shotlist prune: lists the orphans of a pipeline, and removes them after a yes.

import type { PruneFlags } from '../../terminal/flags.ts';
import { mayRemove } from '../../terminal/question.ts';
import { caution, print } from '../../terminal/terminal.ts';
import { answer, command, pipelineFor, sayState } from '../command.ts';
import { orphansOf } from './orphan.ts';
import { orphans, type Pruned, prune } from './prune.ts';
import { orphansText, prunedText } from './prune-text.ts';

export async function pruneCommand(file: string, flags: PruneFlags): Promise<number> {
  const { olderThan: olderThanMs, json = false, yes = false } = flags;
  const options = { ...flags, olderThanMs, onWarning: caution };
  const now = Date.now();
  if (yes)
    return await command(
      file,
      flags,
      (pipeline, reports) => prune(pipeline, { ...options, ...reports }),
      {
        text: (pruned) => `${orphansText(pruned, now)}\n${prunedText(pruned)}`,
        exitCode: codeOf,
      },
    );
  const pipeline = await pipelineFor(file, flags);
  const naming = sayState(json ? () => undefined : print);
  const reports = { onState: naming, onConnect: naming };
  const found = await orphans(pipeline, { ...options, ...reports });
  const shown = answer(found, json, { text: (value) => orphansText(value, now) });
  if (json || orphansOf(found).length === 0) return shown;
  if (!(await mayRemove('Remove them?', 'remove the orphans'))) return shown;
  const pruned = await prune(pipeline, { ...options, ...reports, listed: found });
  return answer(pruned, json, { text: prunedText, exitCode: codeOf });
}

const codeOf = ({ refused }: Pruned): number => (refused.length > 0 ? 1 : 0);
