// The flags that a saved plan repeats, and those that a person gives again, because they allow something.
import type { SavedPlan } from '../operations/planning/saved-plan.ts';
import type { PipelineFlags } from './options.ts';

type SavedChoices = SavedPlan['header']['choices'];

export function choicesOf(flags: PipelineFlags & { readonly budget?: number }): SavedChoices {
  const { profile, items, limit, only, until, exclude, retryFailed, requireOutputs } = flags;
  const { rehearse, budget } = flags;
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(items === undefined ? {} : { items }),
    ...(limit === undefined ? {} : { limit }),
    ...(only === undefined ? {} : { only }),
    ...(until === undefined ? {} : { until }),
    ...(exclude === undefined ? {} : { exclude }),
    ...(retryFailed === undefined ? {} : { retryFailed }),
    ...(requireOutputs === undefined ? {} : { requireOutputs }),
    ...(rehearse === undefined ? {} : { rehearse }),
    ...(budget === undefined ? {} : { budget }),
  };
}

/** The flags that choose something else than the plan did. The budget may be given again: the smaller one counts. */
export function repeated(flags: PipelineFlags): readonly string[] {
  const { budget: _, rehearse: __, ...chosen } = choicesOf(flags);
  return Object.keys(chosen).map(
    (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
}
