// Reads and checks a pipeline file. It is read once, so the bytes that are parsed are the bytes that are trusted.
import { type Digest, digestOfBytes } from '../../base/digest.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { decodeText } from '../../contract/yaml/utf8.ts';
import type { Pipeline } from '../pipeline.ts';
import { validate } from '../validate.ts';
import { problem, Refusal } from './refusal.ts';

export interface ParsedPipeline {
  readonly pipeline: Pipeline;
  /** As the user named it. */
  readonly file: string;
  /** Of the file's bytes. */
  readonly digest: Digest;
  readonly warnings: readonly Diagnostic[];
  /** The names of its profiles. */
  readonly profiles: readonly string[];
  /** The profile that was applied. */
  readonly profile: string | undefined;
  /** The first profile with the output folder that the chosen profile sets; undefined: it sets none. */
  readonly outputProfile: string | undefined;
}

/** In bytes. */
const largestPipeline = 10_000_000;

/** `profile`: the name of a profile, as `--profile` gives it. */
export function parsePipeline(file: string, profile?: string): ParsedPipeline {
  if (file === '') throw new Refusal(problem('the name of the pipeline file is empty'));
  const bytes = readRegularFile(file, { max: largestPipeline });
  if (!bytes.ok) throw new Refusal(problem(`the pipeline file ${bytes.error}`, file));
  const decoded = decodeText(file, bytes.value);
  if (!decoded.ok) {
    const { diagnostic, ...seen } = decoded.error;
    throw new Refusal({ reason: 'input', diagnostics: [diagnostic], ...seen });
  }
  const text = decoded.value;
  const validated = validate(file, text, profile);
  if (!validated.ok) throw new Refusal({ reason: 'input', diagnostics: validated.error, text });
  return { ...validated.value, file, profile, digest: digestOfBytes(bytes.value) };
}
