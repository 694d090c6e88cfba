// The list of step kinds that `uses:` may name. To add a kind, add its file and a line here.

import type { Tool } from '../tool/tool.ts';
import { tools } from '../tools/all.ts';
import { deleteKind } from './delete.ts';
import { download } from './download.ts';
import { faceDetect } from './face-detect.ts';
import type { StepKind } from './kind.ts';
import { outputsOf } from './tool-outputs.ts';
import { upload } from './upload.ts';

/** A tool as a step kind: its `with` is its request body, its outputs are its project's record. */
function kindOf(tool: Tool): StepKind {
  return {
    name: tool.name,
    title: tool.title,
    operation: 'create',
    with: tool.request,
    ...outputsOf(tool.record),
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
