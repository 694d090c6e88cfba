// Whether a step is to be, by its `if:`.
import { err, ok, type Result } from '../base/result.ts';
import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import type { TemplateError } from '../language/template.ts';

/** False if the step is skipped. */
export function conditionHolds(step: Step, scope: Scope): Result<boolean, TemplateError> {
  const { condition } = step;
  if (condition === undefined) return ok(true);
  const value = condition.evaluate(scope);
  const path = ['steps', step.name, 'if'];
  const { text, references } = condition;
  if (!value.ok) return err({ path, text, references, ...value.error });
  if (typeof value.value === 'boolean') return ok(value.value);
  return err({
    code: 'SL311',
    path,
    text: condition.text,
    message: `if: must be true or false, not ${JSON.stringify(value.value)}`,
    start: 0,
    end: condition.text.length,
  });
}
