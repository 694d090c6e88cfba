// What a job in CI needs besides the API key, where results are kept in a bucket.
import type { UnitFacts } from './unit.ts';

/** The names of the environment variables that hold a bucket's credentials. */
export const storeVariables = (store: string | undefined): readonly string[] =>
  isBucket(store)
    ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION', 'AWS_ENDPOINT_URL_S3']
    : [];

/**
 * A machine that begins empty does not know whom its user trusts: it must trust the pipeline file before a bucket that the
 * file names is used.
 */
export const trustArguments = ({ store, file }: UnitFacts): readonly string[] | undefined =>
  isBucket(store) ? ['trust', file] : undefined;

const isBucket = (store: string | undefined): boolean => store?.startsWith('s3://') === true;
