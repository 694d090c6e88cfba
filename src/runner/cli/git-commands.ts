// The commands and options that work with git: merge, git-setup, and `--commit` of the commands that run pipelines.
import { type Command, Option } from 'commander';
import type { RunOptions } from '../operations/run.ts';
import { jsonText } from './options.ts';

export interface CommitFlags {
  readonly commit?: boolean;
  readonly commitOutputs?: NonNullable<RunOptions['commitOutputs']>;
}

/** `done` receives the exit code. */
export function withGitCommands(program: Command, done: (exitCode: number) => void): void {
  program
    .command('merge')
    .description('merge two state files into <ours>; git does it by itself after git-setup')
    .usage('[options] [base] <ours> <theirs>')
    .arguments('<first> <second> [third]')
    .option('--output <file>', 'write the result to this new file instead')
    .option('--path <file>', 'the state file, if git calls this with temporary files')
    .option('--json', jsonText)
    .action(async (first: string, second: string, third: string | undefined, flags) => {
      const files =
        third === undefined
          ? { ours: first, theirs: second }
          : { base: first, ours: second, theirs: third };
      done(await (await import('./merge.ts')).mergeCommand(files, flags));
    });

  program
    .command('git-setup')
    .description('let git merge state files in this repository')
    .option('--remove', 'undo it')
    .option('--json', jsonText)
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
        'the outputs in that commit: none, small (up to 1 MiB each, 20 MiB in all) or all (default: small)',
      ).choices(['none', 'small', 'all']),
    );
}
