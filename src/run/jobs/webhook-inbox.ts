// The webhook inbox: connects the service's events with the jobs that wait for them, and keeps early events. An event
// about an attempt whose outcome is not on disk yet is not accepted, so the service sends it again.
import type { Project, RecordKind } from '../../contract/api/project.ts';
import { aborted } from '../../core/retry.ts';

export interface WebhookInboxOptions {
  /** How long a creation without an answer waits for an event that names it, in milliseconds. */
  readonly patienceMs: number;
  /** When the receiver began to listen, by the monotonic clock, in milliseconds. */
  readonly since: number;
}

/** A creation whose outcome is not on disk yet. */
interface Attempt {
  readonly record: RecordKind;
  /** Resolves with the first record from an event about this attempt, and keeps it for later callers. */
  readonly told: PromiseWithResolvers<Project>;
  readonly known: PromiseWithResolvers<void>;
  /** The same record, for synchronous access. */
  first?: Project;
  /** True if an event has said that the project is over. */
  isOver?: boolean;
  listeners: number;
}

export class WebhookInbox {
  readonly patienceMs: number;
  /** How long attempts of earlier runs are waited for, all at the same time. By the monotonic clock. */
  readonly patientUntil: number;
  readonly #attempts = new Map<string, Attempt>();
  readonly #endSignals = new Map<string, AbortController>();
  #isTrusted = true;

  constructor({ patienceMs, since }: WebhookInboxOptions) {
    this.patienceMs = patienceMs;
    this.patientUntil = since + patienceMs;
  }

  /** From now on, events that name this attempt are kept, and not answered until its outcome is `known`. */
  expect(name: string, record: RecordKind): void {
    this.#attempts.set(name, {
      record,
      told: Promise.withResolvers(),
      known: Promise.withResolvers(),
      listeners: 0,
    });
  }

  /** The record of an attempt from an event, past or future; undefined if the signal was aborted first. */
  async waitFor(name: string, enough: AbortSignal): Promise<Project | undefined> {
    const attempt = this.#attempts.get(name);
    if (attempt === undefined) return undefined;
    attempt.listeners += 1;
    const told = await Promise.race([attempt.told.promise, aborted(enough)]);
    attempt.listeners -= 1;
    return told;
  }

  /** The record of an attempt, if an event has already brought it. */
  told(name: string): Project | undefined {
    return this.#attempts.get(name)?.first;
  }

  /** Call when the outcome of an attempt is on disk: events that name it may then be answered. */
  known(name: string): void {
    this.#attempts.get(name)?.known.resolve();
    this.#attempts.delete(name);
  }

  /** False if the last end of a project that was learned came from a look: the service's events do not arrive. */
  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Call when a project is over and no event has said so. */
  missed(): void {
    this.#isTrusted = false;
  }

  /**
   * A signal that the next event about the end of a project aborts. There is one for each project; a new one replaces
   * the old. `name`: of the attempt, until its outcome is `known`; an event may have come before the answer that names the project.
   */
  endSignalOf(project: string, name?: string): AbortSignal {
    const endSignal = new AbortController();
    this.#endSignals.set(project, endSignal);
    if (name !== undefined && this.#attempts.get(name)?.isOver === true) endSignal.abort();
    return endSignal.signal;
  }

  /** The signal that somebody has asked for before. */
  knownEndSignalOf(project: string): AbortSignal | undefined {
    return this.#endSignals.get(project)?.signal;
  }

  /** Call when the wait for a project is over. */
  forgetEndSignal(project: string): void {
    this.#endSignals.delete(project);
  }

  /**
   * Accepts an event. False: the service must send it again, because its content is not on disk yet. Waits for the disk
   * only while a job is about to write the outcome, and until the signal is aborted.
   */
  async deliver(record: RecordKind, project: Project, enough: AbortSignal): Promise<boolean> {
    const isOver = project.status !== 'queued' && project.status !== 'rendering';
    if (isOver) {
      this.#endSignals.get(project.id)?.abort();
      this.#isTrusted = true;
    }
    const attempt = this.#attempts.get(project.name ?? '');
    if (attempt === undefined || attempt.record !== record) return true;
    attempt.isOver ||= isOver;
    attempt.first ??= project;
    attempt.told.resolve(project);
    if (attempt.listeners === 0) return false;
    const onDisk = attempt.known.promise.then(() => true);
    return (await Promise.race([onDisk, aborted(enough)])) ?? false;
  }
}
