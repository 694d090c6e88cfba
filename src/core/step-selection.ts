// Selection: the steps that a run excludes (`--only`, `--until`, `--exclude`). An excluded step is reused if it is
// done, and never started.
import { err, ok, type Result } from '../base/result.ts';
import { suggestion } from '../contract/yaml/diagnostic.ts';
import type { Step } from '../language/pipeline.ts';

export interface StepSelection {
  /** Only these steps, and the free steps that they need. */
  readonly only?: readonly string[] | undefined;
  /** Only these steps, and all steps that they need. */
  readonly until?: readonly string[] | undefined;
  /** All steps except these. */
  readonly exclude?: readonly string[] | undefined;
}

/** The names of the excluded steps. Error: a name that no step has. */
export function stepsExcludedBy(
  steps: readonly Step[],
  { only = [], until = [], exclude = [] }: StepSelection,
): Result<ReadonlySet<string>, string> {
  const names = steps.map(({ name }) => name);
  for (const [flag, given] of Object.entries({ only, until, exclude }))
    for (const name of given)
      if (!names.includes(name))
        return err(
          `--${flag} ${name}: there is no such step; ${suggestion(name, names) ?? `steps: ${names.join(', ')}`}`,
        );
  const kept = new Set<string>();
  const byName = new Map(steps.map((step) => [step.name, step]));
  const keep = (name: string, through: (step: Step) => boolean): void => {
    const step = byName.get(name);
    if (step === undefined || kept.has(name)) return;
    kept.add(name);
    for (const before of step.after) {
      const earlier = byName.get(before);
      if (earlier !== undefined && through(earlier)) keep(before, through);
    }
  };
  for (const name of only) keep(name, isFree);
  for (const name of until) keep(name, () => true);
  const all = only.length === 0 && until.length === 0;
  return ok(new Set(names.filter((name) => exclude.includes(name) || !(all || kept.has(name)))));
}

/** Uploads and face detections, which cost nothing and are inputs of other steps. */
const isFree = ({ kind }: Step): boolean =>
  kind.operation === 'upload' || kind.operation === 'detect';
