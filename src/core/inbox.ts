// The service's events, for those who wait for them. An event makes a look earlier; one that names an attempt whose answer was lost is
// the answer. Such an event is accepted only when its outcome is on disk: the service sends an accepted event never again.
import type { Project } from '../contract/api/project.ts';
import type { Clock } from './ports.ts';

/** An attempt whose outcome is not on disk yet. */
export interface Expected {
  /** Aborted when an event names the attempt: the answer to its creation need not be waited for. */
  readonly known: AbortSignal;
  /** The first record that an event brings, past or future; undefined if none comes in time. */
  outcome(): Promise<Project | undefined>;
  /** Call when the outcome is on disk. */
  over(): void;
}

interface Attempt {
  readonly known: AbortController;
  readonly told: PromiseWithResolvers<Project>;
  readonly onDisk: PromiseWithResolvers<true>;
  /** False: nobody will write what an event says. */
  isAwaited: boolean;
}

/** Ended projects that nobody has asked for so far. */
const maxEnded = 10_000;

export class Inbox {
  readonly #clock: Clock;
  /** If it is aborted, all waits end. */
  readonly #signal: AbortSignal;
  /** How long the outcome of a lost answer is waited for, in milliseconds. */
  readonly #patienceMs: number;
  readonly #attempts = new Map<string, Attempt>();
  readonly #looks = new Map<string, PromiseWithResolvers<void>>();
  readonly #ended = new Set<string>();

  constructor(clock: Clock, signal: AbortSignal, patienceMs: number) {
    this.#clock = clock;
    this.#signal = signal;
    this.#patienceMs = patienceMs;
  }

  /** Call before a creation is sent under this name. */
  expect(name: string): Expected {
    return this.#expect(name, () => this.#patienceMs, true);
  }

  /**
   * The same for a creation of an earlier run, whose answer is lost: the time for all of these runs from now on. Until somebody asks
   * for its outcome, events about it stay with the service.
   */
  expectLost(name: string): Expected {
    const until = this.#clock.elapsed() + this.#patienceMs;
    return this.#expect(name, () => Math.max(0, until - this.#clock.elapsed()), false);
  }

  #expect(name: string, patience: () => number, isAwaited: boolean): Expected {
    const attempt: Attempt = {
      known: new AbortController(),
      told: Promise.withResolvers(),
      onDisk: Promise.withResolvers(),
      isAwaited,
    };
    this.#attempts.set(name, attempt);
    return {
      known: attempt.known.signal,
      outcome: async () => {
        attempt.isAwaited = true;
        const done = new AbortController();
        const late = this.#clock.sleep(patience(), this.#signal, done.signal);
        const told = await Promise.race([attempt.told.promise, late.then(() => undefined)]);
        done.abort();
        attempt.isAwaited = told !== undefined;
        return told;
      },
      over: () => {
        this.#attempts.delete(name);
        attempt.onDisk.resolve(true);
      },
    };
  }

  /** Resolves when an event says that the project is over; at once if one has said so since the last call. */
  async look(project: string): Promise<void> {
    if (this.#ended.delete(project)) return;
    const look = this.#looks.get(project) ?? Promise.withResolvers<void>();
    this.#looks.set(project, look);
    await look.promise;
  }

  /** False: the service must send the event again. Waits for the disk until `enough` is aborted. */
  async receive(project: Project, enough: AbortSignal): Promise<boolean> {
    if (project.status !== 'queued' && project.status !== 'rendering') this.#end(project.id);
    const attempt = this.#attempts.get(project.name ?? '');
    if (attempt === undefined) return true;
    attempt.told.resolve(project);
    attempt.known.abort();
    if (!attempt.isAwaited || enough.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<false>();
    enough.addEventListener('abort', () => resolve(false), { once: true });
    return await Promise.race([attempt.onDisk.promise, promise]);
  }

  #end(project: string): void {
    const look = this.#looks.get(project);
    this.#looks.delete(project);
    if (look !== undefined) return look.resolve();
    this.#ended.add(project);
    const [oldest = ''] = this.#ended;
    if (this.#ended.size > maxEnded) this.#ended.delete(oldest);
  }
}
