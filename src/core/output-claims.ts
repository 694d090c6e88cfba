// Prevents conflicts below the output folder, before anything is sent: two tasks must not write the
// same place, no file can be where another needs a folder, and nothing overwrites what the pipeline
// reads.

import type { Json } from '../base/json.ts';
import type { Code } from '../contract/codes.ts';
import { extensionMark, withMarkShown } from '../language/result-name.ts';
import type { Item } from '../model/item.ts';
import { stepOf } from '../model/task.ts';
import { longestPath, normalized, unusableName } from './output-path.ts';

/** The facts of the machine that decide which paths are equal or usable. */
export interface Machine {
  /** As `process.platform` names it. */
  readonly platform: string;
  /** The output folder's own path, absolute. */
  readonly root: string;
}

/** Why two uses of a path exclude each other. */
export interface Conflict {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
  /** Two tasks that would write the same file. */
  readonly between?: readonly [string, string];
}

export class OutputClaims {
  readonly #someOpen: boolean;
  /** The tasks that write files, and folders of numbered files with a final "/". */
  readonly #claimed = new Map<string, Claim>();
  /** Folders that must exist, by the task that needs them. */
  readonly #folders = new Map<string, string>();
  /**
   * Folders that contain a file with a number for its name, and the conflict with a `to` that is
   * this folder.
   */
  readonly #numbered = new Map<string, (task: string) => Conflict>();
  /**
   * Files whose extension only the run will know, without the extension, by the task that writes
   * them.
   */
  readonly #open = new Map<string, Claim>();
  /** The other files without their extensions, if some extensions are open. */
  readonly #stems = new Map<string, Claim>();
  /** Files that are read. */
  readonly #inputs = new Map<string, string>();

  /** `someOpen`: some downloads use `result.ext`. */
  constructor(someOpen = false) {
    this.#someOpen = someOpen;
  }

  /** Registers a file that is read, by its path below the output folder. Returns the conflict, if any. */
  read(what: string, path: string): Conflict | undefined {
    const name = seen(path);
    const numbered = numberedIn(name);
    const writer =
      this.#claimed.get(name) ??
      (numbered === undefined ? undefined : this.#claimed.get(`${numbered}/`));
    if (writer !== undefined) return overwrites(writer.task, JSON.stringify(path), what);
    const inside = this.#folders.get(name);
    if (inside !== undefined) return needsFolder(inside, JSON.stringify(path), what);
    const clash = this.#needFolder(what, folderOf(path));
    if (clash !== undefined) return clash;
    this.#inputs.set(name, what);
    if (numbered !== undefined)
      this.#numbered.set(numbered, (task) => overwrites(task, JSON.stringify(path), what));
    return undefined;
  }

  /** Registers a download's usable `to`. Returns the conflict, if any. */
  write(task: string, to: string): Conflict | undefined {
    const path = normalized(to);
    if (!path.ok)
      return {
        code: 'SL509',
        message: `${task}: to: ${path.error}`,
        hint: 'write a path below the output folder',
      };
    const said = JSON.stringify(withMarkShown(to));
    const name = seen(path.value);
    const claim = { task, said, path: path.value };
    return to.endsWith('/') ? this.#writeFolder(claim, name) : this.#writeFile(claim, name);
  }

  #writeFile(claim: Claim, name: string): Conflict | undefined {
    const { task, said } = claim;
    const other = this.#claimed.get(name) ?? this.#sameStem(name, claim);
    if (other !== undefined) return both(claim, other);
    const input = this.#inputs.get(name);
    if (input !== undefined) return overwrites(task, said, input);
    const inside = this.#folders.get(name);
    if (inside !== undefined) return needsFolder(inside, said, task);
    const numbered = numberedIn(name);
    const folder = numbered === undefined ? undefined : this.#claimed.get(`${numbered}/`);
    if (folder !== undefined) return both(claim, folder);
    const clash = this.#needFolder(task, folderOf(claim.path));
    if (clash !== undefined) return clash;
    if (numbered !== undefined)
      this.#numbered.set(numbered, (by) => both({ ...claim, task: by }, claim));
    this.#claimed.set(name, claim);
    return undefined;
  }

  /** The task that may write the same file, depending on the extension that the run finds. */
  #sameStem(name: string, claim: Claim): Claim | undefined {
    if (!this.#someOpen) return undefined;
    const isOpen = name.endsWith(`.${extensionMark}`);
    const stem = isOpen ? name.slice(0, -extensionMark.length - 1) : stemOf(name);
    const other = this.#open.get(stem) ?? (isOpen ? this.#stems.get(stem) : undefined);
    (isOpen ? this.#open : this.#stems).set(stem, claim);
    return other;
  }

  #writeFolder(claim: Claim, folder: string): Conflict | undefined {
    const other = this.#claimed.get(`${folder}/`);
    if (other !== undefined) return both(claim, other);
    const { task } = claim;
    const clash = this.#numbered.get(folder)?.(task) ?? this.#needFolder(task, claim.path);
    if (clash !== undefined) return clash;
    this.#claimed.set(`${folder}/`, claim);
    return undefined;
  }

  /** Registers a folder and its parents. Returns the conflict if one of them is a file. */
  #needFolder(task: string, folder: string): Conflict | undefined {
    for (
      let path = folder, at = seen(folder);
      at !== '';
      path = folderOf(path), at = folderOf(at)
    ) {
      const file = this.#claimed.get(at)?.task ?? this.#inputs.get(at);
      if (file !== undefined) return needsFolder(task, JSON.stringify(path), file);
      if (!this.#folders.has(at)) this.#folders.set(at, task);
    }
    return undefined;
  }
}

/** A place that a task writes. `said`: as the pipeline names it. */
interface Claim {
  readonly task: string;
  readonly said: string;
  readonly path: string;
}

/**
 * Equal for names that differ only in case, or in how accents are composed: macOS and Windows take them for one, and so do
 * USB disks and file servers that any machine may use, now or later.
 */
const seen = (path: string): string =>
  /^[ -~]*$/.test(path)
    ? path.toUpperCase()
    : Array.from(path.normalize('NFC'), upperCase).join('');

/** No disk takes `ß` for `SS`. */
const upperCase = (character: string): string => {
  const upper = character.toUpperCase();
  return [...upper].length === 1 ? upper : character;
};

/** A sentence that says why a download cannot be written to a place, apart from conflicts. */
export function unusablePlace(to: string, { platform, root }: Machine): string | undefined {
  const path = normalized(to);
  if (!path.ok) return `to: ${path.error}`;
  const said = JSON.stringify(withMarkShown(to));
  const unusable = unusableName(path.value, platform);
  if (unusable !== undefined) return `to: ${said} ${unusable}`;
  return Buffer.byteLength(root) + 1 + Buffer.byteLength(path.value) > longestPath
    ? `to: ${said} below ${root} is a path of over ${longestPath} bytes`
    : undefined;
}

const stemOf = (path: string): string => path.replace(/\.[^./]*$/, '');

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The folder of a file that has a number for its name; undefined for other names. */
const numberedIn = (path: string): string | undefined =>
  /(^|\/)\d+\.[^./]+$/.test(path) ? folderOf(path) : undefined;

const both = ({ task, said, path }: Claim, other: Claim): Conflict => ({
  code: 'SL510',
  message:
    path !== other.path && seen(path) === seen(other.path)
      ? `${task} and ${other.task} would write ${said} and ${other.said}, which many disks take for one file`
      : `${task} and ${other.task} would both write ${said}`,
  hint: 'write a value in to: that differs between them',
  between: [task, other.task],
});

const overwrites = (task: string, path: string, what: string): Conflict => ({
  code: 'SL511',
  message: `${task} would overwrite ${path}, which is ${what}`,
  hint: 'choose another to:, or another output folder',
});

const needsFolder = (task: string, said: string, other: string): Conflict => ({
  code: 'SL510',
  message: `${task} needs ${said} as a folder, and ${other} as a file`,
  hint: 'choose another name in to:',
});

// What differs between two tasks that would write the same file, so that a hint can name it.

/** One of two tasks. `item`: undefined for a shared task. */
export interface Claimant {
  readonly task: string;
  readonly item: Item | undefined;
}

/** The fields of a file that make good names, the best first; a row has its own columns. */
const ofFiles = ['stem', 'dir', 'ext'];
/** They differ between all items, and make poor names. */
const last = ['name', 'path', 'index', 'key'];

/** The imperative clause of a hint. */
export function hintOf(one: Claimant, other: Claimant): string {
  if (stepOf(one.task) !== stepOf(other.task))
    return 'write another place in to: of one of the two steps';
  const [mine, yours] = [one.item, other.item];
  if (mine === undefined || yours === undefined || mine.key === yours.key)
    return `write \${{ each.index }} in to:, which differs between the elements`;
  const found = difference('matrix', mine.matrix, yours.matrix) ?? fieldDifference(mine, yours);
  if (found === undefined) return `write \${{ item.key }} in to:, which differs between them`;
  const { name, values } = found;
  return `write \${{ ${name} }} in to:, which differs: ${values.join(' and ')}`;
}

interface Difference {
  readonly name: string;
  readonly values: readonly [string, string];
}

function fieldDifference({ fields }: Item, { fields: others }: Item): Difference | undefined {
  const own = Object.keys(fields).filter((name) => !ofFiles.includes(name) && !last.includes(name));
  const order = [...ofFiles, ...own, ...last];
  const sorted = Object.fromEntries(
    order.flatMap((name) => {
      const value = fields[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return difference('item', sorted, others);
}

/** The first simple value that differs, whatever the case of its letters: some disks take no notice of that. */
function difference(
  scope: 'item' | 'matrix',
  one: Readonly<Record<string, Json>> = {},
  other: Readonly<Record<string, Json>> = {},
): Difference | undefined {
  for (const [name, value] of Object.entries(one)) {
    const theirs = other[name];
    if (!isSimple(value) || !isSimple(theirs) || folded(value) === folded(theirs)) continue;
    const place = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    return { name: `${scope}${place}`, values: [JSON.stringify(value), JSON.stringify(theirs)] };
  }
  return undefined;
}

const isSimple = (value: Json | undefined): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= 80);

const folded = (value: string | number): string => String(value).normalize('NFC').toLowerCase();
