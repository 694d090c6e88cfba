// Who still uses a project: a delete waits for every task of an item in progress that uses it. Tasks with the same content
// share the project.
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import type { ItemRun } from './item-run.ts';

export class ProjectUsers {
  /** The items in progress. */
  readonly #itemRuns: ReadonlySet<ItemRun>;
  /** The items in progress that have a project, by its fingerprint, and the other way round. */
  readonly #having = new Map<Fingerprint, Set<ItemRun>>();
  readonly #projects = new Map<ItemRun, Set<Fingerprint>>();
  /** Projects of the shared steps, which any item may use. */
  readonly #shared = new Set<Fingerprint>();

  constructor(itemRuns: ReadonlySet<ItemRun>) {
    this.#itemRuns = itemRuns;
  }

  /** Call when a step has its outputs: others may use its project from now on. */
  add({ root, isShared }: ItemRun, step: Step, fingerprint: Fingerprint): void {
    if (step.kind.operation !== 'create') return;
    if (isShared) {
      this.#shared.add(fingerprint);
      return;
    }
    const having = this.#having.get(fingerprint);
    if (having === undefined) this.#having.set(fingerprint, new Set([root]));
    else having.add(root);
    const projects = this.#projects.get(root);
    if (projects === undefined) this.#projects.set(root, new Set([fingerprint]));
    else projects.add(fingerprint);
  }

  /** True if the item has paid for something. */
  hasProject({ root }: ItemRun): boolean {
    return this.#projects.has(root);
  }

  /** True if another task still uses the project that a delete would remove. */
  isStillUsed({ root }: ItemRun, step: Step, fingerprint: Fingerprint): boolean {
    if (step.kind.operation !== 'delete') return false;
    if (root.stillUses(fingerprint, step)) return true;
    const others = this.#shared.has(fingerprint)
      ? this.#itemRuns
      : (this.#having.get(fingerprint) ?? []);
    for (const other of others) if (other.stillUses(fingerprint, step)) return true;
    return false;
  }

  /** Call when an item is over. */
  over(itemRun: ItemRun): void {
    for (const fingerprint of this.#projects.get(itemRun) ?? []) {
      const having = this.#having.get(fingerprint);
      having?.delete(itemRun);
      if (having?.size === 0) this.#having.delete(fingerprint);
    }
    this.#projects.delete(itemRun);
  }
}
