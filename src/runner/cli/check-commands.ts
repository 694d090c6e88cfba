// The commands that check pipeline files and explain what is wrong.
import { type Command, Option } from 'commander';
import { jsonText, withInputs } from './options.ts';

/** Adds `validate` and `explain`. `done` gets the exit code. */
export function withCheckCommands(program: Command, done: (code: number) => void): void {
  withInputs(program.command('validate').description('check pipeline files').argument('<files...>'))
    .addOption(
      new Option(
        '--format <format>',
        'how to print what is wrong: text, json, sarif, or github for annotations in GitHub Actions',
      )
        .choices(['text', 'json', 'sarif', 'github'])
        .conflicts('json'),
    )
    .action(async (files: string[], flags) => {
      done(await (await import('./validate.ts')).validateCommand(files, flags));
    });

  program
    .command('explain')
    .description(
      'explain an error code, or show where a file came from; without an argument, list all codes',
    )
    .argument('[code or file]', 'for example SL012, or out/a.png')
    .option('--state <file>', 'look for the file in this state file only')
    .option('--json', jsonText)
    .action(async (name: string | undefined, flags) => {
      done(await (await import('./explain.ts')).explainCommand(name, flags));
    });
}
