// The service's records, under their own names: project, download, creation response, faces, upload
// address, account, event. Shapes: interface.md, Resources and their fields; facts.md, Project
// records, all fields.
import type { FromSchema } from 'json-schema-to-ts';
import type { Brand } from '../../base/result.ts';
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
/** Marks a text from the service or from the journal as a project id. */
export const projectId = (text: string): ProjectId => text as ProjectId;

/** The kind of a project's record, which decides its details endpoint. */
export type RecordKind = 'video' | 'image' | 'audio';

const downloadSchema = {
  type: 'object',
  description:
    'The address of an output and its expiry. The details endpoint returns a fresh address.',
  required: ['url', 'expires_at'],
  properties: {
    url: { ...address, description: 'A presigned address. Do not send the bearer header to it.' },
    expires_at: {
      ...timestamp,
      description: 'ISO 8601 timestamp; 24 hours after the address was issued.',
    },
  },
} as const;

const projectErrorSchema = {
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
    'The record that the details endpoints return and events carry. Unknown fields are allowed, because the interface grows in place.',
  type: 'object',
  required: ['id', 'status', 'downloads'],
  properties: {
    id: { ...serviceId, description: 'Unique project id.' },
    name: { type: ['string', 'null'], description: 'The name given at creation.' },
    status: {
      ...word,
      description:
        'One of `queued`, `rendering`, `complete`, `error`. Deployments also return `canceled` and `draft`.',
    },
    type: { ...word, description: 'The tool that made the project, as a free-form string.' },
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
    enabled: { type: 'boolean', description: 'False after the project is deleted.' },
    credits_charged: { ...creditsSchema, description: 'Credits charged, minus refunds.' },
    total_frame_cost: {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: creditsSchema.maximum,
      description: 'Deprecated. Equal to credits_charged.',
    },
    image_count: { ...whole, description: 'Image projects: the number of requested pictures.' },
    width: { ...whole, description: 'Output width in pixels; -1 if unknown.' },
    height: { ...whole, description: 'Output height in pixels; -1 if unknown.' },
    fps: { ...amount, description: 'Video projects: frames per second.' },
    start_seconds: {
      ...amount,
      description: 'Video projects: the start of the clip, in seconds.',
    },
    end_seconds: { ...amount, description: 'Video projects: the end of the clip, in seconds.' },
    download: {
      anyOf: [downloadSchema, { type: 'null' }],
      description: 'Older field of video projects, kept for compatibility. Use `downloads`.',
    },
    downloads: {
      type: 'array',
      maxItems: mostListed,
      items: downloadSchema,
      description: 'The outputs. Empty until the status is `complete`.',
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
    'The answer to a creation. For video, `credits_charged` is an estimate until the project is complete.',
  type: 'object',
  required: ['id', 'credits_charged'],
  properties: {
    id: serviceId,
    credits_charged: creditsSchema,
    frame_cost: {
      type: 'integer',
      description: 'Deprecated, for image tools. Equal to credits_charged.',
    },
    estimated_frame_cost: {
      type: 'integer',
      description: 'Deprecated, for video tools. Equal to credits_charged.',
    },
  },
} as const;

export type Creation = FromSchema<typeof creationSchema>;

/**
 * The fields without which a creation or a detection is in doubt. The record later supplies the
 * others.
 */
export const acceptedCreationSchema = {
  type: 'object',
  required: ['id'],
  properties: { id: creationSchema.properties.id },
} as const;

/** An accepted creation; `credits` is undefined if the answer does not say. */
export interface AcceptedCreation {
  readonly id: string;
  readonly credits: number | undefined;
}

/** facts.md, Account: newer than interface.md, and not on every deployment. */
export const accountSchema = {
  type: 'object',
  required: ['credits'],
  properties: {
    credits: {
      type: 'integer',
      minimum: 0,
      maximum: mostInAll,
      description: 'The balance, in credits.',
    },
    tier: word,
    id: { description: 'Names the account; a text, if the deployment has one.' },
  },
} as const;

export type Account = FromSchema<typeof accountSchema>;

export const faceDetectionSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/face-detection.schema.json',
  title: 'Face detection record',
  description: 'The result of a face detection. `faces` grows while the status is `rendering`.',
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
          path: { ...assetPath, description: 'The path to use as `original_face` in a mapping.' },
          url: { ...address, description: 'The address of a picture of the cropped face.' },
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
    'Addresses for uploads, in the order of the request. Send a PUT to `upload_url` without the bearer header.',
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
  description: 'The body of a webhook event. Receivers must accept unknown kinds of events.',
  type: 'object',
  required: ['type', 'payload'],
  properties: {
    type: {
      type: 'string',
      description:
        '`{resource}.{action}`. The resource is video, image or audio; the action is started, completed or errored.',
      examples: ['video.completed', 'image.errored', 'audio.started'],
    },
    payload: { $ref: 'https://shotlist.dev/schemas/project.schema.json' },
  },
} as const;
