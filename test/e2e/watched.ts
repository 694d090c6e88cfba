// A watch in this process: real files, a real local service, and everything that it reported.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/ports.ts';
import type { LocalService } from '../../src/service/start.ts';
import {
  type Watched,
  type WatchInternals,
  type WatchOptions,
  watchWith,
} from '../../src/triggers/watch/watch.ts';
import type { WatchEvent } from '../../src/views/trigger-events.ts';
import { photo } from '../photo.ts';
import { envOf, Rig, until } from '../rig.ts';

/** Five credits for each photo. */
export const cutPipeline = `pipeline: cut
items: { glob: "photos/**/*.png" }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut:
    uses: image-background-remover
    with: { name: "\${{ item.key }}", assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: cut, to: "\${{ item.dir }}/\${{ item.stem }}.png" } }
`;

/** A photo that no other number has. */
export async function picture(number: number): Promise<Buffer> {
  return Buffer.concat([await photo(number % 7), Buffer.from(`#${number}`)]);
}

export async function drop(rig: Rig, name: string, number: number): Promise<void> {
  mkdirSync(dirname(rig.path(name)), { recursive: true });
  writeFileSync(rig.path(name), await picture(number));
}

export class WatchedRig extends Rig {
  readonly service: LocalService;

  constructor(service: LocalService, pipeline = cutPipeline) {
    super(pipeline);
    this.service = service;
    mkdirSync(this.path('photos'));
  }

  append(name: string, bytes: Buffer): void {
    appendFileSync(this.path(name), bytes);
  }

  watch(options: WatchOptions = {}, internals: WatchInternals = {}): Watching {
    const watching = new Watching(this, options, internals);
    onTestFinished(() => watching.stop().then(() => undefined));
    return watching;
  }
}

export class Watching {
  readonly events: WatchEvent[] = [];
  readonly #stopper = new AbortController();
  readonly #end: Promise<Watched>;

  constructor(rig: WatchedRig, options: WatchOptions, internals: WatchInternals) {
    const run = { backoffMs: 1, speedFactor: 100, ...internals.run };
    this.#end = watchWith(
      rig.file,
      {
        ...{ settleMs: 60, env: envOf(rig.service), signal: this.#stopper.signal },
        onEvent: (event) => void this.events.push(event),
        ...options,
      },
      { ...internals, run },
    );
  }

  get end(): Promise<Watched> {
    return this.#end;
  }

  async stop(): Promise<Watched> {
    this.#stopper.abort();
    return await this.#end;
  }

  of<T extends WatchEvent['type']>(type: T): readonly Extract<WatchEvent, { type: T }>[] {
    return this.events.filter(
      (event): event is Extract<WatchEvent, { type: T }> => event.type === type,
    );
  }

  async until(what: string, check: () => boolean): Promise<void> {
    await until(`${what}: ${JSON.stringify(this.events.slice(-3))}`, check);
  }

  async ran(times: number): Promise<void> {
    await this.until(`${times} runs ended`, () => this.of('ran').length >= times);
  }

  /** How many items ended well, over all runs, with something done. */
  get finished(): number {
    return this.of('run').filter(({ event }) => event.type === 'item' && event.ok && event.changed)
      .length;
  }
}

/** Time goes by when the test says so; sleepers wake then. */
export class HandClock implements Clock {
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  readonly #began = Date.now();
  #elapsed = 0;
  /** How often anybody went to sleep. */
  sleeps = 0;

  now(): number {
    return this.#began + this.#elapsed;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  chance(): number {
    return 0.5;
  }

  async sleep(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
    if (signals.some(({ aborted }) => aborted)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper = { until: this.#elapsed + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    for (const signal of signals) signal.addEventListener('abort', () => resolve(), { once: true });
    this.sleeps += 1;
    await promise;
    this.#sleepers.delete(sleeper);
  }

  pass(ms: number): void {
    this.#elapsed += ms;
    for (const { until, wake } of this.#sleepers) if (until <= this.#elapsed) wake();
  }

  /** Time passes in small steps until it is so. */
  async passUntil(what: string, check: () => boolean, stepMs = 50): Promise<void> {
    await until(what, () => {
      if (check()) return true;
      this.pass(stepMs);
      return false;
    });
  }
}
