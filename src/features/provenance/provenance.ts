// The provenance file beside an output: where the output comes from, for people and programs that have only the file. It
// says what stays true, so that it is the same to the byte whenever it is written: no state, and no time that changes.
import { isObject, type JsonObject } from '../../base/json.ts';
import { printableJson } from '../../base/printable.ts';
import type { Schema } from '../../base/schema.ts';
import { creditsSchema } from '../../contract/api/bounds.ts';
import type { JobView } from '../../model/job-view.ts';
import type { Output, RunLine } from '../../model/record/line.ts';
import { fingerprint, task } from '../../model/record/schemas.ts';
import { itemOf, stepOf } from '../../model/task.ts';

export const maxProvenanceBytes = 4 << 20;

/** The name of an output's provenance file. */
export const provenanceFileOf = (output: string): string => `${output}.json`;

/** A value of another job in a request. */
export interface OriginInput {
  /** The field of the request that takes the value, such as `assets.image_file_path`. */
  readonly field: string;
  /** The fingerprint of the job that the value comes from. */
  readonly fingerprint: string;
  /** Which output of that job the value is. */
  readonly output: string;
  /** The step kind of that job; absent, with all that follows, if the run does not know that job. */
  readonly uses?: string;
  /** For an upload: the file, as the pipeline names it. */
  readonly file?: string;
  /** For an upload: the SHA-256 of the file. */
  readonly sha256?: string;
  readonly take?: number;
  readonly parameters?: JsonObject;
  readonly inputs?: readonly OriginInput[];
}

/** What a result was made from. */
export interface Origin {
  /** 2 or more: the result of a reroll. Absent for the first take. */
  readonly take?: number;
  /** The request, with defaults. A value of another job is `shotlist:<fingerprint>/<output>`. */
  readonly parameters?: JsonObject;
  readonly inputs: readonly OriginInput[];
}

interface ProvenanceFacts {
  readonly pipeline: string;
  readonly rehearsal: boolean;
  readonly job: JobView;
  readonly output: Output;
  /** All runs of the state file. */
  readonly runs: readonly RunLine[];
  /** Undefined if the run did not come by the job. */
  readonly origin: Origin | undefined;
  readonly isFannedOut: (task: string) => boolean;
}

export function provenanceOf(facts: ProvenanceFacts): JsonObject {
  const { pipeline, rehearsal, job, output, runs, origin, isFannedOut } = facts;
  const { task, index, bytes, sha256, path } = output;
  const run = runs.find((one) => one.run === job.run);
  const { take = 1, parameters, inputs } = origin ?? {};
  const known = {
    pipeline,
    rehearsal,
    task,
    step: stepOf(task),
    item: itemOf(task, isFannedOut(task)),
    output: { file: path.slice(path.lastIndexOf('/') + 1), index, bytes, sha256 },
    uses: job.kind,
    fingerprint: job.job,
    take,
    project: job.project,
    credits: job.credits ?? 0,
    run: run && { began: run.at },
    parameters,
    inputs,
  };
  return { $schema: provenanceId, ...cleaned(known) };
}

export const provenanceText = (provenance: JsonObject): string =>
  `${JSON.stringify(provenance, null, 2).split('\n').map(printableJson).join('\n')}\n`;

/** The hash of the output that a text is the provenance of; undefined if the text is something else. */
export function outputOfProvenance(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['$schema'] !== provenanceId) return undefined;
  const { output } = value;
  const sha256 = isObject(output) ? output['sha256'] : undefined;
  return typeof sha256 === 'string' ? sha256 : undefined;
}

/** The file goes to others: it names no address and no place on this machine. What is not known has no field. */
function cleaned(facts: Readonly<Record<string, unknown>>): JsonObject {
  return JSON.parse(JSON.stringify(facts), (_, value) =>
    typeof value === 'string' ? cleanText(value) : value,
  );
}

function cleanText(text: string): string {
  const plain = text.replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi, '(address)');
  if (!/^(?:~?[\\/]|[a-z]:[\\/])\S*[\\/]\S/i.test(plain)) return plain;
  return plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1);
}

// The published schema of provenance files.

const provenanceId = 'https://shotlist.dev/schemas/provenance.schema.json';

const sha256 = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'In lower case.',
} as const;
const uses = { type: 'string', description: 'The step kind.' } as const;
const take = {
  type: 'integer',
  minimum: 1,
  description: '2 or more: someone paid for another take of the same request.',
} as const;
const parameters = {
  type: 'object',
  description:
    'The request, with defaults and without cosmetic fields. `shotlist:<fingerprint>/<output>` is a value of another job. Addresses are left out.',
} as const;
const inputs = {
  type: 'array',
  items: { $ref: '#/$defs/input' },
  description: 'What the request took from other jobs.',
} as const;

export const provenanceSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: provenanceId,
  title: 'Where an output of shotlist comes from',
  description:
    'The file `<output>.json`, which runs write if the pipeline says `provenance: true`.',
  type: 'object',
  additionalProperties: false,
  required: [
    ...['$schema', 'pipeline', 'rehearsal', 'task', 'step', 'output', 'uses', 'fingerprint'],
    ...['take', 'credits'],
  ],
  properties: {
    $schema: { type: 'string', const: provenanceId },
    pipeline: { type: 'string', description: 'The name of the pipeline.' },
    rehearsal: {
      type: 'boolean',
      description: 'True if the local service made the output: then, it is a stand-in.',
    },
    task: {
      ...task,
      description: 'The download that saved the output: step:item, or the step alone.',
    },
    step: { type: 'string', description: 'The step of that download.' },
    item: { type: 'string', description: 'The key of the item; absent for all items together.' },
    output: {
      type: 'object',
      additionalProperties: false,
      required: ['file', 'index', 'bytes', 'sha256'],
      properties: {
        file: { type: 'string', description: 'The name of the file, without its folder.' },
        index: { type: 'integer', minimum: 0, description: 'Which of the project’s downloads.' },
        bytes: { type: 'integer', minimum: 0 },
        sha256,
      },
    },
    uses,
    fingerprint: { ...fingerprint, description: 'Names what determines the result.' },
    take,
    project: { type: 'string', description: 'The id of the project at the service.' },
    credits: { ...creditsSchema, description: 'What the project cost, refund included.' },
    run: {
      type: 'object',
      additionalProperties: false,
      required: ['began'],
      properties: {
        began: { type: 'string', description: 'ISO 8601.' },
      },
      description: 'The run that paid for it.',
    },
    parameters,
    inputs,
  },
  $defs: {
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['field', 'fingerprint', 'output'],
      properties: {
        field: { type: 'string', description: 'The field of the request that takes the value.' },
        fingerprint: { ...fingerprint, description: 'Names the job that the value comes from.' },
        output: { type: 'string', description: 'Which output of that job.' },
        uses,
        file: { type: 'string', description: 'For an upload: the file at the time.' },
        sha256,
        take,
        parameters,
        inputs,
      },
    },
  },
};
