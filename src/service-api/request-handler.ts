// Handles one request, sent once. Built on undici's dispatch, because only its handler learns whether a request was
// sent, and because every layer above it costs a small request more than its bytes do.
import { type Agent, type Dispatcher, errors } from 'undici';
import { GivenUp } from './given-up.ts';
import type { OpenRequest, OpenRequests } from './open-requests.ts';

/** Of 1xx: a service that sends more would send them without end. */
const maxInterimAnswers = 20;

export type Headers = Dispatcher.ResponseData['headers'];

export abstract class RequestHandler implements Dispatcher.DispatchHandler, OpenRequest {
  readonly #open: OpenRequests;
  #controller: Dispatcher.DispatchController | undefined;
  #interim = 0;
  #over = false;

  constructor(open: OpenRequests) {
    this.#open = open;
  }

  /** Asked right before the first byte is sent: why the request is not sent. */
  protected abstract starts(): GivenUp | undefined;
  protected abstract answers(status: number, headers: Headers): void;
  protected abstract receives(chunk: Buffer): void;
  /** The answer is complete. Nothing happens after this or after `fails`. */
  protected abstract completes(): void;
  /** `sent` is false if certainly no byte of the request was sent. */
  protected abstract fails(error: unknown, sent: boolean): void;
  abstract look(now: number): void;

  dispatch(agent: Agent, options: Dispatcher.DispatchOptions): void {
    if (this.#open.areCut) return this.stop();
    this.#open.add(this);
    agent.dispatch(options, this);
  }

  /** True if the answer is complete or has failed. */
  protected get isOver(): boolean {
    return this.#over;
  }

  /** Lets the sender wait, or go on. */
  protected hold(wait: boolean): void {
    if (wait) this.#controller?.pause();
    else this.#controller?.resume();
  }

  protected giveUp(error: Error): void {
    this.#fail(error);
    this.#controller?.abort(error);
  }

  stop(): void {
    this.giveUp(new GivenUp('stopped', 'the run stopped waiting for it'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const refused = this.#over ? undefined : this.starts();
    if (refused !== undefined) this.#fail(refused);
    // Given up, perhaps while it waited for a connection, so it is never sent.
    if (this.#over) controller.abort(new errors.RequestAbortedError());
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status >= 200) this.answers(status, headers);
    else if (++this.#interim > maxInterimAnswers)
      this.giveUp(new GivenUp('odd', 'only interim answers came'));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#over) this.receives(chunk);
  }

  onResponseEnd(): void {
    if (this.#ends()) this.completes();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#ends()) this.fails(error, this.#controller !== undefined);
  }

  /** False if it was over before. */
  #ends(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#open.remove(this);
    return true;
  }
}
