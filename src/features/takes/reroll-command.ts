// shotlist reroll: pays for another take of results, and says how to choose between them.

import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import type { RerollFlags } from '../../terminal/flags.ts';
import { print, printJson, printProse } from '../../terminal/terminal.ts';
import { planText } from '../../views/plan-text.ts';
import { fallbackLine, rehearsalLine } from '../../views/service-text.ts';
import { rerolledText } from '../../views/takes-text.ts';
import { command } from '../command.ts';
import { commandLines } from '../command-line.ts';
import { questionsOf, type RunCommandFlags } from '../run/command.ts';
import { performCommand } from '../run/run-and-report.ts';
import { mannerOf } from '../run/trial-command.ts';
import { planReroll, type Rerolled, reroll } from './reroll.ts';

export async function rerollCommand(
  file: string,
  names: readonly string[],
  flags: RerollFlags,
): Promise<number> {
  const { dryRun, confirmAbove: _, yes: __, ...own } = flags;
  const json = flags.json === true;
  if (dryRun === true)
    return await command(
      file,
      own,
      async (pipeline: LoadedPipeline, { onConnect }) => {
        const planned = await planReroll(pipeline, names, { ...choices(own), onConnect });
        if (planned.rehearsal && !json)
          printProse(own.rehearse === true ? rehearsalLine : fallbackLine);
        return planned;
      },
      { text: ({ plan }) => planText(plan, []) },
    );
  const asking = questionsOf(flags);
  let rerolled: Rerolled | undefined;
  let subject = file;
  const code = await performCommand(file, own, {
    ...mannerOf(),
    operate: async (pipeline, options) => {
      rerolled = await reroll(pipeline, names, { ...options, ...asking });
      subject = commandLines(pipeline, own, rerolled.rehearsal).subject('pick');
      return rerolled;
    },
  });
  if (rerolled === undefined) return code;
  const { takes } = rerolled;
  if (json) printJson({ type: 'takes', takes });
  else if (takes.length > 0) print(rerolledText(takes, subject));
  return code;
}

/** The flags without those of other commands. */
const choices = ({ items: _, only: __, until: ___, exclude: ____, ...own }: RunCommandFlags) => own;
