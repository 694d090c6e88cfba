// Runs one command line after the other in one process, since starting one takes longer than what most of them do.
// The parent sends a command line, and gets back what a terminal would have seen.
import { fileURLToPath } from 'node:url';

/** The module that reads `process.argv` and sets `process.exitCode`. */
const main = new URL('../../src/runner/cli/main.ts', import.meta.url).href;

export interface Ask {
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Told {
  readonly code: number;
  /** Standard output and standard error, in the order in which they were written. */
  readonly text: string;
}

let text = '';
const capture = (chunk: string | Uint8Array): boolean => {
  text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  return true;
};
const crash = (error: unknown): void => {
  text += `crashed: ${error instanceof Error ? error.stack : String(error)}\n`;
};

let runs = 0;

async function perform({ cwd, argv, env }: Ask): Promise<Told> {
  text = '';
  process.exitCode = undefined;
  process.argv = [process.execPath, fileURLToPath(main), ...argv];
  process.chdir(cwd);
  Object.assign(process.env, env);
  runs += 1;
  // Another address is another module: it begins from the beginning.
  await import(`${main}?run=${runs}`).catch(crash);
  for (const name of Object.keys(env)) delete process.env[name];
  return { code: Number(process.exitCode ?? 0), text };
}

process.stdout.write = capture;
process.stderr.write = capture;
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);
process.on('message', (ask: Ask) => {
  void perform(ask).then((told) => process.send?.(told));
});
