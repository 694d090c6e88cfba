// The step kinds, which `uses:` names: the four that shotlist itself brings, and the tools. To add a kind, add it here.
import { isObject, type JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import { faceDetectionSchema, projectSchema, type RecordKind } from './api/project.ts';
import { confidenceScore, imageAsset } from './fields.ts';
import type { Tool } from './tool.ts';
import { tools } from './tools/all.ts';

/** How the runner performs a kind: the five things that a client can ask of the service. */
export type Operation = 'upload' | 'detect' | 'create' | 'download' | 'delete';

/** A step kind, which `uses:` names. */
export interface StepKind {
  readonly name: string;
  readonly title: string;
  readonly operation: Operation;
  /** The schema of `with:`. */
  readonly with: Schema;
  /** The outputs that later steps may use, with their descriptions. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The JSON Schema of each output, by the same names. `{}`: of any type. */
  readonly outputTypes: Readonly<Record<string, Schema>>;
  /** Only for the 27 tools. */
  readonly tool?: Tool;
}

/** Sends a local file to the service, which names it `file_path` (interface.md, Asset reference). Free. */
const upload: StepKind = {
  name: 'upload',
  title: 'Upload a local file',
  operation: 'upload',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['file'],
    properties: {
      file: {
        type: 'string',
        minLength: 1,
        description: 'The path of the file to upload, relative to the pipeline file.',
      },
    },
  },
  outputs: { file_path: 'the asset reference, valid for 7 days; the runner renews it' },
  outputTypes: { file_path: { type: 'string' } },
};

/** Finds faces in an uploaded image or video (facts.md, Face detection). Free at present. */
export const faceDetect: StepKind = {
  name: 'face-detect',
  title: 'Find faces in a photo or clip',
  operation: 'detect',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['target_file_path'],
    properties: {
      target_file_path: {
        ...imageAsset,
        description: 'The image or video in which to find faces: the file_path of an upload.',
      },
      confidence_score: confidenceScore,
    },
  },
  outputs: {
    id: 'the id of the detection',
    faces: 'a list of {path, url}: use path as original_face; url shows the cropped face',
    credits_charged: 'the credits charged; at present 0',
  },
  outputTypes: {
    id: { type: 'string' },
    faces: faceDetectionSchema.properties.faces,
    credits_charged: { type: 'integer' },
  },
};

/**
 * The request in the service's shape (facts.md, Face detection). `assets` from `extra:` stay in
 * `assets`.
 */
export function detectionRequest(body: JsonObject): JsonObject {
  const { target_file_path = '', assets, ...rest } = body;
  return { assets: { ...(isObject(assets) ? assets : {}), target_file_path }, ...rest };
}

/** Saves a project's files to disk and verifies them (design.md, promise 2). Free. */
const download: StepKind = {
  name: 'download',
  title: 'Save the results of a step',
  operation: 'download',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['of', 'to'],
    properties: {
      of: {
        type: 'string',
        minLength: 1,
        description: 'The tool step whose results are downloaded.',
      },
      to: {
        type: 'string',
        minLength: 1,
        description:
          'The path of the file, below the folder of `output:`. With several files, -1, -2 and so on is put before the ' +
          'extension. A path that ends in "/" is a folder with the files 1.<ext>, 2.<ext> and so on. ' +
          '`${{ result.ext }}` is the extension of the file.',
      },
    },
  },
  outputs: {
    path: 'the path of the first file, relative to the pipeline file',
    paths: 'the paths of all files',
    bytes: 'the total size of the files, in bytes',
    sha256: 'the SHA-256 hash of the first file',
    duration: 'the length of the first file in seconds, if it is a sound whose header says it',
  },
  outputTypes: {
    path: { type: 'string', format: 'path' },
    paths: { type: 'array', items: { type: 'string' } },
    bytes: { type: 'integer' },
    sha256: { type: 'string' },
    duration: { type: 'number' },
  },
};

/** Removes a project from the service when its files are safe and no other step needs it. Free. */
const deleteKind: StepKind = {
  name: 'delete',
  title: 'Delete a tool step’s project',
  operation: 'delete',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['of'],
    properties: {
      of: { type: 'string', minLength: 1, description: 'The tool step whose project is deleted.' },
      discard: {
        type: 'boolean',
        default: false,
        description: 'Delete the project even if no step downloads its result. The result is lost.',
      },
    },
  },
  outputs: {},
  outputTypes: {},
};

// The outputs of a tool step: the fields of its project's record (facts.md, Project records, all fields), the address of the first
// file, and the length of a clip.

/** The fields that only some records have. All other fields are on every record. */
const recordsWith: Readonly<Record<string, readonly RecordKind[]>> = {
  image_count: ['image'],
  total_frame_cost: ['image', 'video'],
  width: ['image', 'video'],
  height: ['image', 'video'],
  fps: ['video'],
  start_seconds: ['video'],
  end_seconds: ['video'],
  download: ['video'],
};

const firstUrl: Readonly<Record<string, Schema>> = {
  url: {
    type: 'string',
    description:
      'the address of the first download, the same as downloads[0].url; the runner renews it',
  },
};

const clipLength: Readonly<Record<string, Schema>> = {
  duration: {
    type: 'number',
    description: 'the length of the clip in seconds: end_seconds minus start_seconds of the record',
  },
};

type Outputs = Pick<StepKind, 'outputs' | 'outputTypes'>;

function outputsOf(record: RecordKind): Outputs {
  const fields = Object.entries<Schema>(projectSchema.properties).filter(
    ([field]) => recordsWith[field]?.includes(record) ?? true,
  );
  const outputTypes = {
    ...firstUrl,
    ...Object.fromEntries(fields),
    ...(record === 'video' ? clipLength : {}),
  };
  const outputs = Object.entries(outputTypes).map(([field, { description }]) => [
    field,
    typeof description === 'string' ? description : `the record’s ${field}`,
  ]);
  return { outputs: Object.fromEntries(outputs), outputTypes };
}

const outputsByRecord: Readonly<Record<RecordKind, Outputs>> = {
  image: outputsOf('image'),
  video: outputsOf('video'),
  audio: outputsOf('audio'),
};

/** A tool as a step kind: its `with` is its request body, its outputs are its project's record. */
function kindOf(tool: Tool): StepKind {
  return {
    name: tool.name,
    title: tool.title,
    operation: 'create',
    with: tool.request,
    ...outputsByRecord[tool.record],
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
