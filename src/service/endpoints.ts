// Every endpoint that clients use, as data: what faults are aimed at and what the OpenAPI document is made of.
// A test holds it against the routes that are really served.
import {
  creationSchema,
  faceDetectionSchema,
  projectSchema,
  uploadAddressesSchema,
} from '../api/project.ts';
import { tiers } from '../api/tier.ts';
import type { Schema } from '../base/schema.ts';
import { tools } from '../kinds/tools.ts';
import { detectionRequest, uploadRequest } from './requests.ts';

export interface Endpoint {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** As the router writes it: `/v1/image-projects/:id`. */
  readonly path: string;
  readonly group: 'files' | 'video' | 'image' | 'audio' | 'account' | 'storage';
  readonly summary: string;
  /** Where it is the alternate form of another path (facts.md). */
  readonly alternateOf?: string;
  /** Absent: it has no body, or bytes. */
  readonly request?: Schema;
  /** Absent: it answers without a body, or with bytes. */
  readonly response?: Schema;
}

const accountSchema = {
  type: 'object',
  required: ['id', 'email', 'tier', 'credits', 'subscription'],
  properties: {
    id: { type: 'string' },
    email: { type: 'string' },
    tier: { type: 'string', enum: tiers },
    credits: { type: 'integer', minimum: 0 },
    subscription: { type: ['object', 'null'] },
  },
} as const;

const detectionCreated = {
  type: 'object',
  required: ['id', 'credits_charged'],
  properties: { id: { type: 'string' }, credits_charged: { type: 'integer', minimum: 0 } },
} as const;

const files: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/v1/files/generate-upload-urls',
    group: 'files',
    summary: 'Generate asset upload URLs',
    request: uploadRequest,
    response: uploadAddressesSchema,
  },
  {
    method: 'POST',
    path: '/v1/files/face-detection',
    group: 'files',
    summary: 'Detect faces in an asset',
    request: detectionRequest,
    response: detectionCreated,
  },
  {
    method: 'GET',
    path: '/v1/files/:id/face-detection',
    group: 'files',
    summary: 'Get face detection details',
    response: faceDetectionSchema,
  },
];

/** facts.md, Paths that exist in two forms. */
const alternates: Readonly<Record<string, string>> = {
  '/v1/files/generate-upload-urls': '/v1/files/upload-urls',
  '/v1/files/face-detection': '/v1/face-detection',
  '/v1/files/:id/face-detection': '/v1/face-detection/:id',
};

export const endpoints: readonly Endpoint[] = [
  ...files.flatMap((endpoint) => {
    const other = alternates[endpoint.path];
    return other === undefined
      ? [endpoint]
      : [endpoint, { ...endpoint, path: other, alternateOf: endpoint.path }];
  }),
  ...(['video', 'image', 'audio'] as const).flatMap((record): readonly Endpoint[] => [
    {
      method: 'GET',
      path: `/v1/${record}-projects/:id`,
      group: record,
      summary: `Get ${record} details`,
      response: projectSchema,
    },
    {
      method: 'DELETE',
      path: `/v1/${record}-projects/:id`,
      group: record,
      summary: `Delete ${record === 'audio' ? 'audio' : `${record === 'image' ? 'an' : 'a'} ${record}`}`,
    },
  ]),
  ...tools.map(
    ({ name, record, title, request }): Endpoint => ({
      method: 'POST',
      path: `/v1/${name}`,
      group: record,
      summary: title,
      request,
      response: creationSchema,
    }),
  ),
  {
    method: 'GET',
    path: '/v1/account',
    group: 'account',
    summary: 'Get the account',
    response: accountSchema,
  },
  {
    method: 'PUT',
    path: '/uploads/*',
    group: 'storage',
    summary: 'Upload a file to a presigned address',
  },
  {
    method: 'GET',
    path: '/downloads/*',
    group: 'storage',
    summary: 'Download an output from a presigned address',
  },
  {
    method: 'HEAD',
    path: '/downloads/*',
    group: 'storage',
    summary: 'What a download would answer, without its bytes',
  },
];
