// Defines the command status.
import { type Command, Option } from 'commander';
import { withEngine } from './engine-commands.ts';
import { duration, positiveInteger, withState } from './options.ts';

/** `done` receives the exit code. */
export function withStatusCommand(program: Command, done: (exitCode: number) => void): void {
  withEngine(
    withState(
      program
        .command('status')
        .description('show progress, credits, and what needs attention')
        .argument('<file>'),
    ),
  )
    .option('--items [glob]', 'list the items, or those whose keys match')
    .option('--failed', 'list the items with tasks that failed or are in doubt')
    .option('--step <step>', 'list the items with their tasks of this step')
    .option('--limit <n>', 'list at most n items (default: 50)', positiveInteger)
    .addOption(
      new Option(
        '--watch',
        'follow the state file and the runs that use it, until Ctrl-C',
      ).conflicts([...['items', 'failed', 'step', 'limit']]),
    )
    .option(
      '--expiring <time>',
      'mark paid results whose addresses expire within this time (default: 6h)',
      duration,
    )
    .action(async (file: string, { watch, ...flags }) => {
      done(
        watch === true
          ? await (await import('./watch-status.ts')).watchStatusCommand(file, flags)
          : await (await import('./status.ts')).statusCommand(file, flags),
      );
    });
}
