// The commands about takes: reroll, pick.
import { type Command, Option } from 'commander';
import { withCommit } from './git-commands.ts';
import {
  jsonLinesText,
  listenAddress,
  positiveInteger,
  runIdText,
  wholeNumber,
  withFolders,
  withInputs,
  withResults,
  withRunning,
  withState,
} from './options.ts';
import { withAnswers } from './plan-command.ts';

export function withTakesCommands(program: Command, done: (code: number) => void): void {
  withCommit(
    withAnswers(
      withRunning(
        withFolders(
          withInputs(
            program
              .command('reroll')
              .description('pay for another take of a result; nothing downstream runs')
              .argument('<file>')
              .argument(
                '<tasks...>',
                'tasks such as swap:IMG_0412.jpg, or items such as IMG_0412.jpg',
              ),
            jsonLinesText,
          ),
        ),
      ),
    ),
  )
    .option('--dry-run', 'say what it would do and cost, and do nothing')
    .option('--budget <credits>', 'spend at most this many credits in this run', wholeNumber)
    .option('--run-id <id>', runIdText)
    .addOption(
      new Option('--quiet', 'print only failures, warnings and the summary').conflicts('json'),
    )
    .option('--listen <port>', "receive the service's events at [host:]port", listenAddress)
    .action(async (file: string, names: string[], flags) => {
      done(await (await import('./reroll.ts')).rerollCommand(file, names, flags));
    });

  withResults(
    withState(
      program
        .command('pick')
        .description('choose the take that counts; the next run uses it')
        .argument('<file>')
        .argument('<task>', 'its name as status and plan show it')
        .argument('<take>', 'its number; the first take is 1', positiveInteger),
    ),
  ).action(async (file: string, task: string, take: number, flags) => {
    done(await (await import('./pick.ts')).pickCommand(file, task, take, flags));
  });
}
