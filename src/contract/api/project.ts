// The service's nouns, unrenamed: project, download, creation response, faces, upload address, account, event.
// Shapes: interface.md, Resources and their fields; facts.md, Project records, all fields.
import type { FromSchema } from 'json-schema-to-ts';
import type { Brand } from '../base/result.ts';
import {
  address,
  amount,
  assetPath,
  creditsSchema,
  mostInAll,
  mostListed,
  serviceId,
  timestamp,
  whole,
  word,
} from './bounds.ts';

export type ProjectId = Brand<string, 'ProjectId'>;
/** An id that the service, or a journal of ours, named. */
export const projectId = (text: string): ProjectId => text as ProjectId;

/** Which of the three details endpoints knows a project. */
export type RecordKind = 'video' | 'image' | 'audio';

export const downloadSchema = {
  type: 'object',
  description:
    'Where an output can be fetched, and until when. A fresh address comes from the details endpoint.',
  required: ['url', 'expires_at'],
  properties: {
    url: { ...address, description: 'A presigned address: no bearer header is sent to it.' },
    expires_at: {
      ...timestamp,
      description: 'ISO 8601 timestamp; 24 hours after the address was issued.',
    },
  },
} as const;

export const projectErrorSchema = {
  type: 'object',
  description: 'Why a project ended in error.',
  required: ['code', 'message'],
  properties: { code: { type: 'string' }, message: { type: 'string' } },
} as const;

export const projectSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/project.schema.json',
  title: 'Project record',
  description:
    'What the details endpoints answer and events carry. Unknown fields are allowed: the interface grows in place.',
  type: 'object',
  required: ['id', 'status', 'downloads'],
  properties: {
    id: { ...serviceId, description: 'Unique project id.' },
    name: { type: ['string', 'null'], description: 'The name given at creation.' },
    status: {
      ...word,
      description:
        'One of `queued`, `rendering`, `complete`, `error`; deployments also answer `canceled` and `draft`.',
    },
    type: { ...word, description: 'The tool that made the project: a free-form string.' },
    created_at: { ...timestamp, description: 'ISO 8601 timestamp.' },
    completed_at: {
      type: ['string', 'null'],
      maxLength: 64,
      description: 'ISO 8601 timestamp, in completion events.',
    },
    failed_at: {
      type: ['string', 'null'],
      maxLength: 64,
      description: 'ISO 8601 timestamp, in error events.',
    },
    enabled: { type: 'boolean', description: 'False once the project was deleted.' },
    credits_charged: { ...creditsSchema, description: 'Credits deducted; a refund is included.' },
    total_frame_cost: {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: creditsSchema.maximum,
      description: 'Deprecated, equal to credits_charged.',
    },
    image_count: { ...whole, description: 'Image projects: how many pictures were asked for.' },
    width: { ...whole, description: 'Output width in pixels; -1: not known.' },
    height: { ...whole, description: 'Output height in pixels; -1: not known.' },
    fps: { ...amount, description: 'Video projects: frames a second.' },
    start_seconds: {
      ...amount,
      description: 'Video projects: where the clip starts, in seconds.',
    },
    end_seconds: { ...amount, description: 'Video projects: where the clip ends, in seconds.' },
    download: {
      anyOf: [downloadSchema, { type: 'null' }],
      description: 'Older video field, kept for compatibility beside `downloads`.',
    },
    downloads: {
      type: 'array',
      maxItems: mostListed,
      items: downloadSchema,
      description: 'Empty until `complete`.',
    },
    error: {
      anyOf: [projectErrorSchema, { type: 'null' }],
      description: 'Set when the status is `error`; otherwise null.',
    },
  },
} as const;

export type Project = FromSchema<typeof projectSchema>;
export type Download = FromSchema<typeof downloadSchema>;
export type ProjectError = FromSchema<typeof projectErrorSchema>;

export const creationSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/creation.schema.json',
  title: 'Creation response',
  description:
    'interface.md, Creation response: `credits_charged` is an estimate for video until complete.',
  type: 'object',
  required: ['id', 'credits_charged'],
  properties: {
    id: serviceId,
    credits_charged: creditsSchema,
    frame_cost: {
      type: 'integer',
      description: 'Deprecated: image tools, equal to credits_charged.',
    },
    estimated_frame_cost: {
      type: 'integer',
      description: 'Deprecated: video tools, equal to credits_charged.',
    },
  },
} as const;

export type Creation = FromSchema<typeof creationSchema>;

/** What must be there for a creation or a detection not to be in doubt: what is not told, the record tells later. */
export const takenSchema = {
  type: 'object',
  required: ['id'],
  properties: { id: creationSchema.properties.id },
} as const;

/** A creation that was taken; `credits` is undefined where the answer does not say. */
export interface Taking {
  readonly id: string;
  readonly credits: number | undefined;
}

/** facts.md, Account: newer than interface.md, and not on every deployment. */
export const accountSchema = {
  type: 'object',
  required: ['credits'],
  properties: {
    credits: { type: 'integer', minimum: 0, maximum: mostInAll, description: 'The balance.' },
    tier: word,
  },
} as const;

export type Account = FromSchema<typeof accountSchema>;

export const faceDetectionSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/face-detection.schema.json',
  title: 'Face detection record',
  description: 'facts.md, Face detection. `faces` grows while the status is still `rendering`.',
  type: 'object',
  required: ['id', 'status', 'faces'],
  properties: {
    id: serviceId,
    status: { ...word, description: 'One of `queued`, `rendering`, `complete`, `error`.' },
    credits_charged: creditsSchema,
    faces: {
      type: 'array',
      maxItems: mostListed,
      items: {
        type: 'object',
        required: ['path'],
        properties: {
          path: { ...assetPath, description: 'The `original_face` of a mapping.' },
          url: { ...address, description: 'Shows the cropped face.' },
        },
      },
    },
  },
} as const;

export type FaceDetection = FromSchema<typeof faceDetectionSchema>;

export const uploadAddressesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/upload-addresses.schema.json',
  title: 'Upload addresses',
  description:
    'facts.md, Uploads: in the order of the request. The PUT goes to `upload_url` without the bearer header.',
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      maxItems: mostListed,
      items: {
        type: 'object',
        required: ['upload_url', 'file_path'],
        properties: {
          upload_url: address,
          file_path: assetPath,
          expires_at: timestamp,
        },
      },
    },
  },
} as const;

export type UploadAddresses = FromSchema<typeof uploadAddressesSchema>;

export const eventSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/event.schema.json',
  title: 'Service event (webhook body)',
  description: 'interface.md, Events. An event kind that is not expected must be tolerated.',
  type: 'object',
  required: ['type', 'payload'],
  properties: {
    type: {
      type: 'string',
      description: '`{resource}.{action}`: video, image or audio; started, completed or errored.',
      examples: ['video.completed', 'image.errored', 'audio.started'],
    },
    payload: { $ref: 'https://shotlist.dev/schemas/project.schema.json' },
  },
} as const;
