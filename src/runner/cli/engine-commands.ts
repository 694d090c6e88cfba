// The commands of distributed runs: worker, export, engine; and the option with which other commands use a database.
import { type Command, Option } from 'commander';
import {
  jsonLinesText,
  jsonText,
  listenAddress,
  positiveInteger,
  serviceOption,
  withState,
} from './options.ts';

const address = 'a Postgres database, such as postgres://db.example/shotlist';

/** For commands that can use the record of a distributed run. */
export const withEngine = (command: Command): Command =>
  command.addOption(
    new Option('--engine <address>', `use the record in ${address}`).conflicts(['rehearse']),
  );

/** The same for `run`, which begins the record there. */
export const withEngineRun = (command: Command): Command =>
  command.addOption(
    new Option(
      '--engine <address>',
      `let workers on several hosts perform the run, through ${address}`,
    ).conflicts(['rehearse', 'detachAfter', 'first', 'open', 'listen']),
  );

const required = (command: Command): Command =>
  command.addOption(new Option('--engine <address>', address).makeOptionMandatory());

/** `done` receives the exit code. */
export function withEngineCommands(program: Command, done: (exitCode: number) => void): void {
  required(
    program
      .command('worker')
      .description('perform the tasks of distributed runs on this host')
      .option(
        '--root <folder>',
        'the folder of the pipeline file, as this host sees it (default: .)',
      ),
  )
    .addOption(serviceOption())
    .option('--jobs <n>', 'how many tasks to perform at once (default: 16)', positiveInteger)
    .option('--once', 'end when the run is over, instead of waiting for the next one')
    .option('--allow-outside', 'let pipelines read and write files outside their repository')
    .option(
      '--monitor <port>',
      'answer /healthz, /readyz and /metrics at [host:]port',
      listenAddress,
    )
    .option('--json', jsonLinesText)
    .action(async (flags) => {
      done(await (await import('./worker.ts')).workerCommand(flags));
    });

  required(
    withState(
      program
        .command('export')
        .description('move the record of a distributed run back to a file')
        .argument('<file>')
        .option(
          '--take-back',
          'write the state file from the database again: the copy to which the run was exported is lost',
        ),
    ),
  ).action(async (file: string, flags) => {
    done(await (await import('./export.ts')).exportCommand(file, flags));
  });

  const engine = program
    .command('engine')
    .description('look after the database of distributed runs');
  for (const [name, description] of [
    ['check', 'say whether the database can be used, and which runs are in it'],
    ['migrate', 'make the tables, or upgrade them'],
    ['accept', 'use the database again after it was restored or failed over'],
    ['drop', 'remove all tables; refuses while one of them has the only record of a run'],
  ] as const)
    required(engine.command(name).description(description))
      .option('--json', jsonText)
      .action(async (flags) => {
        done(await (await import('./engine.ts')).engineCommand(name, flags));
      });
}
