// The command `report` and its flags.
import type { Command } from 'commander';
import { withEngine } from './engine-commands.ts';
import { withState } from './options.ts';

/** `done` receives the exit code. */
export function withReportCommand(program: Command, done: (exitCode: number) => void): void {
  withEngine(
    withState(
      program
        .command('report')
        .description('write one HTML file with every result, its price and its origin')
        .argument('<file>'),
    ),
  )
    .option('--out <file>', 'the HTML file (default: report.html in the output folder)')
    .option('--no-inputs', 'leave out the pictures, hashes and parameters of the inputs')
    .option('--output <folder>', 'the folder of the downloads, if the runs had this option')
    .option('--allow-outside', 'let the pipeline read files outside its repository')
    .action(async (file: string, flags) => {
      done(await (await import('./report.ts')).reportCommand(file, flags));
    });
}
