// The command `prune` and its flags.
import type { Command } from 'commander';
import { duration, serviceOption, withResults, withState } from './options.ts';

/** `done` receives the exit code. */
export function withPruneCommand(program: Command, done: (exitCode: number) => void): void {
  withResults(
    withState(
      program
        .command('prune')
        .description('remove what is no longer needed, after a yes')
        .argument('<file>'),
    ),
  )
    .addOption(serviceOption())
    .option('--older-than <time>', 'only what is at least so old, such as 30d', duration)
    .option('--missing-folders', 'count items in missing or empty folders as gone')
    .option('--yes', 'remove without a question')
    .action(async (file: string, flags) => {
      done(await (await import('./prune.ts')).pruneCommand(file, flags));
    });
}
