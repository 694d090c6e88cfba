// The outputs of a tool step: the fields of its project's record (facts.md, Project records, all
// fields), the address of the first file, and the length of a clip.

import type { Schema } from '../../base/schema.ts';
import { projectSchema, type RecordKind } from '../api/project.ts';
import type { StepKind } from './kind.ts';

/** The fields that only some records have. All other fields are on every record. */
const only: Readonly<Record<string, readonly RecordKind[]>> = {
  image_count: ['image'],
  total_frame_cost: ['image', 'video'],
  width: ['image', 'video'],
  height: ['image', 'video'],
  fps: ['video'],
  start_seconds: ['video'],
  end_seconds: ['video'],
  download: ['video'],
};

const added: Readonly<Record<string, Schema>> = {
  url: {
    type: 'string',
    description:
      'the address of the first download, the same as downloads[0].url; the runner renews it',
  },
};

/** Outputs that a video has in addition. */
const ofVideo: Readonly<Record<string, Schema>> = {
  duration: {
    type: 'number',
    description: 'the length of the clip in seconds: end_seconds minus start_seconds of the record',
  },
};

const byRecord = new Map<RecordKind, Pick<StepKind, 'outputs' | 'outputTypes'>>();

/** The outputs of all tools with this kind of record. */
export function outputsOf(record: RecordKind): Pick<StepKind, 'outputs' | 'outputTypes'> {
  const known = byRecord.get(record);
  if (known !== undefined) return known;
  const fields = Object.entries<Schema>(projectSchema.properties).filter(
    ([field]) => only[field]?.includes(record) ?? true,
  );
  const types = { ...added, ...Object.fromEntries(fields), ...(record === 'video' ? ofVideo : {}) };
  const outputs = {
    outputs: Object.fromEntries(
      Object.entries(types).map(([field, { description }]) => [
        field,
        typeof description === 'string' ? description : `the record’s ${field}`,
      ]),
    ),
    outputTypes: types,
  };
  byRecord.set(record, outputs);
  return outputs;
}
