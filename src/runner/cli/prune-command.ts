// The command `prune` and its flags.
import type { Command } from 'commander';
import { duration, serviceOption, withState } from './options.ts';

/** `done` receives the exit code. */
export function withPruneCommand(program: Command, done: (exitCode: number) => void): void {
  withState(
    program
      .command('prune')
      .description('list what the pipeline no longer needs, and remove it after a yes')
      .argument('<file>'),
  )
    .addOption(serviceOption())
    .option('--output <folder>', 'the folder of the downloads, if the runs had this option')
    .option('--allow-outside', 'allow an output folder outside the repository')
    .option('--older-than <time>', 'only what is at least so old, such as 30d', duration)
    .option('--missing-folders', 'count items in missing or empty folders as gone')
    .option('--yes', 'remove without a question')
    .action(async (file: string, flags) => {
      done(await (await import('./prune.ts')).pruneCommand(file, flags));
    });
}
