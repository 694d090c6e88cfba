// shotlist validate: is the file right? Reads nothing but the file.
import { printable } from '../../contract/base/printable.ts';
import { loadPipeline } from '../operations/pipeline/load.ts';
import { count } from '../report/text.ts';
import type { PipelineFlags } from './options.ts';
import { print, printJson, printWarnings, refuse } from './terminal.ts';

export async function validateCommand(
  files: readonly string[],
  flags: PipelineFlags,
): Promise<number> {
  let code = 0;
  for (const file of files) {
    const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
    if (!loaded.ok) {
      code = refuse(loaded.error, flags.json === true);
      continue;
    }
    const { pipeline, warnings } = loaded.value;
    if (flags.json === true) printJson({ file, pipeline: pipeline.name, valid: true, warnings });
    else {
      printWarnings(warnings, pipeline.source.text);
      const order = pipeline.steps.map(({ name, shared }) => (shared ? `${name} (shared)` : name));
      print(
        `${printable(file)}: valid. ${count(pipeline.steps.length, 'step')}: ${order.join(' → ')}`,
      );
    }
  }
  return code;
}
