// The step breaker: counts refusals that are not the fault of a single item, because the account's plan lacks the tool
// or the service refuses such requests from everyone. The step is then not tried again in this run, and nothing is
// bought that only this step would use.
import type { Step } from '../language/pipeline.ts';

/** After this many refused items and no accepted one, the request is at fault, not the items. */
const maxRefusals = 3;

/** 400, 422 and similar; also 404, for a path that the service does not have. */
const refusalCodes: ReadonlySet<string> = new Set(['refused', 'not-found', 'expired']);

export class StepBreaker {
  readonly #steps: readonly Step[];
  readonly #refused = new Map<string, string>();
  /** Refusals by step, until the service takes a creation of it: then its requests are valid in general. */
  readonly #counts = new Map<string, number>();

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  taken({ name }: Step): void {
    this.#counts.set(name, Number.NaN);
  }

  /** The service refuses this step in general. */
  refuse({ name }: Step, why: string): void {
    this.#refused.set(name, why);
  }

  /** Counts the failed creation of one item. If its request was refused, the request itself may be at fault. */
  count(step: Step, code: string | undefined, why: string): void {
    if (!refusalCodes.has(code ?? '')) return;
    const counted = (this.#counts.get(step.name) ?? 0) + 1;
    this.#counts.set(step.name, counted);
    const said = `refused for the first ${maxRefusals} items, so it is not tried for the others: ${why}`;
    if (counted === maxRefusals) this.refuse(step, said);
  }

  /** Why a step's creation must not be sent; undefined if it may be sent. */
  against(step: Step): { readonly why: string; readonly own: boolean } | undefined {
    const own = this.#refused.get(step.name);
    if (own !== undefined) return { why: own, own: true };
    const user = this.#refused.size === 0 ? undefined : this.#pointlessUser(step);
    if (user === undefined) return undefined;
    return { why: `only ${user} would use it, which the service refuses`, own: false };
  }

  /** A refused step that uses everything made from this one; undefined if another step uses it too. */
  #pointlessUser({ name }: Step): string | undefined {
    const users = this.#steps.filter(
      ({ kind, uses }) => kind.operation !== 'delete' && uses.includes(name),
    );
    const refused = users.map((user) =>
      this.#refused.has(user.name) ? user.name : this.#pointlessUser(user),
    );
    return refused.includes(undefined) ? undefined : refused.at(-1);
  }
}
