// Three paths exist in two forms (facts.md), and a deployment may serve only one of them. The short form is tried first
// and the long form after a 404. From then on, the form that answered is tried first.
import type { ApiFailure } from '../../../contract/api/failure.ts';
import type { TwoForms } from '../../../contract/api/routes.ts';
import type { Result } from '../../../contract/base/result.ts';

type FormAnswer = Result<unknown, ApiFailure>;
type Form = 'path' | 'alternate';

const otherThan = (form: Form): Form => (form === 'path' ? 'alternate' : 'path');

/** For one base address. */
export class PathForms {
  /** The form in which each route has answered. */
  readonly #settled = new Map<string, Form>();
  /** The form in which the first of the routes answered: deployments rarely mix them. */
  #usual: Form | undefined;
  /** The very first request. The others wait for it, so that they do not all run into the same 404. */
  #first: Promise<FormAnswer> | undefined;

  async ask(route: TwoForms, send: (path: string) => Promise<FormAnswer>): Promise<FormAnswer> {
    if (this.#first !== undefined) {
      // The result does not matter here: only the first request is waited for.
      await this.#first;
      return await this.#askNow(route, send);
    }
    this.#first = this.#askNow(route, send);
    return await this.#first;
  }

  async #askNow(route: TwoForms, send: (path: string) => Promise<FormAnswer>): Promise<FormAnswer> {
    const form = this.#settled.get(route.name) ?? this.#usual ?? 'path';
    const answer = await send(route[form]);
    if (answer.ok) this.#settle(route, form);
    // If this form has answered before or meanwhile, the 404 is about the requested record.
    if (!isNotFound(answer) || this.#settled.get(route.name) === form) return answer;
    const other = otherThan(form);
    const second = await send(route[other]);
    if (second.ok) this.#settle(route, other);
    return second;
  }

  #settle(route: TwoForms, form: Form): void {
    this.#settled.set(route.name, form);
    this.#usual ??= form;
  }
}

const isNotFound = (answer: FormAnswer): boolean =>
  !answer.ok && answer.error.reason === 'not-found';
