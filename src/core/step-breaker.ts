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
  readonly #counts = new Map<string, number>();
  readonly #taken = new Set<string>();

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** The service accepted a creation of this step, so its requests are valid in general. */
  taken(step: Step): void {
    this.#taken.add(step.name);
  }

  /** The service refuses this step in general. */
  refuse(step: Step, why: string): void {
    this.#refused.set(step.name, why);
  }

  /** Counts the failed creation of one item. If its request was refused, the request itself may be at fault. */
  count(
    step: Step,
    { code = '', why }: { readonly code?: string | undefined; readonly why: string },
  ): void {
    if (!refusalCodes.has(code) || this.#taken.has(step.name) || this.#refused.has(step.name))
      return;
    const counted = (this.#counts.get(step.name) ?? 0) + 1;
    this.#counts.set(step.name, counted);
    if (counted === maxRefusals)
      this.refuse(
        step,
        `refused for the first ${maxRefusals} items, so it is not tried for the others: ${why}`,
      );
  }

  /** Why a step's creation must not be sent; undefined if it may be sent. */
  against(step: Step): { readonly why: string; readonly own: boolean } | undefined {
    const own = this.#refused.get(step.name);
    if (own !== undefined) return { why: own, own: true };
    const user = this.#pointlessUser(step, new Set());
    if (user === undefined) return undefined;
    return { why: `only ${user} would use it, which the service refuses`, own: false };
  }

  /** A refused step that uses everything made from this one; undefined if another step uses it too. */
  #pointlessUser(step: Step, seen: Set<string>): string | undefined {
    if (this.#refused.size === 0 || seen.has(step.name)) return undefined;
    seen.add(step.name);
    const users = this.#steps.filter(
      ({ kind, uses }) => kind.operation !== 'delete' && uses.includes(step.name),
    );
    let found: string | undefined;
    for (const user of users) {
      const refused = this.#refused.has(user.name) ? user.name : this.#pointlessUser(user, seen);
      if (refused === undefined) return undefined;
      found = refused;
    }
    return found;
  }
}
