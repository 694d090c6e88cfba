// The commands for people who write a pipeline file: `init`, `fmt` and `graph`, with their flags.
import { type Command, Option } from 'commander';
import { withInputs } from './options.ts';

/** `done` receives the exit code. */
export function withAuthoringCommands(program: Command, done: (exitCode: number) => void): void {
  program
    .command('fmt')
    .description('give pipeline files their one layout; comments and values stay')
    .argument('<files...>', 'pipeline files, or - for standard input')
    .option('--check', 'write nothing; exit code 1 if a file has another layout (for CI)')
    .option('--json', 'print facts as JSON')
    .action(async (files: string[], flags) => {
      done(await (await import('./fmt.ts')).fmtCommand(files, flags));
    });
}
