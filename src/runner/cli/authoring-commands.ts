// The commands for people who write a pipeline file: `init`, `fmt` and `graph`, with their flags.
import { type Command, Option } from 'commander';
import { graphFormats } from '../report/graph/graph-format.ts';
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
  withInputs(
    program
      .command('graph')
      .description('draw the steps of a pipeline, and what each waits for')
      .argument('<file>'),
  )
    .addOption(
      new Option('--format <format>', 'mermaid, dot or svg (default: mermaid)').choices(
        graphFormats,
      ),
    )
    .option('--output <file>', 'write to this file, and replace it')
    .action(async (file: string, flags) => {
      done(await (await import('./graph.ts')).graphCommand(file, flags));
    });
}
