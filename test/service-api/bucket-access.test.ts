// How to reach a bucket, from the environment alone.
import { expect, test } from 'vitest';
import { bucketAccess } from '../../src/service-api/bucket-access.ts';

const env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

test.each([
  [{}, 'https://shots.s3.us-east-1.amazonaws.com'],
  [{ AWS_REGION: 'eu-central-1' }, 'https://shots.s3.eu-central-1.amazonaws.com'],
  [{ AWS_ENDPOINT_URL: 'https://s3.example.com/' }, 'https://s3.example.com/shots'],
  [{ AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000' }, 'http://127.0.0.1:9000/shots'],
  [
    { AWS_ENDPOINT_URL: 'https://all.example.com', AWS_ENDPOINT_URL_S3: 'https://s3.example.com' },
    'https://s3.example.com/shots',
  ],
])('%j leads to %s', (more, base) => {
  expect(bucketAccess('shots', { ...env, ...more })).toMatchObject({ ok: true, value: { base } });
});

test('a bucket with a dot in its name is not part of the host name, which no certificate would cover', () => {
  expect(bucketAccess('my.shots', env)).toMatchObject({
    value: { base: 'https://s3.us-east-1.amazonaws.com/my.shots' },
  });
});

test.each([
  [{ AWS_ACCESS_KEY_ID: '' }, 'no credentials'],
  [{ AWS_SECRET_ACCESS_KEY: 'a b' }, 'AWS_SECRET_ACCESS_KEY'],
  [{ AWS_REGION: 'over there' }, 'AWS_REGION'],
  [{ AWS_ENDPOINT_URL: 'somewhere' }, 'AWS_ENDPOINT_URL'],
  [{ AWS_ENDPOINT_URL_S3: 'http://s3.example.com' }, 'not encrypted'],
  [{ AWS_ENDPOINT_URL_S3: 'https://me:pass@s3.example.com' }, 'a user, a password'],
])('%j is refused: %s', (more, words) => {
  const access = bucketAccess('shots', { ...env, ...more });
  expect(access).toMatchObject({ ok: false, error: { message: expect.stringContaining(words) } });
  expect(JSON.stringify(access)).not.toContain('pass@');
});
