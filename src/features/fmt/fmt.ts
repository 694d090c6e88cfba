// `fmt`: gives a pipeline file its one layout. Changes no meaning, and sends nothing.
import { basename } from 'node:path';
import { readRegularFile } from '../../base/regular-file.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { decodeText } from '../../contract/yaml/utf8.ts';
import { placeOf, replaceFile } from '../../files/replace-file.ts';
import { format } from '../../language/format/format.ts';
import { largestPipeline } from '../../language/load/parse.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { refuse } from '../refuse.ts';

export interface FmtOptions {
  /** `--check`: write nothing. Default: false. */
  readonly check?: boolean;
}

export interface Formatted {
  readonly file: string;
  /** True if the file had another layout; with `check` it still has. */
  readonly changed: boolean;
  /** In its one layout. */
  readonly text: string;
}

/**
 * Gives a pipeline file its one layout: two spaces, the keys in order, everything else as it is written. Keeps comments,
 * values and the permissions of the file. Refuses a file that is not YAML.
 *
 * @example
 * ```ts
 * import { fmt } from 'shotlist';
 *
 * const formatted = await fmt('pipeline.yaml', { check: true });
 * console.log(formatted.changed ? 'needs shotlist fmt' : 'has its layout');
 * ```
 */
export async function fmt(file: string, { check = false }: FmtOptions = {}): Promise<Formatted> {
  const read = readRegularFile(file, { max: largestPipeline });
  if (!read.ok) throw new Refusal(problem(`the pipeline file ${read.error}`, file));
  const formatted = formatBytes(file, read.value);
  if (check || !formatted.changed) return formatted;
  const found = placeOf(file);
  if ('refused' in found)
    refuse(
      `the file ${found.refused}; nothing was written`,
      'name the file that the link leads to',
      file,
    );
  try {
    await replaceFile(found.place, formatted.text);
    return formatted;
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    const said = `${basename(file)} ${systemReason(error)}; it was left as it is`;
    throw new Refusal({ ...problem(said, file), reason: 'system' });
  }
}

/**
 * The same for a text in UTF-8, for example from standard input. `name` is only for messages.
 *
 * @example
 * ```ts
 * import { fmtText } from 'shotlist';
 *
 * const formatted = fmtText(Buffer.from('pipeline:   p\n'));
 * console.log(formatted.text);
 * ```
 */
export function fmtText(bytes: Uint8Array, name = 'standard input'): Formatted {
  return formatBytes(name, bytes);
}

function formatBytes(file: string, bytes: Uint8Array): Formatted {
  const decoded = decodeText(file, bytes);
  if (!decoded.ok) {
    const { diagnostic, ...seen } = decoded.error;
    throw new Refusal({ reason: 'input', diagnostics: [diagnostic], ...seen });
  }
  const text = decoded.value;
  const formatted = format(file, text);
  if (!formatted.ok) throw new Refusal({ reason: 'input', diagnostics: formatted.error, text });
  return { file, changed: formatted.value !== text, text: formatted.value };
}
