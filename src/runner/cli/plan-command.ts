// Defines the command plan.
import type { Command } from 'commander';
import { wholeNumber, withInputs, withPaths, withSelection } from './options.ts';

export function withPlanCommand(program: Command, done: (code: number) => void): void {
  const command = program
    .command('plan')
    .description('show what would run, why, and what it costs')
    .argument('<file>');
  withPaths(withInputs(withSelection(command)))
    .option('--budget <credits>', 'plan for a run with this budget', wholeNumber)
    .option('--explain <task>', 'say what has changed since the last project of this task')
    .option('--exit-code', 'exit with 10 if there is something to do')
    .option('--resolved', 'print the file as it is run, and plan nothing')
    .action(async (file: string, flags) => {
      done(await (await import('./plan.ts')).planCommand(file, flags));
    });
}
