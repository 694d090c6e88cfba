// Checks a fragment file by itself: its fields and inputs. Its steps are checked in the pipeline.
import { isObject } from '../../../contract/base/json.ts';
import { type Schema, validatorOf } from '../../../contract/base/schema.ts';
import type { Diagnostic } from '../../../contract/yaml/diagnostic.ts';
import { describeValue, diagnose, dotted, type YamlFormat } from '../../../contract/yaml/shape.ts';
import type { Source } from '../../../contract/yaml/source.ts';
import { unknownKey, withoutEchoes } from '../../../contract/yaml/unknown-key.ts';
import { fragmentSchema, pipelineShape } from '../schema.ts';

export function checkFragment(source: Source): readonly Diagnostic[] {
  if (!isObject(source.value)) {
    const message = `a fragment must be an object, not ${describeValue(source.value)}`;
    const hint = 'a fragment has steps:, and inputs: that they take';
    const { file } = source;
    const span = source.spanOf([]);
    return [{ severity: 'error', code: 'SL905', file, span, message, hint }];
  }
  const validate = validatorOf(shape);
  validate(source.value);
  return withoutEchoes(validate.errors ?? []).map((error) => diagnose(error, source, format));
}

const shape: Schema = fragmentSchema();

/** Only the pipeline file says where the key goes, what runs afterwards, and what may be spent. */
const format: YamlFormat = {
  subjectOf: (path) => dotted(path) || 'the file',
  sentenceOf: (error, path) => {
    if (error.keyword !== 'additionalProperties' || path.length > 0) return undefined;
    const { key } = unknownKey(error);
    if (!Object.hasOwn(pipelineShape.properties, key)) return undefined;
    return {
      code: 'SL905',
      message: `a fragment cannot have ${JSON.stringify(key)}`,
      hint: 'write it in the pipeline file; a fragment has description, inputs, include and steps',
      at: [key],
    };
  },
};
