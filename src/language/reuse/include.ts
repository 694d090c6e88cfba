// `include:`: the steps of fragments become steps of the file that includes them.

import { isObject, type Json } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Schema } from '../../base/schema.ts';
import { grouped } from '../../base/text.ts';
import type { Code } from '../../contract/codes/all.ts';
import { kindNamed } from '../../contract/kinds.ts';
import {
  type Diagnostic,
  errorAt,
  type Finding,
  listing,
  nearest,
  suggestion,
} from '../../contract/yaml/diagnostic.ts';
import {
  describeValue,
  dotted,
  shapeProblems,
  unknownKey,
  type YamlFormat,
} from '../../contract/yaml/shape.ts';
import { parseSource, type Source } from '../../contract/yaml/source.ts';
import { fragmentSchema, pipelineShape } from '../schema.ts';
import { isTemplated } from '../template.ts';
import { inOuterNames } from './fragment-scope.ts';
import {
  errorAtPlaced,
  itemsOf,
  jsonOf,
  mapTexts,
  memberOf,
  membersOf,
  type Placed,
  placedRoot,
  textOf,
  valueAt,
} from './placed.ts';

const maxDepth = 8;
const maxFragments = 200;
/** In characters, of all fragments together; one that is included twice counts twice. */
const maxChars = 10_000_000;

export interface FragmentText {
  /** As in messages. */
  readonly file: string;
  /** The same for two names of one file. */
  readonly identity: string;
  readonly text: string;
}

/** A finding whose message is the end of a sentence about the file, or a diagnostic inside the file. */
export type Unreadable = Finding | { readonly inside: Diagnostic };

export interface FragmentFiles {
  /** `path`: relative to the folder of the pipeline file, with `/`. */
  read(path: string): Result<FragmentText, Unreadable>;
}

/** Steps by name, in the names of the file that includes them. */
type Steps = Map<string, Placed>;

export class Includes {
  readonly problems: Diagnostic[] = [];
  readonly #files: FragmentFiles | undefined;
  #fragments = 0;
  #text = 0;

  constructor(files: FragmentFiles | undefined) {
    this.#files = files;
  }

  /** The steps of everything that a file includes. `folder` and `chain`: of the file. */
  stepsOf(root: Placed, folder = '', chain: readonly Opened[] = []): Steps {
    const steps: Steps = new Map();
    const entries = itemsOf(memberOf(root, 'include')) ?? [];
    const own = membersOf(memberOf(root, 'steps'));
    for (const entry of entries) {
      const prefix = `${textOf(memberOf(entry, 'as'))}-`;
      for (const [name, step] of this.#included(entry, prefix, folder, chain)) {
        if (steps.has(name) || own?.has(name) === true)
          this.#report(entry, 'as', {
            code: 'SL911',
            message: `there is already a step "${name}"`,
            hint: 'use another prefix with as:',
          });
        else steps.set(name, step);
      }
    }
    return steps;
  }

  #included(entry: Placed, prefix: string, folder: string, chain: readonly Opened[]): Steps {
    const opened = this.#open(entry, folder, chain);
    if (opened === undefined) return new Map();
    const { source } = opened;
    const problems = checkFragment(source);
    this.problems.push(...problems);
    if (problems.length > 0) return new Map();
    const root = placedRoot(source);
    const steps: Steps = new Map([
      ...this.stepsOf(root, opened.folder, [...chain, opened]),
      ...stepsIn(root, opened.folder),
    ]);
    const inputs = settleInputs(entry, folder, root, opened.folder);
    if (!inputs.ok) {
      this.problems.push(...inputs.error);
      return new Map();
    }
    const scope = { prefix, steps: new Set(steps.keys()), inputs: inputs.value };
    return new Map(
      [...steps].map(([name, step]) => [
        `${prefix}${name}`,
        inOuterNames(step, scope, this.problems),
      ]),
    );
  }

  #open(entry: Placed, folder: string, chain: readonly Opened[]): Opened | undefined {
    const file = textOf(memberOf(entry, 'file')) ?? '';
    const refuse = (code: Code, why: string, hint: string): undefined =>
      this.#report(entry, 'file', {
        code,
        message: `include: ${JSON.stringify(file)} ${why}`,
        hint,
      });
    const wrong = wrongName(file);
    if (wrong !== undefined) return refuse('SL901', wrong, relativeHint);
    if (this.#files === undefined)
      return refuse('SL902', 'cannot be read here', 'check the file by its name');
    if (chain.length >= maxDepth)
      return refuse(
        'SL904',
        `is the ${maxDepth + 1}th file in a row of includes`,
        'include the file from a fragment nearer to the pipeline',
      );
    if (this.#fragments++ >= maxFragments)
      return refuse(
        'SL904',
        `is one more than ${maxFragments} fragments`,
        'include fewer fragments; a matrix or for_each repeats steps',
      );
    const path = pathFrom(folder, file);
    const read = this.#files.read(path);
    if (!read.ok) {
      if ('inside' in read.error) this.problems.push(read.error.inside);
      else refuse(read.error.code, read.error.message, read.error.hint);
      return undefined;
    }
    const { identity, text, file: name } = read.value;
    const names = [...chain.map((one) => one.source.file), name];
    if (chain.some((one) => one.identity === identity))
      return refuse(
        'SL903',
        `includes itself: ${names.join(' → ')}`,
        'remove one of these includes',
      );
    this.#text += text.length;
    if (this.#text > maxChars)
      return refuse(
        'SL904',
        `exceeds ${grouped(maxChars)} characters of fragments in all`,
        'include smaller or fewer fragments',
      );
    const parsed = parseSource(name, text);
    if (parsed.ok) return { identity, source: parsed.value, folder: folderOf(path) };
    this.problems.push(...parsed.error);
    return undefined;
  }

  #report(entry: Placed, key: string, finding: Finding): undefined {
    this.problems.push(errorAtPlaced(memberOf(entry, key) ?? entry, 'value', finding));
  }
}

/** A fragment that is being included. */
interface Opened {
  readonly identity: string;
  readonly source: Source;
  /** Relative to the folder of the pipeline file. */
  readonly folder: string;
}

/** The steps that a fragment itself has; the files that they name are in the fragment's folder. */
function stepsIn(root: Placed, folder: string): Steps {
  return new Map(
    [...(membersOf(memberOf(root, 'steps')) ?? [])].map(([name, step]) => {
      const uses = textOf(memberOf(step, 'uses')) ?? '';
      if (kindNamed(uses)?.operation !== 'upload') return [name, step];
      const moved = mapTexts(step, (text, at, within) => {
        const isFile = within.length === 2 && within[0] === 'with' && within[1] === 'file';
        const path = isFile ? pathFrom(folder, text) : text;
        return path === text ? at : valueAt(at, path);
      });
      return [name, moved];
    }),
  );
}

// Checks a fragment file by itself: its fields and inputs. Its steps are checked in the pipeline.

function checkFragment(source: Source): readonly Diagnostic[] {
  if (!isObject(source.value)) {
    const message = `a fragment must be an object, not ${describeValue(source.value)}`;
    const hint = 'a fragment has steps:, and inputs: that they take';
    return [errorAt(source.file, source.spanOf([]), { code: 'SL905', message, hint })];
  }
  return shapeProblems(fragmentShape, source, format);
}

const fragmentShape: Schema = fragmentSchema();

/** Only the pipeline file says where the key goes, what runs afterwards, and what may be spent. */
const format: YamlFormat = {
  subjectOf: (path) => dotted(path) || 'the file',
  sentenceOf: (error, path) => {
    if (error.keyword !== 'additionalProperties' || path.length > 0) return undefined;
    const { key } = unknownKey(error);
    if (!Object.hasOwn(pipelineShape.properties, key)) return undefined;
    return {
      code: 'SL905',
      message: `a fragment cannot have ${JSON.stringify(key)}`,
      hint: 'write it in the pipeline file; a fragment has description, inputs, include and steps',
      at: [key],
    };
  },
};

/**
 * The inputs of a fragment: the values under `with:` of the include, else the defaults. The folders are those of the
 * including file and of the fragment, relative to the pipeline file's.
 */
function settleInputs(
  entry: Placed,
  folder: string,
  fragment: Placed,
  fragmentFolder: string,
): Result<ReadonlyMap<string, Placed>, readonly Diagnostic[]> {
  const problems: Diagnostic[] = [];
  const report = (at: Placed, what: 'value' | 'key', finding: Finding): void => {
    const message = `include "${textOf(memberOf(entry, 'as')) ?? ''}": ${finding.message}`;
    problems.push(errorAtPlaced(at, what, { ...finding, message }));
  };
  const declared = membersOf(memberOf(fragment, 'inputs')) ?? new Map<string, Placed>();
  const given = membersOf(memberOf(entry, 'with')) ?? new Map<string, Placed>();
  for (const [name, value] of given)
    if (!declared.has(name))
      report(value, 'key', {
        code: 'SL906',
        message: `the fragment has no input "${name}"`,
        hint:
          suggestion(name, declared.keys()) ??
          (declared.size === 0
            ? 'the fragment declares no inputs: remove it'
            : `inputs: ${listing(declared.keys())}`),
      });
  // A misspelled name is one mistake.
  const meant = new Set(
    [...given.keys()].flatMap((name) =>
      declared.has(name) ? [] : (nearest(name, declared.keys()) ?? []),
    ),
  );
  const values = new Map<string, Placed>();
  for (const [name, declaration] of declared) {
    const type = textOf(memberOf(declaration, 'type')) ?? '';
    const own = given.get(name);
    const raw = own ?? memberOf(declaration, 'default');
    if (raw === undefined) {
      const message = `the input "${name}" has no value`;
      if (!meant.has(name))
        report(entry, 'value', { code: 'SL907', message, hint: hintFor(name, declaration) });
      continue;
    }
    const value = jsonOf(raw);
    const wrong =
      own === undefined && typeof value === 'string' && isTemplated(value)
        ? 'a plain value: a default cannot be an expression'
        : mismatch(value, type);
    if (wrong !== undefined) {
      const hint =
        type === 'string' && typeof value !== 'string'
          ? 'put it in quotation marks'
          : hintFor(name, declaration);
      report(raw, 'value', { code: 'SL908', message: `${name} must be ${wrong}`, hint });
    }
    const base = own === undefined ? fragmentFolder : folder;
    const isPath = type === 'file' && typeof value === 'string';
    values.set(name, isPath ? valueAt(raw, pathFrom(base, value)) : raw);
  }
  return problems.length > 0 ? err(problems) : ok(values);
}

function hintFor(name: string, declaration: Placed): string {
  const about = textOf(memberOf(declaration, 'description'));
  return `set it: with: { ${name}: … }${about === undefined ? '' : ` (${about})`}`;
}

/** What the value must be; undefined if it is that, or an expression. */
function mismatch(value: Json, type: string): string | undefined {
  if (typeof value === 'string' && isTemplated(value)) return undefined;
  const not = `, not ${describeValue(value)}`;
  if (type === 'file')
    return typeof value === 'string' && value !== '' ? undefined : `a path${not}`;
  return typeof value === type ? undefined : `a ${type}${not}`;
}

// How paths in fragment files are understood.

/** An absolute path, a path of the home folder, or an address. */
const isRooted = (path: string): boolean => /^(?:[/~\\]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(path);

const relativeHint = 'write a path relative to this file, for example common/face-swap.yaml';

/** Why a path cannot name a fragment: the end of a sentence about it. */
function wrongName(path: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(path))
    return 'is an address, and shotlist includes only files of the repository';
  if (isRooted(path)) return 'is not relative to this file';
  if (path.includes('${{')) return 'contains an expression, and the steps must be known first';
  return path.includes('\\') ? 'contains a backslash' : undefined;
}

/** A path that a file in `folder` names, relative to the folder of the pipeline file. */
function pathFrom(folder: string, path: string): string {
  if (folder === '' || isRooted(path) || path.startsWith('${{')) return path;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    const up = part === '..' && parts.length > 0 && parts.at(-1) !== '..';
    if (up) parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  const slash = path.endsWith('/') ? '/' : '';
  return `${parts.join('/')}${slash}`;
}

const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
