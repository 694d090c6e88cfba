// Pipelines and fragments as texts. «…» in one of them marks the place that is wrong.
import { posix } from 'node:path';
import type { Json } from '../../../src/base/json.ts';
import { err, ok } from '../../../src/base/result.ts';
import type { Diagnostic } from '../../../src/contract/yaml/diagnostic.ts';
import type { Pipeline } from '../../../src/language/pipeline.ts';
import type { FragmentFiles } from '../../../src/language/reuse/include.ts';
import { validate } from '../../../src/language/validate.ts';
import { marked } from '../check.ts';

/** By their paths; the pipeline file is `p.yaml`. */
export type Files = Readonly<Record<string, string>>;

const fragmentsIn = (files: Files): FragmentFiles => ({
  read: (path) => {
    const name = posix.normalize(path);
    const text = files[name];
    return text === undefined
      ? err({ code: 'SL902', hint: 'check the spelling', message: 'does not exist' })
      : ok({ file: name, identity: name, text });
  },
});

export function checked(files: Files, profile?: string): ReturnType<typeof validate> {
  return validate('p.yaml', files['p.yaml'] ?? '', { profile, fragments: fragmentsIn(files) });
}

export function problemsIn(files: Files, profile?: string): readonly Diagnostic[] {
  const result = checked(files, profile);
  return result.ok ? [] : result.error;
}

export function pipelineIn(files: Files, profile?: string): Pipeline {
  const result = checked(files, profile);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join('; '));
  return result.value.pipeline;
}

/** The file as it is run. */
export const resolvedIn = (files: Files, profile?: string): Json =>
  pipelineIn(files, profile).source.value;

/** The files without the marks, and the place that is marked. */
export function markedIn(files: Files): {
  readonly files: Files;
  readonly place: Pick<Diagnostic, 'file' | 'span'>;
} {
  const [file, text] = Object.entries(files).find(([, content]) => content.includes('«')) ?? [];
  if (file === undefined || text === undefined) throw new Error('nothing is marked');
  const { text: plain, span } = marked(text);
  return { files: { ...files, [file]: plain }, place: { file, span } };
}

/** The only problem is at the mark; returns it. */
export function onlyProblem(files: Files, profile?: string): Diagnostic | undefined {
  const { files: plain, place } = markedIn(files);
  const [problem, ...more] = problemsIn(plain, profile);
  const found = problem === undefined ? undefined : { file: problem.file, span: problem.span };
  if (JSON.stringify(found) !== JSON.stringify(place) || more.length > 0)
    throw new Error(
      `not at the mark: ${JSON.stringify([problem, ...more])}, expected ${JSON.stringify(place)}`,
    );
  return problem;
}
