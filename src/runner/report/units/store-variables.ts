// What a job in CI needs besides the API key, where results are kept in a bucket.

/** The names of the environment variables that hold a bucket's credentials. */
export const storeVariables = (store: string | undefined): readonly string[] =>
  store?.startsWith('s3://') === true
    ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION', 'AWS_ENDPOINT_URL_S3']
    : [];
