// Which files a first pipeline is about.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { MediaType } from '../../../contract/api/asset.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { isWithin } from '../../adapters/files/within.ts';
import { mediaNoun, type Starter } from '../../starters/starter.ts';
import { type Problem, problem } from '../pipeline/problem.ts';
import { candidateFor, type MediaFound, mediaBelow, survey } from './survey.ts';

export interface MediaChoice {
  /** Relative to the pipeline file. */
  readonly glob: string;
  readonly count: number;
  readonly alike: boolean;
  /** Relative to the pipeline file. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Absolute: every file and folder that the pipeline reads. */
  readonly reads: readonly string[];
}

interface Where {
  /** Absolute: the working folder. */
  readonly folder: string;
  /** Absolute. */
  readonly file: string;
  /** Absolute. */
  readonly output: string;
  readonly media: string | undefined;
}

export async function chooseMedia(
  starter: Starter,
  { folder, file, output, media }: Where,
): Promise<Result<MediaChoice, Problem>> {
  const near = (path: string): string => relative(dirname(file), path).split(sep).join('/');
  const around = await mediaBelow(folder, (path) => path === output);
  if (starter.of === 'prompt') return ok({ ...nothing, count: starter.prompts.length });
  const root = resolve(folder, media ?? '.');
  if (!existsSync(root) || !statSync(root).isDirectory())
    return err(problem(`--media ${media}: there is no such folder`));
  const paths = root === folder ? around : await mediaBelow(root, (path) => path === output);
  // Results below the folder would become items.
  const whole = media !== undefined && !isWithin(output, root);
  const found = survey(paths, whole).find((one) => one.media === starter.of);
  if (found === undefined) return err(none(starter, starter.of, media));
  const place = join(root, found.folder);
  const items = new Set(found.files.map((path) => join(root, path)));
  const others = around.filter((path) => !items.has(join(folder, path)));
  const chosen = starter.inputs.flatMap((input): (readonly [string, string])[] => {
    const candidate = candidateFor(input.media, others, new Set());
    return candidate === undefined ? [] : [[input.name, join(folder, candidate)]];
  });
  return ok({
    glob: globOf(near(place), found),
    count: found.count,
    alike: found.alike,
    inputs: Object.fromEntries(chosen.map(([name, path]) => [name, near(path)])),
    reads: [place, ...chosen.map(([, path]) => path)],
  });
}

const nothing = { glob: '', alike: false, inputs: {}, reads: [] };

/** Brackets and stars in the names of folders are not patterns. */
function globOf(folder: string, { formats, flat }: MediaFound): string {
  const literal = folder.replace(/[\\*?[\]{}!+@]/g, '\\$&');
  const names = formats.length === 1 ? `*.${formats[0]}` : `*.{${formats.join(',')}}`;
  return [literal, ...(flat ? [] : ['**']), names].filter((part) => part !== '').join('/');
}

function none({ tool }: Starter, of: MediaType, media: string | undefined): Problem {
  const where = media === undefined ? 'this folder' : media;
  return problem(
    `${tool} needs ${mediaNoun[of]}s, and ${where} has none`,
    'shotlist',
    `name the folder that has them with --media, or choose a tool that needs none: shotlist init --tool ai-image-generator`,
  );
}
