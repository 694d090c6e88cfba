// Reads and checks a pipeline file and what it includes. Each file is read once, so the bytes that are parsed are the
// bytes that are trusted.
import { type Digest, digestOfBytes } from '../../../contract/base/digest.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { readRegularFile } from '../../../contract/files/regular-file.ts';
import type { Diagnostic, IncludedTexts } from '../../../contract/yaml/diagnostic.ts';
import { decodeText } from '../../../contract/yaml/utf8.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { validate } from '../../language/validate.ts';
import { FragmentReader } from './fragment-reader.ts';
import { type Problem, problem } from './problem.ts';

export interface ParsedPipeline {
  readonly pipeline: Pipeline;
  /** As the user named it. */
  readonly file: string;
  /** Of the file's bytes, and of those of the files that it includes. */
  readonly digest: Digest;
  readonly warnings: readonly Diagnostic[];
  /** The texts of the files that it includes. */
  readonly included: IncludedTexts;
  /** The names of its profiles. */
  readonly profiles: readonly string[];
  /** The profile that was applied. */
  readonly profile: string | undefined;
  /** The first profile with the output folder that the chosen profile sets; undefined: it sets none. */
  readonly outputProfile: string | undefined;
}

export interface ParseOptions {
  /** The name of a profile, as `--profile` gives it. */
  readonly profile?: string | undefined;
  /** Called with the names of all files that the file includes, also if one is missing or wrong. */
  readonly onIncluded?: (files: readonly string[]) => void;
}

/** In bytes. */
export const largestPipeline = 10_000_000;

export function parsePipeline(
  file: string,
  { profile, onIncluded }: ParseOptions = {},
): Result<ParsedPipeline, Problem> {
  if (file === '') return err(problem('the name of the pipeline file is empty'));
  const bytes = readRegularFile(file, { max: largestPipeline });
  if (!bytes.ok) return err(problem(`the pipeline file ${bytes.error}`, file));
  const decoded = decodeText(file, bytes.value);
  if (!decoded.ok) {
    const { diagnostic, ...seen } = decoded.error;
    return err({ reason: 'input', diagnostics: [diagnostic], ...seen });
  }
  const text = decoded.value;
  const fragments = new FragmentReader(file);
  const validated = validate(file, text, { profile, fragments });
  onIncluded?.(fragments.files);
  const { texts: included } = fragments;
  if (!validated.ok) return err({ reason: 'input', diagnostics: validated.error, text, included });
  return ok({
    ...validated.value,
    file,
    profile,
    digest: digestWith(bytes.value, fragments),
    included,
  });
}

/** A file that includes nothing has the digest of its bytes. */
function digestWith(bytes: Uint8Array, { digests }: FragmentReader): Digest {
  const own = digestOfBytes(bytes);
  return digests.length === 0 ? own : digestOfBytes(JSON.stringify([own, ...digests]));
}
