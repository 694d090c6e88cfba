// The list of step kinds that `uses:` may name. To add a kind, add its file and a line here.
import { projectSchema } from '../api/project.ts';
import { deleteKind } from './delete.ts';
import { download } from './download.ts';
import { faceDetect } from './face-detect.ts';
import type { StepKind, Tool } from './kind.ts';
import { tools } from './tools.ts';
import { upload } from './upload.ts';

const recordFields = Object.fromEntries(
  Object.entries(projectSchema.properties).map(([field, schema]) => [
    field,
    'description' in schema ? schema.description : `the record’s ${field}`,
  ]),
);

/** A tool as a step kind: its `with` is its request body, its outputs are its project's record. */
function kindOf(tool: Tool): StepKind {
  return {
    name: tool.name,
    title: tool.title,
    operation: 'create',
    with: tool.request,
    outputs: {
      url: 'the address of the first download, the same as downloads[0].url; the runner renews it',
      ...recordFields,
    },
    tool,
  };
}

export const kinds: readonly StepKind[] = [
  upload,
  faceDetect,
  ...tools.map(kindOf),
  download,
  deleteKind,
];

const byName = new Map(kinds.map((kind) => [kind.name, kind]));

export function kindNamed(name: string): StepKind | undefined {
  return byName.get(name);
}
