// `plan --resolved`: the pipeline file as it is run: with its fragments, defaults and profile, and without what holds them.
import { basename } from 'node:path';
import { printable } from '../../base/printable.ts';
import { yamlText } from '../../contract/yaml/yaml-text.ts';
import { parsePipeline } from '../../language/load/parse.ts';

export interface ResolvedPipeline {
  readonly file: string;
  /** A pipeline file that has the same plan, if it is beside the original. */
  readonly yaml: string;
}

/**
 * Says what a pipeline file means after its fragments are included and its defaults and its profile are applied. Reads
 * only the file and what it includes; values of `--input` and of the environment are not in the text.
 *
 * @example
 * ```ts
 * import { resolvedPipeline } from 'shotlist';
 *
 * const resolved = resolvedPipeline('pipeline.yaml');
 * console.log(resolved.yaml);
 * ```
 */
export function resolvedPipeline(
  file: string,
  { profile }: { readonly profile?: string | undefined } = {},
): ResolvedPipeline {
  const parsed = parsePipeline(file, { profile });
  const chosen = profile === undefined ? '' : ` with --profile ${profile}`;
  const title = `# ${printable(basename(file))} as it is run${chosen}\n`;
  return { file, yaml: `${title}${yamlText(parsed.pipeline.source.value)}` };
}
