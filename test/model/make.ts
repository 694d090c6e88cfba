// Steps and names for these tests, made the real way: from a pipeline text.
import type { JsonObject } from '../../src/base/json.ts';
import { type Scope, toCel } from '../../src/language/expression.ts';
import type { Step } from '../../src/language/pipeline.ts';
import { validate } from '../../src/language/validate.ts';

/** The step named `it` of a pipeline whose items have the fields of `item`. */
export function stepIt(definition: string, item: JsonObject = {}): Step {
  const text = `pipeline: p
items: { values: [${JSON.stringify({ ...item, any: 1 })}] }
steps:
  photo: { uses: upload, with: { file: a.png } }
  clip: { uses: upload, with: { file: a.mp4 } }
  made: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.photo.file_path }}" } } }
  it: ${definition}
`;
  const result = validate('p.yaml', text);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join('; '));
  const found = result.value.pipeline.steps.find(({ name }) => name === 'it');
  if (found === undefined) throw new Error('no step it');
  return found;
}

export const scopeOf = (item: JsonObject): Scope => ({
  ...{ item: toCel(item), inputs: {}, env: {}, steps: {}, run: {} },
});
