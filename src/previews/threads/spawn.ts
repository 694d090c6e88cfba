// Starts a rendering process and exchanges messages with it.
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command, ProcessReport } from './messages.ts';

export interface RenderingProcess {
  send(command: Command): void;
  /** While it is held, it keeps this process alive. */
  hold(held: boolean): void;
  /** Ends it at once; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface SpawnOptions {
  /** What its thread runs. */
  readonly script: URL;
  readonly heapMegabytes: number;
  readonly onReport: (report: ProcessReport) => void;
  /** It ended by itself or could not be started; `how` is for people. */
  readonly crashed: (how: string) => void;
}

const main = fileURLToPath(new URL(`./process${extname(import.meta.url)}`, import.meta.url));

export function spawnProcess(options: SpawnOptions): RenderingProcess {
  const { script, heapMegabytes, onReport, crashed } = options;
  const child = fork(main, [script.href, `${heapMegabytes}`], {
    // Without this process's own options, such as a debugger's port.
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let killed = false;
  const over = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
  child.on('message', (report: ProcessReport) => onReport(report));
  child.once('exit', (code, signal) => {
    if (!killed) crashed(signal === null ? `ended with code ${code}` : `ended by ${signal}`);
  });
  child.on('error', (reason) => {
    // A failure of a running process is reported when it exits.
    if (child.pid === undefined && !killed) crashed(`could not be started: ${reason.message}`);
  });
  hold(child, false);
  return {
    send: (command) => void child.send(command),
    hold: (held) => hold(child, held),
    kill: () => {
      killed = true;
      // Otherwise this process might exit while somebody waits for the child's end.
      child.ref();
      child.kill('SIGKILL');
      return over;
    },
  };
}

function hold(child: ChildProcess, held: boolean): void {
  if (held) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
