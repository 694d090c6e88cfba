// What a download gives to later steps: where its files are. A plan knows that of one that is done, as a run does.
import type { JsonObject } from '../../contract/base/json.ts';
import type { JobLine } from '../journal/line.ts';

/** The paths are relative to the pipeline file, as an `upload` step would name them. */
export function savedOutputs(job: JobLine, task: string): JsonObject {
  const outputs = (job.outputs ?? []).filter((output) => output.task === task);
  const paths = outputs.map(({ path }) => path);
  return {
    paths,
    bytes: outputs.reduce((sum, output) => sum + output.bytes, 0),
    ...(paths[0] === undefined ? {} : { path: paths[0] }),
    ...(outputs[0] === undefined ? {} : { sha256: outputs[0].sha256 }),
  };
}
