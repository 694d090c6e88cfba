// How to reach a bucket: the endpoint and the credentials, from the standard environment variables alone.
import { err, ok, type Result } from '../base/result.ts';
import { isLoopback } from './address.ts';

export interface BucketAccess {
  /** The address of the bucket, without a slash at its end. */
  readonly base: string;
  readonly region: string;
  /** These are never printed, logged or written. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface AccessProblem {
  readonly message: string;
  readonly hint: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Variables whose values are secrets. */
export const bucketSecrets = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
] as const;

export function bucketAccess(bucket: string, env: Env): Result<BucketAccess, AccessProblem> {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'] ?? '';
  const sessionToken = env['AWS_SESSION_TOKEN'] ?? '';
  const region = env['AWS_REGION'] || 'us-east-1';
  if (accessKeyId === '' || secretAccessKey === '')
    return err({
      message: 'there are no credentials for it',
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    });
  const bad = bucketSecrets.find((name) => !/^[\x21-\x7e]*$/.test(env[name] ?? ''));
  if (bad !== undefined)
    return err({ message: `${bad} holds a space or another odd character`, hint: 'copy it again' });
  if (!/^[a-z0-9-]+$/.test(region))
    return err({ message: 'AWS_REGION holds no region', hint: 'for example eu-central-1' });
  const base = baseOf(bucket, region, env);
  if (!base.ok) return base;
  const token = sessionToken === '' ? {} : { sessionToken };
  return ok({ base: base.value, region, accessKeyId, secretAccessKey, ...token });
}

function baseOf(bucket: string, region: string, env: Env): Result<string, AccessProblem> {
  const name = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((one) => (env[one] ?? '') !== '');
  const given = name === undefined ? undefined : env[name];
  if (name === undefined || given === undefined) {
    const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
    // A certificate covers one level of names.
    return ok(bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`);
  }
  const hint = 'write the scheme and the host, such as https://s3.example.com';
  if (!URL.canParse(given)) return err({ message: `${name} holds no address`, hint });
  const url = new URL(given);
  if (url.username !== '' || url.password !== '' || /[?#]/.test(given))
    return err({ message: `${name} holds a user, a password, a query or a fragment`, hint });
  const own = isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && own))
    return err({ message: `${name} (${url.origin}) is not encrypted`, hint: 'use https' });
  return ok(`${url.href.replace(/\/+$/, '')}/${bucket}`);
}
