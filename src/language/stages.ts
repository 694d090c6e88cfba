// Divides the steps into stages: once at the start, per item, and after all items.
import { type Diagnostic, errorAt } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Step } from './pipeline.ts';

interface Stages {
  /** Shared steps that wait for no item. */
  readonly once: readonly Step[];
  /** The steps of each item. */
  readonly perItem: readonly Step[];
  /**
   * Shared steps that start after all items: deletes of what items use, and the steps that wait for
   * them.
   */
  readonly afterItems: readonly Step[];
}

export function stagesOf(steps: readonly Step[]): Stages {
  const perItem = steps.filter(({ shared }) => !shared);
  const late = new Set<string>(perItem.map(({ name }) => name));
  const [once, afterItems]: [Step[], Step[]] = [[], []];
  for (const step of steps) {
    if (!step.shared) continue;
    if (step.after.some((before) => late.has(before))) {
      late.add(step.name);
      afterItems.push(step);
    } else once.push(step);
  }
  return { once, perItem, afterItems };
}

/** Finds steps of an item that wait for a step that waits for all items. */
export function checkStages(steps: readonly Step[], source: Source): readonly Diagnostic[] {
  const { perItem, afterItems } = stagesOf(steps);
  const late = new Map(afterItems.map((step) => [step.name, step]));
  return perItem.flatMap((step): Diagnostic[] => {
    const before = step.after.flatMap((name) => late.get(name) ?? [])[0];
    if (before === undefined) return [];
    const message = `step "${step.name}" waits for "${before.name}", which waits for every item to finish: neither can start`;
    const span = source.keySpanOf(['steps', step.name]);
    return [errorAt(source.file, span, { code: 'SL214', message, hint: hintFor(step, before) })];
  });
}

function hintFor({ kind, uses, of }: Step, before: Step): string {
  if (kind.operation === 'delete' && of !== undefined && before.gathers.includes(of))
    return `remove this step: ${before.name} needs the projects of ${of} of all items`;
  return uses.includes(before.name)
    ? `use ${before.name} only in steps that refer to no item`
    : `remove ${before.name} from its needs`;
}
