// Runs one command line after another in one process, because starting a process takes longer than most commands do.
// To each command it looks like a process of its own: its arguments, environment and working directory, output that begins
// anew, and an end when nothing is left to do.
import { fileURLToPath } from 'node:url';

export interface CommandLine {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Printed on both streams when the command has ended. */
  readonly end: string;
}

const main = new URL('../src/cli/main.ts', import.meta.url);

let current: CommandLine | undefined;
let count = 0;

function begin(line: CommandLine): void {
  current = line;
  count += 1;
  process.argv = [process.execPath, fileURLToPath(main), ...line.args];
  process.chdir(line.cwd);
  for (const name of Object.keys(process.env)) if (!(name in line.env)) delete process.env[name];
  Object.assign(process.env, line.env);
  // From here on, only the command keeps the process alive.
  process.channel?.unref();
  // A module with another address is another module: it starts from the beginning.
  void import(`${main.href}?command=${count}`);
}

// Emitted when nothing is left to do: a process of its own would exit now.
process.on('beforeExit', (code) => {
  if (current === undefined) return;
  const streams = [process.stdout, process.stderr];
  for (const stream of streams) stream.write(current.end);
  current = undefined;
  process.exitCode = undefined;
  process.removeAllListeners('uncaughtException');
  for (const stream of streams) stream.removeAllListeners('error');
  process.channel?.ref();
  process.send?.(code);
});
process.on('message', begin);
