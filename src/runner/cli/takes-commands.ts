// The commands about takes: reroll, pick.
import { type Command, Option } from 'commander';
import { withCommit } from './git-commands.ts';
import {
  listenAddress,
  positiveInteger,
  wholeNumber,
  withFolders,
  withInputs,
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
              .argument('<tasks or items...>', 'such as swap:IMG_0412.jpg, or IMG_0412.jpg'),
          ),
        ),
      ),
    ),
  )
    .option('--dry-run', 'say what it would do and cost, and do nothing')
    .option('--budget <credits>', 'spend at most this many credits', wholeNumber)
    .option('--run-id <id>', 'apply the budget to all runs with this id together')
    .addOption(
      new Option('--quiet', 'print only failures, warnings and the summary').conflicts('json'),
    )
    .option('--listen <port>', "receive the service's events at [host:]port", listenAddress)
    .action(async (file: string, names: string[], flags) => {
      done(await (await import('./reroll.ts')).rerollCommand(file, names, flags));
    });

  withState(
    program
      .command('pick')
      .description('choose the take that counts; the next run uses it')
      .argument('<file>')
      .argument('<task>', 'its name as status and plan show it')
      .argument('<take>', 'its number; the first take is 1', positiveInteger),
  )
    .option('--output <folder>', 'downloads are saved below this folder')
    .option('--allow-outside', 'as for run')
    .action(async (file: string, task: string, take: number, flags) => {
      done(await (await import('./pick.ts')).pickCommand(file, task, take, flags));
    });
}
