// A pipeline that is ticked by a clock that only the test moves: the local service and the ticks share its time.

import type { Clock, MediaApi } from '../src/core/ports.ts';
import { longestWait } from '../src/core/timeout.ts';
import type { Ran, RunInternals, RunOptions } from '../src/features/run/run.ts';
import { loadPipeline } from '../src/language/load/load.ts';
import type { LocalService } from '../src/service/start.ts';
import { tickWith } from '../src/triggers/tick/tick.ts';
import { ownReceipts } from './rig.ts';
import type { Clockwork } from './service/clockwork.ts';

/** A look at a project. */
export interface Look {
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly status: string;
}

export class Ticking {
  readonly #clockwork: Clockwork;
  readonly #service: LocalService;
  readonly #speedFactor: number;
  readonly looks: Look[] = [];
  /** When each project was created, and by which tool. */
  readonly created = new Map<string, { readonly tool: string; readonly at: number }>();
  /** The most projects in progress at once, as the service had them. */
  mostAtOnce = 0;

  constructor(service: LocalService, clockwork: Clockwork, speedFactor = 1) {
    this.#service = service;
    this.#clockwork = clockwork;
    this.#speedFactor = speedFactor;
  }

  /** The number of requests that the service has received. */
  get requests(): number {
    return Object.values(this.#service.requests()).reduce((sum, times) => sum + times, 0);
  }

  /** Ticks a pipeline file. */
  async tick(file: string, options: RunOptions = {}, internals: RunInternals = {}): Promise<Ran> {
    const loaded = await loadPipeline(file);
    const { address, key } = this.#service;
    const ran = await tickWith(
      loaded,
      {
        clock: clockOf(this.#clockwork),
        env: { ...ownReceipts(), SHOTLIST_BASE_URL: address, SHOTLIST_API_KEY: key },
        ...options,
      },
      {
        ...{ backoffMs: 1, speedFactor: this.#speedFactor },
        api: (api) => this.#watched(api),
        ...internals,
      },
    );
    return ran;
  }

  #watched(api: MediaApi): MediaApi {
    const { now } = this.#clockwork;
    return {
      ...api,
      create: async (tool, body, known) => {
        const made = await api.create(tool, body, known);
        if (made.ok) this.created.set(made.value.id, { tool, at: now() });
        this.mostAtOnce = Math.max(this.mostAtOnce, this.#inProgress().length);
        return made;
      },
      project: async (record, id) => {
        const read = await api.project(record, id);
        const status = read.ok ? read.value.status : read.error.reason;
        this.looks.push({ project: id, at: now(), status });
        return read;
      },
    };
  }

  /** Created, not seen to be over, and not given up as overdue: a project that hangs must not stop the others. */
  #inProgress(): readonly string[] {
    const over = new Set(
      this.looks
        .filter(({ status }) => status === 'complete' || status === 'error')
        .map(({ project }) => project),
    );
    const now = this.#clockwork.now();
    return [...this.created]
      .filter(([id, { tool, at }]) => !over.has(id) && now - at < longestWait(tool, []))
      .map(([id]) => id);
  }
}

/** Short waits let time pass; a long one lasts until nobody is interested in it any more. */
export function clockOf(clockwork: Clockwork): Clock {
  const began = clockwork.now();
  return {
    now: clockwork.now,
    elapsed: () => clockwork.now() - began,
    chance: Math.random,
    async sleep(ms, signal) {
      if (signal.aborted) return;
      if (ms < 10_000) return clockwork.pass(Math.ceil(ms));
      await new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      );
    },
  };
}
