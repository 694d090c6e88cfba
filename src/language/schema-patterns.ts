// The patterns in the pipeline's schema, with a description of each.
import { durationPattern } from '../base/duration.ts';

/** A share, such as 2% or 0.5%. */
export const sharePattern = '^(100|[0-9]{1,2}(\\.[0-9]{1,4})?)%$';
/** The name of a pipeline, which is part of file names. */
export const namePattern = '^[A-Za-z0-9][A-Za-z0-9._-]*$';
export const envNamePattern = '^[A-Za-z_][A-Za-z0-9_]*$';
export const servicePattern = '^https?://';
/** A webhook that gets a run's summary. */
export const webhookPattern = '^https://';

const meanings: ReadonlyMap<unknown, string> = new Map([
  [durationPattern, 'a duration such as 90s, 10m or 1h'],
  [sharePattern, 'a whole number or a share such as "2%", up to "100%"'],
  [namePattern, 'a name of letters, digits, ".", "_" and "-" that begins with a letter or a digit'],
  [servicePattern, 'an address that begins with https:// or http://'],
  [webhookPattern, 'an address that begins with https://'],
  [envNamePattern, 'the name of an environment variable, such as PHOTO_YEAR'],
]);

/** The description of a pattern in the schema; undefined for any other pattern. */
export const meaningOf = (pattern: unknown): string | undefined => meanings.get(pattern);
