// Defines the command ui, and the flag of run that opens the same page.
import { type Command, Option } from 'commander';
import { portNumber, withResults, withState } from './options.ts';

/** `done` receives the exit code. */
export function withUiCommand(program: Command, done: (exitCode: number) => void): void {
  withResults(
    withState(
      program
        .command('ui')
        .description('show the report as a page that follows the runs')
        .argument('<file>'),
    ),
  )
    .option('--port <n>', 'port (default: a free one)', portNumber)
    .option('--open', 'open the page in the browser')
    .addOption(new Option('--for-run', 'serve the page of the run that started this').hideHelp())
    .action(async (file: string, flags) => {
      done(await (await import('./ui.ts')).uiCommand(file, flags));
    });
}

export const withOpen = (command: Command): Command =>
  command.option('--open', 'show the run on a page in the browser');
