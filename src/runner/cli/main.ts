// The command line: selects the command for the arguments, and returns its exit code. Commands are loaded on demand.
import { Command, CommanderError, Option } from 'commander';
import { pathForms } from '../../contract/api/routes.ts';
import { tiers } from '../../contract/api/tier.ts';
import { version } from '../../contract/files/version.ts';
import { openSecretWarnings } from '../operations/service/secrets.ts';
import { withAuthoringCommands } from './authoring-commands.ts';
import { withCheckCommands } from './check-commands.ts';
import { bugExitCode, endOnBug, sayBug } from './crash.ts';
import { withEngine, withEngineCommands, withEngineRun } from './engine-commands.ts';
import { withCommit, withGitCommands } from './git-commands.ts';
import { helpLayout } from './help.ts';
import { withLogCommand } from './log-command.ts';
import {
  duration,
  jsonLinesText,
  jsonText,
  pictures,
  portNumber,
  positiveInteger,
  serviceOption,
  speed,
  wholeNumber,
  withInputs,
  withPlaces,
  withRun,
  withRunning,
  withSchedule,
  withState,
  withSteps,
} from './options.ts';
import { outliveOutput } from './output.ts';
import { withPlanCommand, withQuestions } from './plan-command.ts';
import { withPruneCommand } from './prune-command.ts';
import { withReceiptsCommand } from './receipts-command.ts';
import { withReportCommand } from './report-command.ts';
import { shown } from './shown.ts';
import { withStatusCommand } from './status-command.ts';
import { withTakesCommands } from './takes-commands.ts';
import { withOpen, withUiCommand } from './ui-command.ts';

const program = new Command('shotlist')
  .description(
    'Runs pipelines of paid AI media tools over folders of media: resumable, and never pays twice.',
  )
  .version(version(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand('help [command]', 'print the help of a command')
  .exitOverride()
  .configureOutput({ writeErr: (text) => void process.stderr.write(shown(text)) })
  .configureHelp(helpLayout);

let exitCode = 0;
const done = (code: number): void => {
  exitCode = code;
};
withAuthoringCommands(program, done);
withCheckCommands(program, done);
withPlanCommand(program, done);
withStatusCommand(program, done);
withLogCommand(program, done);

withCommit(
  withEngineRun(
    withOpen(
      withQuestions(
        withRun(
          program
            .command('run')
            .description('run a pipeline, or resume it')
            .argument('<file>', 'a pipeline, or a plan that plan --out saved'),
        ),
      ),
    ),
  ),
).action(async (file: string, flags) => {
  if (flags.json !== true) (await import('./reading-line.ts')).sayReading(file, flags);
  exitCode = await (await import('./run-command.ts')).runCommand(file, flags);
});

withCommit(
  withRun(
    program
      .command('tick')
      .description('save what is ready, buy within the limits, and end')
      .argument('<file>'),
  ),
)
  .option('--yes', 'as for run; a tick never asks')
  .action(async (file: string, flags) => {
    exitCode = await (await import('./tick.ts')).tickCommand(file, flags);
  });

withCommit(
  withSchedule(
    program
      .command('schedule')
      .description('run pipelines at the times of their schedules')
      .argument(
        '[paths...]',
        'pipeline files, or folders of them (default: pipelines, or this folder)',
      ),
  ),
).action(async (names: string[], flags) => {
  exitCode = await (await import('./schedule.ts')).scheduleCommand(names, flags);
});

withCommit(
  withRunning(
    withPlaces(
      withInputs(
        withSteps(
          program
            .command('watch')
            .description('run a pipeline for each new or changed file')
            .argument('<file>'),
        ),
        jsonLinesText,
      ),
    ),
  ),
)
  .option(
    '--budget <credits>',
    'spend at most this many credits in all runs of this watch',
    wholeNumber,
  )
  .option(
    '--settle <time>',
    'a file is complete when it has not changed for so long (default: 2s)',
    duration,
  )
  .option(
    '--poll <time>',
    'how often to look for changes that the system does not report (default: 1m)',
    duration,
  )
  .action(async (file: string, flags) => {
    exitCode = await (await import('./watch.ts')).watchCommand(file, flags);
  });

withEngine(
  withState(
    program
      .command('resolve')
      .description('record what became of a request whose answer was lost, or of all')
      .argument('<file>')
      .argument('[task]', 'its name as status shows it, or the name of the project that was sent'),
  ),
)
  .addOption(serviceOption())
  .addOption(
    new Option('--project <id>', 'the service created this project for the request').conflicts([
      'notCharged',
      'abandon',
    ]),
  )
  .addOption(
    new Option(
      '--not-charged',
      'the service did not accept the request; the next run may send it again',
    ).conflicts('abandon'),
  )
  .option(
    '--abandon',
    'nobody can tell: count its credits as spent; the next run may pay for it again',
  )
  .option('--all', 'everything that is in doubt; asks about each, unless another flag says')
  .addOption(
    new Option(
      '--hub-list <file>',
      'with --all: the list of projects in the hub, as JSON, CSV or text (- is standard input)',
    ).conflicts('decisions'),
  )
  .addOption(
    new Option(
      '--decisions <file>',
      'with --all: a CSV file with a decision for each; written for you if it does not exist',
    ).conflicts(['notCharged', 'abandon']),
  )
  .action(async (file: string, task: string | undefined, flags) => {
    exitCode = await (await import('./resolve.ts')).resolveCommand(file, task, flags);
  });

withState(
  program
    .command('forget')
    .description('make the next run redo a task, and pay again')
    .argument('<file>')
    .argument('[task]', 'its name as status and plan show it'),
)
  .option('--project <id>', 'the task that this project belongs to')
  .action(async (file: string, task: string | undefined, flags) => {
    exitCode = await (await import('./forget.ts')).forgetCommand(file, task, flags);
  });

withState(
  program
    .command('refresh')
    .description('update the state file from the service')
    .argument('<file>'),
)
  .addOption(serviceOption())
  .option('--accept-missing', 'believe the service even if it has no record of any project')
  .action(async (file: string, flags) => {
    exitCode = await (await import('./refresh.ts')).refreshCommand(file, flags);
  });

withEngine(
  withState(
    program
      .command('audit')
      .description('check the recorded credits against the service; changes nothing')
      .argument('<file>'),
  ),
)
  .addOption(serviceOption())
  .action(async (file: string, flags) => {
    exitCode = await (await import('./audit.ts')).auditCommand(file, flags);
  });

withState(
  program
    .command('repair')
    .description('find damage in a state file, and propose a repair')
    .argument('<file>'),
)
  .addOption(serviceOption('the service that its ids belong to, if the file no longer says so'))
  .option('--write <file>', 'write the proposal to this new file')
  .action(async (file: string, flags) => {
    exitCode = await (await import('./repair.ts')).repairCommand(file, flags);
  });

withTakesCommands(program, done);
withPruneCommand(program, done);
withReceiptsCommand(program, done);
withReportCommand(program, done);
withUiCommand(program, done);
withGitCommands(program, done);
withEngineCommands(program, done);

program
  .command('trust')
  .description(
    'let a pipeline file use your API key with its service, call its hooks and use its bucket',
  )
  .argument('[file]')
  .option('--remove', 'no longer trust the file')
  .option('--folder <folder>', 'accept a .shotlist or data folder that you made yourself')
  .option('--list', 'list the trusted files')
  .option('--json', jsonText)
  .action(async (file: string | undefined, flags) => {
    exitCode = await (await import('./trust.ts')).trustCommand(file, flags);
  });

program
  .command('tools')
  .description('list the tools, or show the fields and price of one')
  .argument('[kind]')
  .option('--json', jsonText)
  .action(async (kind: string | undefined, flags) => {
    exitCode = (await import('./tools.ts')).toolsCommand(kind, flags);
  });

program
  .command('serve')
  .description('start the local service, which costs nothing')
  .option('--port <n>', 'port (default: a free one)', portNumber)
  .option('--host <address>', 'address to listen on (default: loopback only)')
  .option('--data <folder>', 'keep projects, files and the ledger here (default: nothing is kept)')
  .option('--speed <speed>', 'instant, realtime or a factor such as 60', speed)
  .option('--credits <n>', 'opening balance of a new account (default: 10000)', wholeNumber)
  .addOption(new Option('--tier <tier>', 'plan of a new account (default: pro)').choices(tiers))
  .option('--faults <file>', 'inject the faults in this file (schemas/faults.schema.json)')
  .option('--seed <n>', 'seed for everything that is random', wholeNumber)
  .option('--slots <n>', 'how many projects are processed at once (default: 8)', positiveInteger)
  .addOption(pictures('real previews, or plain stand-ins'))
  .addOption(
    new Option(
      '--paths <form>',
      'which form of the paths that exist in two forms to answer (default: both)',
    ).choices(pathForms),
  )
  .option(
    '--address-lifetime <time>',
    'how long a presigned address is valid (default: 24h)',
    duration,
  )
  .option('--asset-lifetime <time>', 'how long an upload is kept (default: 7d)', duration)
  .option(
    '--event-backoff <time>',
    'pause before an event is sent again; doubles each time (default: 1s)',
    duration,
  )
  .option('--event-give-up <time>', 'how long an event is retried (default: 24h)', duration)
  .option('--json', 'print address, key and hub as JSON')
  .action(async (flags) => {
    exitCode = await (await import('./serve.ts')).serveCommand(flags);
  });

outliveOutput();
program.hook('preAction', async () => {
  const warnings = openSecretWarnings(process.env);
  if (warnings.length > 0) warnings.forEach((await import('./terminal.ts')).caution);
});
endOnBug();
try {
  if (process.argv.length > 2) await program.parseAsync();
  else exitCode = (await import('./start.ts')).startCommand();
} catch (error) {
  if (error instanceof CommanderError) exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    sayBug(error);
    exitCode = bugExitCode;
  }
}
process.exitCode = exitCode;
