// `include:`: the steps of fragments become steps of the file that includes them.
import { grouped } from '../../base/grouped.ts';
import { isObject, type Json } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Schema, validatorOf } from '../../base/schema.ts';
import type { Code } from '../../contract/codes/all.ts';
import { kindNamed } from '../../contract/kinds/all.ts';
import { type Diagnostic, listing, nearest, suggestion } from '../../contract/yaml/diagnostic.ts';
import {
  describeValue,
  diagnose,
  dotted,
  unknownKey,
  withoutEchoes,
  type YamlFormat,
} from '../../contract/yaml/shape.ts';
import { parseSource, type Source } from '../../contract/yaml/source.ts';
import { fragmentSchema, pipelineShape } from '../schema.ts';
import { isTemplated } from '../template.ts';
import { inOuterNames } from './fragment-scope.ts';
import {
  itemsOf,
  jsonOf,
  mapTexts,
  memberOf,
  membersOf,
  type Placed,
  placedRoot,
  spanOf,
  textOf,
  valueAt,
} from './placed.ts';

const deepest = 8;
const mostFragments = 200;
/** In characters, of all fragments together; one that is included twice counts twice. */
const mostText = 10_000_000;

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
          this.#report(
            'SL911',
            entry,
            'as',
            `there is already a step "${name}"`,
            'use another prefix with as:',
          );
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
    const inputs = settleInputs(entry, root, { outer: folder, inner: opened.folder });
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
      this.#report(code, entry, 'file', `include: ${JSON.stringify(file)} ${why}`, hint);
    const wrong = refusedName(file);
    if (wrong !== undefined) return refuse('SL901', wrong.why, wrong.hint);
    if (this.#files === undefined)
      return refuse('SL902', 'cannot be read here', 'check the file by its name');
    if (chain.length >= deepest)
      return refuse(
        'SL904',
        `is the ${deepest + 1}th file in a row of includes`,
        'include the file from a fragment nearer to the pipeline',
      );
    if (this.#fragments++ >= mostFragments)
      return refuse(
        'SL904',
        `is one more than ${mostFragments} fragments`,
        'include fewer fragments; a matrix or for_each repeats steps',
      );
    const path = pathFrom(folder, file);
    const read = this.#files.read(path);
    if (!read.ok) {
      if ('inside' in read.error) this.problems.push(read.error.inside);
      else refuse(read.error.code, read.error.why, read.error.hint);
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
    if (this.#text > mostText)
      return refuse(
        'SL904',
        `exceeds ${grouped(mostText)} characters of fragments in all`,
        'include smaller or fewer fragments',
      );
    const parsed = parseSource(name, text);
    if (parsed.ok) return { identity, source: parsed.value, folder: folderOf(path) };
    this.problems.push(...parsed.error);
    return undefined;
  }

  #report(code: Code, entry: Placed, key: string, message: string, hint: string): undefined {
    const at = memberOf(entry, key) ?? entry;
    const { file } = at.source;
    const span = spanOf(at, 'value', at.source);
    this.problems.push({ severity: 'error', code, file, span, message, hint });
    return undefined;
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
    const { file } = source;
    const span = source.spanOf([]);
    return [{ severity: 'error', code: 'SL905', file, span, message, hint }];
  }
  const validate = validatorOf(shape);
  validate(source.value);
  return withoutEchoes(validate.errors ?? []).map((error) => diagnose(error, source, format));
}

const shape: Schema = fragmentSchema();

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

// The inputs of a fragment: the values under `with:` of the include, else the defaults.

/** The folders of the including file and of the fragment, relative to the pipeline file's folder. */
interface Folders {
  readonly outer: string;
  readonly inner: string;
}

function settleInputs(
  entry: Placed,
  fragment: Placed,
  folders: Folders,
): Result<ReadonlyMap<string, Placed>, readonly Diagnostic[]> {
  const problems: Diagnostic[] = [];
  const report = (
    code: Code,
    at: Placed,
    what: 'value' | 'key',
    message: string,
    hint: string,
  ): void => {
    const { file } = at.source;
    const span = spanOf(at, what, at.source);
    problems.push({ severity: 'error', code, file, span, message, hint });
  };
  const prefix = textOf(memberOf(entry, 'as')) ?? '';
  const declared = membersOf(memberOf(fragment, 'inputs')) ?? new Map<string, Placed>();
  const given = membersOf(memberOf(entry, 'with')) ?? new Map<string, Placed>();
  for (const [name, value] of given)
    if (!declared.has(name))
      report(
        'SL906',
        value,
        'key',
        `include "${prefix}": the fragment has no input "${name}"`,
        suggestion(name, declared.keys()) ??
          (declared.size === 0
            ? 'the fragment declares no inputs: remove it'
            : `inputs: ${listing(declared.keys())}`),
      );
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
    if (raw === undefined && meant.has(name)) continue;
    if (raw === undefined) {
      report(
        'SL907',
        entry,
        'value',
        `include "${prefix}": the input "${name}" has no value`,
        hintFor(name, declaration),
      );
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
      report('SL908', raw, 'value', `include "${prefix}": ${name} must be ${wrong}`, hint);
    }
    const folder = own === undefined ? folders.inner : folders.outer;
    const isPath = type === 'file' && typeof value === 'string';
    values.set(name, isPath ? valueAt(raw, pathFrom(folder, value)) : raw);
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

// Fragment files: how they are read, and how paths in them are understood.

export interface FragmentText {
  /** As in messages. */
  readonly file: string;
  /** The same for two names of one file. */
  readonly identity: string;
  readonly text: string;
}

/** The end of a sentence about the file, or a diagnostic inside the file. */
export type Unreadable =
  | { readonly code: Code; readonly why: string; readonly hint: string }
  | { readonly inside: Diagnostic };

export interface FragmentFiles {
  /** `path`: relative to the folder of the pipeline file, with `/`. */
  read(path: string): Result<FragmentText, Unreadable>;
}

/** An absolute path, a path of the home folder, or an address. */
const isRooted = (path: string): boolean => /^(?:[/~\\]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(path);

/** Why a path cannot name a fragment: the end of a sentence about it. */
export function refusedName(path: string): { why: string; hint: string } | undefined {
  const hint = 'write a path relative to this file, for example common/face-swap.yaml';
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(path))
    return { why: 'is an address, and shotlist includes only files of the repository', hint };
  if (isRooted(path)) return { why: 'is not relative to this file', hint };
  if (path.includes('${{'))
    return { why: 'contains an expression, and the steps must be known first', hint };
  return path.includes('\\') ? { why: 'contains a backslash', hint } : undefined;
}

/** A path that a file in `folder` names, relative to the folder of the pipeline file. */
export function pathFrom(folder: string, path: string): string {
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

export const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
