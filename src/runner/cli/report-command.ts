// The command `report` and its flags.
import type { Command } from 'commander';
import { withEngine } from './engine-commands.ts';
import { withResults, withState } from './options.ts';

/** `done` receives the exit code. */
export function withReportCommand(program: Command, done: (exitCode: number) => void): void {
  withResults(
    withEngine(
      withState(
        program
          .command('report')
          .description('write one HTML file with every result and its price')
          .argument('<file>'),
      ),
    ),
  )
    .option('--out <file>', 'the HTML file (default: report.html in the output folder)')
    .option('--no-inputs', 'leave out the pictures, hashes and parameters of the inputs')
    .action(async (file: string, flags) => {
      done(await (await import('./report.ts')).reportCommand(file, flags));
    });
}
