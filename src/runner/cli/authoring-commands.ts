// The commands for people who write a pipeline file: `init`, `fmt` and `graph`, with their flags.
import { type Command, Option } from 'commander';
import { graphFormats } from '../report/graph/graph-format.ts';
import { jsonText, withInputs } from './options.ts';

/** `done` receives the exit code. */
export function withAuthoringCommands(program: Command, done: (exitCode: number) => void): void {
  program
    .command('init')
    .description('write a first pipeline for what is in this folder')
    .option('--tool <tool>', 'what the pipeline does: one of the tools that shotlist tools lists')
    .option('--media <folder>', 'the folder of the photos, clips or sounds')
    .option('--name <name>', 'the name of the pipeline (default: the tool)')
    .option('--output <file>', 'the pipeline file, which must not exist (default: <name>.yaml)')
    .option('--yes', 'do not ask: take the first tool that fits, and the defaults')
    .option('--json', jsonText)
    .action(async (flags) => {
      done(await (await import('./init.ts')).initCommand(flags));
    });

  program
    .command('fmt')
    .description('format files in place; values and comments are kept')
    .argument('<files...>', 'pipeline files, or - for standard input')
    .option('--check', 'write nothing; exit code 1 if a file has another layout (for CI)')
    .option('--json', jsonText)
    .action(async (files: string[], flags) => {
      done(await (await import('./fmt.ts')).fmtCommand(files, flags));
    });
  withInputs(
    program
      .command('graph')
      .description('draw the steps, and what each waits for')
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
