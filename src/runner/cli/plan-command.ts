// Defines the command plan, and the questions of run.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withEngine } from './engine-commands.ts';
import {
  payAgainText,
  positiveInteger,
  wholeNumber,
  withInputs,
  withPaths,
  withSelection,
} from './options.ts';

export function withPlanCommand(program: Command, done: (code: number) => void): void {
  const command = program
    .command('plan')
    .description('show what would run, why, and what it costs')
    .argument('<file>');
  withEngine(withPaths(withInputs(withSelection(command))))
    .option('--budget <credits>', 'plan for a run with this budget', wholeNumber)
    .option('--pay-again', payAgainText)
    .option('--explain <task>', 'explain why this task would run again')
    .option('--exit-code', 'exit with 10 if there is something to do')
    .option('--out <file>', 'save the plan in this file, such as photos.plan, for run')
    .option(
      '--resolved',
      'print the pipeline with includes, defaults and profile applied; do not plan',
    )
    .action(async (file: string, flags) => {
      done(await (await import('./plan.ts')).planCommand(file, flags));
    });
}

/** The options of `run` about what a person looks at before everything is bought. */
export function withQuestions(command: Command): Command {
  return withAnswers(
    command.addOption(
      new Option(
        '--first <n>',
        'run n items as a trial, show results and cost, then ask to continue',
      )
        .argParser(fewItems)
        .conflicts('retryFailed'),
    ),
  );
}

/** How a command that buys asks a person, and how it does not. */
export function withAnswers(command: Command): Command {
  return command
    .option(
      '--confirm-above <credits>',
      'on a terminal, ask before buying more (default: confirm_above in the pipeline, or 100)',
      wholeNumber,
    )
    .option('--yes', 'do not ask: the answer is yes');
}

/** A plan names so many items. */
const mostFirst = 1000;

function fewItems(text: string): number {
  const items = positiveInteger(text);
  if (items > mostFirst)
    throw new InvalidArgumentError(
      `Write a whole number of at most ${mostFirst}; it is for a look.`,
    );
  return items;
}
