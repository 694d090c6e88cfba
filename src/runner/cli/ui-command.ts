// Defines the command ui, and the flag of run that opens the same page.
import { type Command, Option } from 'commander';
import { portNumber, withState } from './options.ts';

/** `done` receives the exit code. */
export function withUiCommand(program: Command, done: (exitCode: number) => void): void {
  withState(
    program
      .command('ui')
      .description('show the report as a page that follows the runs, on this machine only')
      .argument('<file>'),
  )
    .option('--port <n>', 'port (default: a free one)', portNumber)
    .option('--open', 'open the page in the browser')
    .option('--output <folder>', 'the folder of the downloads, if the runs have this option')
    .option('--allow-outside', 'let the pipeline read files outside its repository')
    .addOption(new Option('--for-run', 'serve the page of the run that started this').hideHelp())
    .action(async (file: string, flags) => {
      done(await (await import('./ui.ts')).uiCommand(file, flags));
    });
}

export const withOpen = (command: Command): Command =>
  command.option('--open', 'open a page in the browser that shows the run while it goes on');
