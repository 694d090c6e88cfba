// Every endpoint, as data: the targets of faults, and the source of the OpenAPI document. A test compares this list with the
// routes of the server.

import type { Schema } from '../base/schema.ts';
import { eventKinds } from '../contract/api/event.ts';
import {
  creationSchema,
  faceDetectionSchema,
  projectSchema,
  uploadAddressesSchema,
} from '../contract/api/project.ts';
import { type PathForm, routes, type TwoForms } from '../contract/api/routes.ts';
import { tiers } from '../contract/api/tier.ts';
import { confidenceScore, imageAsset } from '../contract/fields.ts';
import { tools } from '../contract/tools/all.ts';
import { faultsSchema } from './faults/schema.ts';
import { permissions } from './store/keys.ts';

export interface Endpoint {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** In the router's form: `/v1/image-projects/:id`. */
  readonly path: string;
  readonly group: 'files' | 'video' | 'image' | 'audio' | 'account' | 'storage' | 'hub';
  readonly summary: string;
  /** The path of which this one is the alternate form (facts.md). */
  readonly alternateOf?: string;
  /** Absent: no body, or bytes. */
  readonly request?: Schema;
  /** Absent: no body, bytes, or (in the hub) JSON without a schema. */
  readonly response?: Schema;
  /** The status of success, if it is neither 200, nor 204 without a body. */
  readonly status?: number;
}

// The bodies of uploads and face detections (facts.md, Uploads and Face detection).

export const uploadRequest = {
  type: 'object',
  description: 'One call can ask for the addresses of many files.',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'extension'],
        properties: {
          type: { type: 'string', enum: ['image', 'video', 'audio'] },
          extension: {
            type: 'string',
            pattern: '^[a-z0-9]+$',
            description: 'Without the dot.',
          },
        },
      },
    },
  },
} as const;

export const detectionRequest = {
  type: 'object',
  description: 'Finds faces in an uploaded image or video. Free at present.',
  required: ['assets'],
  properties: {
    assets: {
      type: 'object',
      required: ['target_file_path'],
      properties: { target_file_path: imageAsset },
    },
    confidence_score: confidenceScore,
  },
} as const;

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

/** The paths of a face detection; `routes` has it with an id. */
export const faceDetectionPaths = {
  path: '/v1/face-detection/:id',
  alternate: '/v1/files/:id/face-detection',
};

/** The long form, and the short one as its alternate (facts.md, Paths that exist in two forms). */
function twoForms(
  { path, alternate }: Omit<TwoForms, 'name'>,
  endpoint: Omit<Endpoint, 'path' | 'group'>,
): readonly Endpoint[] {
  const long: Endpoint = { path: alternate, group: 'files', ...endpoint };
  return [long, { ...long, path, alternateOf: alternate }];
}

const files: readonly Endpoint[] = [
  ...twoForms(routes.uploadAddresses(), {
    method: 'POST',
    summary: 'Generate asset upload URLs',
    request: uploadRequest,
    response: uploadAddressesSchema,
  }),
  ...twoForms(routes.detectFaces(), {
    method: 'POST',
    summary: 'Detect faces in an asset',
    request: detectionRequest,
    response: detectionCreated,
  }),
  ...twoForms(faceDetectionPaths, {
    method: 'GET',
    summary: 'Get face detection details',
    response: faceDetectionSchema,
  }),
];

// The hub, which the interface does not have and which needs no key. The schemas of its changes are for JSON and for forms.

const tier = { type: 'string', enum: tiers, description: 'Default: pro.' } as const;
const account = { type: 'string', description: 'The account; default: local.' } as const;

export const newAccount = {
  type: 'object',
  title: 'New account',
  additionalProperties: false,
  properties: {
    email: { type: 'string', minLength: 1, maxLength: 200 },
    tier,
    credits: {
      type: 'integer',
      minimum: 0,
      maximum: 1e12,
      description: 'The opening balance; default 10000.',
    },
  },
} as const;

export const newTier = {
  type: 'object',
  title: 'New tier',
  additionalProperties: false,
  required: ['tier'],
  properties: { tier },
} as const;

export const grant = {
  type: 'object',
  title: 'Grant',
  additionalProperties: false,
  required: ['credits'],
  properties: {
    credits: {
      type: 'integer',
      minimum: -1e12,
      maximum: 1e12,
      description: 'Credits to add; a negative number takes credits, down to zero.',
    },
  },
} as const;

export const newKey = {
  type: 'object',
  title: 'New key',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 200 },
    permissions: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: permissions },
      description: 'Default: all.',
    },
    account,
  },
} as const;

export const newWebhook = {
  type: 'object',
  title: 'New webhook',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      description: 'An https address, or an http address on this machine.',
    },
    events: {
      type: 'array',
      items: { type: 'string', enum: eventKinds },
      description: 'Empty or absent: all kinds.',
    },
    account,
  },
} as const;

export const cancellation = {
  type: 'object',
  title: 'Cancellation',
  additionalProperties: false,
  properties: {
    refund: { type: 'boolean', description: 'Whether to refund the credits; default true.' },
  },
} as const;

const hubReads: Readonly<Record<string, string>> = {
  '': 'Newest projects and accounts',
  '/projects': 'List projects',
  '/projects/:id': 'Get a project with its request and events',
  '/projects/:id/outputs/:index': 'Get an output of a project',
  '/accounts': 'List accounts',
  '/ledger': 'Get the ledger of an account',
  '/keys': 'List keys',
  '/webhooks': 'List webhook registrations',
  '/deliveries': 'List deliveries of events',
  '/faults': 'List faults, and how often they fired',
};

const hubChanges: Readonly<Record<string, Pick<Endpoint, 'summary' | 'request' | 'status'>>> = {
  '/accounts': { summary: 'Add an account', request: newAccount, status: 201 },
  '/accounts/:id/tier': { summary: 'Set the tier of an account', request: newTier },
  '/accounts/:id/credits': { summary: 'Give credits to an account', request: grant },
  '/keys': { summary: 'Create a key; the answer shows it once', request: newKey, status: 201 },
  '/keys/:id/revoke': { summary: 'Revoke a key' },
  '/projects/:id/cancel': { summary: 'Cancel a project', request: cancellation },
  '/webhooks': {
    summary: 'Register a webhook; the answer shows its secret once',
    request: newWebhook,
    status: 201,
  },
  '/webhooks/:id/remove': { summary: 'Remove a webhook registration' },
  '/deliveries/:id/replay': { summary: 'Send an event again', status: 202 },
  '/faults': { summary: 'Add faults', request: faultsSchema },
  '/faults/clear': { summary: 'Clear all faults' },
};

const hub: readonly Endpoint[] = [
  ...Object.entries(hubReads).map(
    ([path, summary]): Endpoint => ({ method: 'GET', path: `/hub${path}`, group: 'hub', summary }),
  ),
  ...Object.entries(hubChanges).map(
    ([path, change]): Endpoint => ({
      method: 'POST',
      path: `/hub${path}`,
      group: 'hub',
      ...change,
    }),
  ),
];

/** All endpoints, with both forms of the paths that have two. */
export const endpoints: readonly Endpoint[] = [
  ...files,
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
    summary: 'Get the headers of a download',
  },
  ...hub,
];

const longPaths = new Set(endpoints.map(({ alternateOf }) => alternateOf));

/** The endpoints of a service with this form of the paths. */
export function endpointsOf(form: PathForm): readonly Endpoint[] {
  switch (form) {
    case 'both':
      return endpoints;
    case 'long':
      return endpoints.filter(({ alternateOf }) => alternateOf === undefined);
    case 'short':
      return endpoints
        .filter(({ path }) => !longPaths.has(path))
        .map(({ alternateOf: _alternateOf, ...endpoint }) => endpoint);
  }
}
