// News of projects, as the service's events bring it: who waits for what, and what came before anybody waited.
// An event about an attempt whose outcome is not on disk yet is left with the service, which sends it again.
import type { Project, RecordKind } from '../../../contract/api/project.ts';

export interface WebhookInboxOptions {
  /** How long a creation without an answer waits for an event that names it, in milliseconds. */
  readonly patienceMs: number;
  /** When the receiver began to listen, by the monotonic clock, in milliseconds. */
  readonly since: number;
}

/** A creation whose outcome is not on disk yet. */
interface Attempt {
  readonly record: RecordKind;
  /** The first record that an event brought of it, kept for whoever asks later. */
  readonly told: PromiseWithResolvers<Project>;
  readonly known: PromiseWithResolvers<void>;
  /** The same record, at hand. */
  first?: Project;
  listeners: number;
}

export class WebhookInbox {
  readonly patienceMs: number;
  /** Until when attempts of earlier runs are waited for: all of them at the same time. By the monotonic clock. */
  readonly patientUntil: number;
  readonly #attempts = new Map<string, Attempt>();
  readonly #bells = new Map<string, AbortController>();

  constructor({ patienceMs, since }: WebhookInboxOptions) {
    this.patienceMs = patienceMs;
    this.patientUntil = since + patienceMs;
  }

  /** From now on events that name this attempt are kept, and not answered, until its outcome is `known`. */
  expect(name: string, record: RecordKind): void {
    this.#attempts.set(name, {
      record,
      told: Promise.withResolvers(),
      known: Promise.withResolvers(),
      listeners: 0,
    });
  }

  /** The record that an event brings, or brought, of an attempt; undefined: the signal was aborted first. */
  async waitFor(name: string, enough: AbortSignal): Promise<Project | undefined> {
    const attempt = this.#attempts.get(name);
    if (attempt === undefined) return undefined;
    attempt.listeners += 1;
    const told = await Promise.race([attempt.told.promise, aborted(enough)]);
    attempt.listeners -= 1;
    return told;
  }

  /** The record that an event has brought of an attempt already. */
  told(name: string): Project | undefined {
    return this.#attempts.get(name)?.first;
  }

  /** What became of an attempt is on disk: events that name it may be answered. */
  known(name: string): void {
    this.#attempts.get(name)?.known.resolve();
    this.#attempts.delete(name);
  }

  /** Aborted by the next event that says a project is over. One bell a project; a new one replaces the old. */
  wake(project: string): AbortSignal {
    const bell = new AbortController();
    this.#bells.set(project, bell);
    return bell.signal;
  }

  /** Nobody waits for the project any more. */
  unwake(project: string): void {
    this.#bells.delete(project);
  }

  /**
   * Takes what an event brought. False: it must come again, since what it says is not on disk yet.
   * It waits for the disk only while somebody is about to write it, and until the signal is aborted.
   */
  async deliver(record: RecordKind, project: Project, enough: AbortSignal): Promise<boolean> {
    if (project.status !== 'queued' && project.status !== 'rendering')
      this.#bells.get(project.id)?.abort();
    const attempt = this.#attempts.get(project.name ?? '');
    if (attempt === undefined || attempt.record !== record) return true;
    attempt.first ??= project;
    attempt.told.resolve(project);
    if (attempt.listeners === 0) return false;
    const onDisk = attempt.known.promise.then(() => true);
    return (await Promise.race([onDisk, aborted(enough)])) ?? false;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
