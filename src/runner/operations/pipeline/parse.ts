// Reads and checks a pipeline file by itself. It is read once, so the bytes that are parsed are the bytes that are
// trusted.
import { type Digest, digestOfBytes } from '../../../contract/base/digest.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { readRegularFile } from '../../../contract/files/regular-file.ts';
import type { Diagnostic } from '../../../contract/yaml/diagnostic.ts';
import { decodeText } from '../../../contract/yaml/utf8.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { validate } from '../../language/validate.ts';
import { type Problem, problem } from './problem.ts';

export interface ParsedPipeline {
  readonly pipeline: Pipeline;
  /** As the user named it. */
  readonly file: string;
  /** Of the file's bytes. */
  readonly digest: Digest;
  readonly warnings: readonly Diagnostic[];
}

/** In bytes. */
export const largestPipeline = 10_000_000;

export function parsePipeline(file: string): Result<ParsedPipeline, Problem> {
  if (file === '') return err(problem('the name of the pipeline file is empty'));
  const bytes = readRegularFile(file, { max: largestPipeline });
  if (!bytes.ok) return err(problem(`the pipeline file ${bytes.error}`, file));
  const decoded = decodeText(file, bytes.value);
  if (!decoded.ok) {
    const { diagnostic, ...seen } = decoded.error;
    return err({ reason: 'input', diagnostics: [diagnostic], ...seen });
  }
  const text = decoded.value;
  const validated = validate(file, text);
  if (!validated.ok) return err({ reason: 'input', diagnostics: validated.error, text });
  const { pipeline, warnings } = validated.value;
  return ok({ pipeline, file, digest: digestOfBytes(bytes.value), warnings });
}
