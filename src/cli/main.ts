// The command line: selects the command for the arguments, and returns its exit code.
import { Command, CommanderError } from 'commander';
import { bugOf, bugText } from '../base/bug.ts';
import { version } from '../base/version.ts';
import { openSecretWarnings } from '../service-api/secrets.ts';
import { beginOutput, shown, write, writeLast } from '../terminal/output.ts';
import { commands } from './commands.ts';
import { helpLayout } from './help.ts';

// Ends the command after a bug: prints one sentence with a code that a person can quote, instead of a stack trace.

/** The exit code after a bug. */
const bugExitCode = 1;

function sayBug(error: unknown): void {
  write('err', textOf(error));
}

function textOf(error: unknown): string {
  const bug = bugOf(error);
  const debug = process.env['SHOTLIST_DEBUG'] === '1';
  const hint = debug ? '' : '; set SHOTLIST_DEBUG=1 to see where it happened';
  const text = `error: ${bugText(bug)}${hint}`;
  return shown(debug ? `${text}\n${bug.stack}` : text);
}

/** The same for errors outside of any awaited call. */
function endOnBug(): void {
  if (!process.listeners('uncaughtException').includes(end)) process.on('uncaughtException', end);
}

function end(error: unknown): void {
  writeLast(textOf(error));
  process.exit(bugExitCode);
}

/** Commander adds the command help itself. */
const commandNames = Object.fromEntries(
  Object.entries(commands).map(([heading, group]) => [
    heading,
    [...Object.keys(group), ...(heading === 'Start:' ? ['help'] : [])],
  ]),
);

const program = new Command('shotlist')
  .description(
    'Runs pipelines of paid AI media tools over folders of media: resumable, and never pays twice.',
  )
  .version(version(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand('help [command]', 'print the help of a command')
  .exitOverride()
  .configureOutput({ writeErr: (text) => void process.stderr.write(shown(text)) })
  .configureHelp(helpLayout(commandNames));

/** Every argument with this name is a pipeline file. */
const lacksPipeline = ({ code, message }: CommanderError): boolean =>
  code === 'commander.missingArgument' && /'files?'$/.test(message);

let exitCode = 0;
for (const group of Object.values(commands))
  for (const add of Object.values(group))
    add(program, (code) => {
      exitCode = code;
    });

beginOutput();
program.hook('preAction', async () => {
  const warnings = openSecretWarnings(process.env);
  if (warnings.length > 0) warnings.forEach((await import('../terminal/terminal.ts')).caution);
});
endOnBug();
try {
  if (process.argv.length > 2) await program.parseAsync();
  else exitCode = (await import('../features/init/start.ts')).startCommand();
} catch (error) {
  if (error instanceof CommanderError) {
    exitCode = error.exitCode === 0 ? 0 : 2;
    const [command = ''] = process.argv.slice(2);
    if (lacksPipeline(error)) (await import('../features/init/start.ts')).suggestPipelines(command);
  } else {
    sayBug(error);
    exitCode = bugExitCode;
  }
}
process.exitCode = exitCode;
