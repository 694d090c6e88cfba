// shotlist validate: checks pipeline files.
import { printable } from '../../contract/base/printable.ts';
import { type Validated, validate } from '../operations/validate.ts';
import { count } from '../report/text.ts';
import { answer } from './command.ts';
import type { PipelineFlags } from './options.ts';
import { printWarnings } from './terminal.ts';

export async function validateCommand(
  files: readonly string[],
  { input = {}, profile, json = false }: PipelineFlags,
): Promise<number> {
  let code = 0;
  for (const file of files) {
    const validated = await validate(file, { inputs: input, profile });
    if (validated.ok && !json) printWarnings(validated.value.warnings, validated.value);
    const own = answer(validated, json, {
      text: textOf,
      facts: ({ pipeline, warnings }) => ({ file, pipeline, valid: true, warnings }),
    });
    if (own !== 0) code = own;
  }
  return code;
}

function textOf({ file, steps }: Validated): string {
  const order = steps.map(({ name, shared }) => (shared ? `${name} (shared)` : name));
  return `${printable(file)}: valid. ${count(steps.length, 'step')}: ${order.join(' → ')}`;
}
