// Runs one command line after another in one process, because starting a process takes longer than most commands do.
// To each command it looks like a process of its own: its arguments, environment and working directory, fresh modules
// in src/terminal, which hold the state of a command, and an end when nothing is left to do.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

export interface CommandLine {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Printed on both streams when the command has ended. */
  readonly end: string;
}

const src = new URL('../src/', import.meta.url).href;
const terminal = `${src}terminal/`;
const main = `${src}cli/main.ts`;

let current: CommandLine | undefined;
let count = 0;

// Node.js warns once that this function is experimental: now, where nobody takes it for a warning of a command.
const { emitWarning } = process;
process.emitWarning = () => undefined;
stripTypeScriptTypes('');
process.emitWarning = emitWarning;

/** By file: its text without types, so that each is read and stripped once. */
const stripped = new Map<string, string>();

function sourceOf(file: string): string {
  const source = stripped.get(file) ?? stripTypeScriptTypes(readFileSync(file, 'utf8'));
  stripped.set(file, source);
  return source;
}

/** By module: whether it holds the state of a command, or imports a module that does. */
const fresh = new Map<string, boolean>();

function isFresh(url: string): boolean {
  if (!url.startsWith(src)) return false;
  if (url.startsWith(terminal)) return true;
  const known = fresh.get(url);
  if (known !== undefined) return known;
  // Modules do not import each other in a circle.
  const imported = readFileSync(fileURLToPath(url), 'utf8').matchAll(
    /(?:from |import\()'(\.[^']+)'/g,
  );
  const found = [...imported].some(([, request = '']) => isFresh(new URL(request, url).href));
  fresh.set(url, found);
  return found;
}

// A module with another address is another module: it starts from the beginning.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return isFresh(found.url) ? { ...found, url: `${found.url}?command=${count}` } : found;
  },
  load(url, context, next) {
    if (!url.includes('?command=')) return next(url, context);
    return { format: 'module', source: sourceOf(fileURLToPath(url)), shortCircuit: true };
  },
});

function begin(line: CommandLine): void {
  current = line;
  count += 1;
  process.argv = [process.execPath, fileURLToPath(main), ...line.args];
  process.chdir(line.cwd);
  for (const name of Object.keys(process.env)) if (!(name in line.env)) delete process.env[name];
  Object.assign(process.env, line.env);
  // From here on, only the command keeps the process alive.
  process.channel?.unref();
  void import(main);
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
