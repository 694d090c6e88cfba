// The outputs of a finished download for later steps: the paths of its files. Used by plan and run.
import type { JsonObject } from '../../contract/base/json.ts';
import type { JobLine } from '../journal/line.ts';

/** The paths are relative to the pipeline file, as in an `upload` step. */
export function savedOutputs(job: JobLine, task: string): JsonObject {
  const outputs = (job.outputs ?? []).filter((output) => output.task === task);
  const paths = outputs.map(({ path }) => path);
  return {
    paths,
    bytes: outputs.reduce((sum, output) => sum + output.bytes, 0),
    ...(paths[0] === undefined ? {} : { path: paths[0] }),
    ...(outputs[0] === undefined ? {} : { sha256: outputs[0].sha256 }),
    ...(outputs[0]?.duration === undefined ? {} : { duration: outputs[0].duration }),
  };
}
