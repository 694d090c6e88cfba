// The bodies of the hub's changes, as schemas: for JSON, forms and the OpenAPI document.
import { eventKinds } from '../../contract/api/event.ts';
import { tiers } from '../../contract/api/tier.ts';
import { permissions } from '../store/keys.ts';

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
