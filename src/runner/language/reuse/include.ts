// `include:`: the steps of fragments become steps of the file that includes them.

import { grouped } from '../../../contract/base/grouped.ts';
import type { Code } from '../../../contract/codes/all.ts';
import { kindNamed } from '../../../contract/kinds/all.ts';
import type { Diagnostic } from '../../../contract/yaml/diagnostic.ts';
import { parseSource, type Source } from '../../../contract/yaml/source.ts';
import { checkFragment } from './fragment.ts';
import { type FragmentFiles, folderOf, pathFrom, refusedName } from './fragment-files.ts';
import { settleInputs } from './fragment-inputs.ts';
import { inOuterNames } from './fragment-scope.ts';
import {
  itemsOf,
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
