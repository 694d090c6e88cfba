// The page of `run --open`: in a process of its own, so that neither a picture that breaks a decoder nor the work for a large
// page can disturb a run that spends credits. It ends with the run.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Redactor } from '../../base/redactor.ts';
import type { RunEvent } from '../../run/run-event.ts';
import { secretsIn } from '../../service-api/secrets.ts';
import type { PipelineFlags } from '../../terminal/flags.ts';
import { caution, print, printJson } from '../../terminal/terminal.ts';
import { hookEnvironment } from '../hooks/hooks.ts';
import { openBrowser } from '../ui/browser.ts';

/** The last state of a large report takes some seconds. */
const endMs = 15_000;

export class RunPage {
  readonly #file: string;
  readonly #flags: PipelineFlags;
  #server: ChildProcess | undefined;
  #opened: Promise<void> | undefined;

  /** `file`: the pipeline. */
  constructor(file: string, flags: PipelineFlags) {
    this.#file = file;
    this.#flags = flags;
  }

  /** A run tells whether it is a rehearsal in its first event. The page outlives the first of two runs. */
  event(event: RunEvent): void {
    if (event.type !== 'started' || this.#server !== undefined) return;
    const [, main = ''] = process.argv;
    // The page needs no key.
    const env = hookEnvironment(process.env, new Redactor(secretsIn(process.env)));
    const server = fork(main, [...this.#arguments(event.rehearsal)], {
      env: { ...env },
      execArgv: [],
      // Ctrl-C is for the run. The page learns of its end when the channel closes.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#server = server;
    this.#opened = this.#open(server);
    // The run alone keeps the command alive.
    server.unref();
    server.channel?.unref();
  }

  #arguments(rehearsal: boolean): readonly string[] {
    const { input = {}, profile, state, output, allowOutside } = this.#flags;
    const option = (name: string, value: string | undefined): readonly string[] =>
      value === undefined ? [] : [`--${name}=${value}`];
    return [
      ...['ui', this.#file, '--for-run', rehearsal ? '--rehearse' : '--hosted'],
      ...Object.entries(input).flatMap(([name, text]) => ['--input', `${name}=${text}`]),
      ...[...option('profile', profile), ...option('state', state), ...option('output', output)],
      ...(allowOutside === true ? ['--allow-outside'] : []),
    ];
  }

  async #open(server: ChildProcess): Promise<void> {
    const gone = new AbortController();
    const { signal } = gone;
    server.once('exit', (code) => {
      gone.abort();
      if (code !== 0) caution('the page of this run ended early; the run does not need it');
    });
    server.once('error', (error) => {
      gone.abort();
      caution(`there is no page of this run: ${error.message}`);
    });
    try {
      const [message]: readonly unknown[] = await once(server, 'message', { signal });
      if (!isPageMessage(message)) return;
      const { address } = message;
      if (this.#flags.json === true) printJson({ type: 'page', address });
      else print(`The page of this run: ${address}`);
      if ((await openBrowser(message.once)) && server.connected) server.send('open');
    } catch (error) {
      // It was told above.
      if (!signal.aborted) throw error;
    }
  }

  /** Waits until the pages that are open have the last state. */
  async end(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    server.ref();
    server.channel?.ref();
    const timer = setTimeout(() => server.kill(), endMs);
    await this.#opened;
    if (server.connected) server.disconnect();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    clearTimeout(timer);
  }
}

/** The first message of the page's process. */
interface PageMessage {
  readonly address: string;
  /** Leads to the page once. */
  readonly once: string;
}

const isPageMessage = (message: unknown): message is PageMessage =>
  typeof message === 'object' &&
  message !== null &&
  'address' in message &&
  typeof message.address === 'string' &&
  'once' in message &&
  typeof message.once === 'string';
