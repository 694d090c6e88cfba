// Whether this process is ready to do work: the service accepts the key, the state files can be written, the database of a
// distributed run is there, and the process was not asked to stop.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemProblem, systemCode } from '../../../contract/files/system-error.ts';
import type { RequestFacts } from '../../report/request-watch.ts';
import type { RunEvent } from '../../report/run-event.ts';
import type { RefusalReason } from '../../report/run-watch.ts';

export class Readiness {
  readonly #stop: AbortSignal | undefined;
  readonly #states = new Set<string>();
  #began = false;
  #keyRefused = false;
  #databaseAway = false;
  /** The last run could not begin or go on. */
  #failure: 'system' | 'unreachable' | undefined;

  /** `stop`: aborted when the process is asked to stop. */
  constructor(stop: AbortSignal | undefined) {
    this.#stop = stop;
  }

  /** The process is set up, and waits for work on these state files. */
  opened(states: readonly string[]): void {
    this.#began = true;
    for (const state of states) this.#states.add(state);
  }

  runBegins(state: string): void {
    this.#states.add(state);
  }

  event(event: RunEvent): void {
    if (event.type === 'planned') {
      this.#began = true;
      this.#failure = undefined;
    }
    if (event.type === 'account') this.#keyRefused = false;
    if (event.type === 'ended' && event.summary.outcome === 'unauthorized') this.#keyRefused = true;
  }

  request({ route, status }: RequestFacts): void {
    // Storage does not see the key.
    if (route === 'upload' || route === 'download') return;
    if (status === '401') this.#keyRefused = true;
    if (status === '2xx') this.#keyRefused = false;
  }

  databaseAway(isAway: boolean): void {
    this.#databaseAway = isAway;
  }

  refused(reason: RefusalReason): void {
    if (reason === 'system' || reason === 'unreachable') this.#failure = reason;
  }

  /** Why the process is not ready, without paths; empty if it is. */
  async reasons(): Promise<readonly string[]> {
    const writable = await Promise.all([...this.#states].map(isWritable));
    return [
      ...(this.#began ? [] : ['no run has been prepared yet']),
      ...(this.#stop?.aborted === true ? ['the process is stopping'] : []),
      ...(this.#keyRefused ? ['the service refused the API key'] : []),
      ...(this.#databaseAway ? ['the database is away'] : []),
      ...(this.#failure === 'unreachable' ? ['the service cannot be reached'] : []),
      ...(this.#failure === 'system' ? ['this machine stopped the last run'] : []),
      ...(writable.every((good) => good) ? [] : ['a state file cannot be written']),
    ];
  }
}

async function isWritable(state: string): Promise<boolean> {
  try {
    await access(dirname(state), constants.W_OK);
    await access(state, constants.W_OK);
    return true;
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    // Without a state file, the first run makes the folder too.
    return systemCode(error) === 'ENOENT';
  }
}
