// The commands and options that work with git: merge, git-setup, and `--commit` of the commands that run pipelines.
import { type Command, Option } from 'commander';
import type { RunOptions } from '../operations/run.ts';

export interface CommitFlags {
  readonly commit?: boolean;
  readonly commitOutputs?: NonNullable<RunOptions['commitOutputs']>;
}

/** `done` receives the exit code. */
export function withGitCommands(program: Command, done: (exitCode: number) => void): void {
  program
    .command('merge')
    .description('merge two state files with a common ancestor; git calls it after git-setup')
    .argument('<base>')
    .argument('<ours>', 'gets the result')
    .argument('<theirs>')
    .option('--output <file>', 'write the result to this new file instead')
    .option('--path <file>', 'the state file, if git calls this with temporary files')
    .option('--json', 'print facts as JSON')
    .action(async (base: string, ours: string, theirs: string, flags) => {
      done(await (await import('./merge.ts')).mergeCommand([base, ours, theirs], flags));
    });

  program
    .command('git-setup')
    .description('let git merge state files by itself, in the repository of this folder')
    .option('--remove', 'undo it')
    .option('--json', 'print facts as JSON')
    .action(async (flags) => {
      done(await (await import('./git-setup.ts')).gitSetupCommand(flags));
    });
}

export function withCommit(command: Command): Command {
  return command
    .option('--commit', 'make one git commit with the state file and the small outputs')
    .addOption(
      new Option(
        '--commit-outputs <which>',
        'the outputs in that commit (default: small, up to 1 MiB each and 20 MiB in all)',
      ).choices(['none', 'small', 'all']),
    );
}
