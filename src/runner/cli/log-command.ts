// Defines the command log.
import type { Command } from 'commander';
import { positiveInteger } from './options.ts';

/** `done` receives the exit code. */
export function withLogCommand(program: Command, done: (exitCode: number) => void): void {
  program
    .command('log')
    .description('read a log that run --log wrote')
    .argument('<file>', 'the log')
    .option('--run <n>', 'only this run, by its number in the state file', positiveInteger)
    .option('--items <glob>', 'only lines about items whose keys match')
    .option('--task <name>', 'only lines about this task, or about the tasks of this step')
    .option('--project <id>', 'only lines about this project')
    .option('--failed', 'only what failed or is in doubt')
    .option('--follow', 'go on with what is appended, until you stop it')
    .option('--json', 'print the lines as they are: one JSON object each')
    .action(async (file: string, flags) => {
      done(await (await import('./show-log.ts')).showLogCommand(file, flags));
    });
}
