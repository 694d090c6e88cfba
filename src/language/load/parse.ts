// Reads and checks a pipeline file and what it includes. Each file is read once, so the bytes that are parsed are the
// bytes that are trusted.

import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Digest, digestOfBytes } from '../../base/digest.ts';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { repositoryOf } from '../../base/repository.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Diagnostic, IncludedTexts } from '../../contract/yaml/diagnostic.ts';
import { decodeText } from '../../contract/yaml/utf8.ts';
import type { Pipeline } from '../pipeline.ts';
import { reservedFolder } from '../reserved-name.ts';
import type { FragmentFiles, FragmentText, Unreadable } from '../reuse/include.ts';
import { validate } from '../validate.ts';
import { nearFile } from './near-file.ts';
import { problem, Refusal } from './refusal.ts';

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
): ParsedPipeline {
  if (file === '') throw new Refusal(problem('the name of the pipeline file is empty'));
  const bytes = readRegularFile(file, { max: largestPipeline });
  if (!bytes.ok) throw new Refusal(problem(`the pipeline file ${bytes.error}`, file));
  const decoded = decodeText(file, bytes.value);
  if (!decoded.ok) {
    const { diagnostic, ...seen } = decoded.error;
    throw new Refusal({ reason: 'input', diagnostics: [diagnostic], ...seen });
  }
  const text = decoded.value;
  const fragments = new FragmentReader(file);
  const validated = validate(file, text, { profile, fragments });
  onIncluded?.(fragments.files);
  const { texts: included } = fragments;
  if (!validated.ok)
    throw new Refusal({ reason: 'input', diagnostics: validated.error, text, included });
  return {
    ...validated.value,
    file,
    profile,
    digest: digestWith(bytes.value, fragments),
    included,
  };
}

/** A file that includes nothing has the digest of its bytes. */
function digestWith(bytes: Uint8Array, { digests }: FragmentReader): Digest {
  const own = digestOfBytes(bytes);
  return digests.length === 0 ? own : digestOfBytes(JSON.stringify([own, ...digests]));
}

// Reads the fragment files that a pipeline includes: regular files of its repository, links followed, and nothing else,
// not even with --allow-outside.

/** In bytes. */
const largestFragment = 1_000_000;

class FragmentReader implements FragmentFiles {
  /** The folder as the user named it, for messages. */
  readonly #named: string;
  readonly #folder: string;
  readonly #repository: string;
  readonly #digests = new Map<string, Digest>();
  readonly #texts = new Map<string, string>();
  /** A file that is included twice is read once, so that its digest is that of what was used. */
  readonly #read = new Map<string, Result<FragmentText, Unreadable>>();
  /** Every file that was looked for, also if it does not exist. */
  readonly #files = new Set<string>();

  constructor(pipelineFile: string) {
    this.#named = dirname(pipelineFile);
    this.#folder = realPathOr(resolve(this.#named));
    this.#repository = repositoryOf(this.#folder);
  }

  get files(): readonly string[] {
    return [...this.#files];
  }

  get texts(): IncludedTexts {
    return Object.fromEntries(this.#texts);
  }

  /** Of the content of the fragments, by their paths relative to the pipeline file. */
  get digests(): readonly (readonly [string, Digest])[] {
    return [...this.#digests].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  read(path: string): Result<FragmentText, Unreadable> {
    const read = this.#read.get(path) ?? this.#open(path);
    this.#read.set(path, read);
    return read;
  }

  #open(path: string): Result<FragmentText, Unreadable> {
    if (path.includes('\0'))
      return err({
        code: 'SL902',
        message: 'contains a null character, which no path can have',
        hint: 'remove the character',
      });
    const outside = this.#refusal(resolve(this.#folder, path));
    if (outside !== undefined) return err(outside);
    const file = join(this.#named, path);
    this.#files.add(file);
    const real = realPathOr(resolve(this.#folder, path));
    const linked = this.#refusal(real);
    if (linked !== undefined) return err(linked);
    const bytes = readRegularFile(real, { max: largestFragment });
    if (!bytes.ok) {
      const hint = nearFile(real) ?? 'paths are relative to the file that includes';
      return err({ code: 'SL902', message: bytes.error, hint });
    }
    this.#digests.set(path, digestOfBytes(bytes.value));
    const decoded = decodeText(file, bytes.value);
    if (!decoded.ok) {
      const { diagnostic: inside, text } = decoded.error;
      if (text !== undefined) this.#texts.set(file, text);
      return err({ inside });
    }
    this.#texts.set(file, decoded.value);
    return ok({ file, identity: real, text: decoded.value });
  }

  #refusal(path: string): Unreadable | undefined {
    if (!isWithin(path, this.#repository))
      return {
        code: 'SL702',
        message: `is outside the repository ${this.#repository}`,
        hint: 'copy the file into the repository: an include never leaves it',
      };
    const reserved = relative(this.#repository, path)
      .split(sep)
      .map(reservedFolder)
      .find((found) => found !== undefined);
    return reserved === undefined
      ? undefined
      : {
          code: 'SL702',
          message: `is in a ${reserved} folder, which no pipeline reads`,
          hint: 'move the fragment to another folder',
        };
  }
}
