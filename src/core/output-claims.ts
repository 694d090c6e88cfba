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

/** A place that a task writes, or a file that is read. */
interface Claim {
  /** The task, or what is read. */
  readonly by: string;
  /** As the pipeline names it. */
  readonly said: string;
  readonly path: string;
  readonly isRead: boolean;
}

export class OutputClaims {
  readonly #someOpen: boolean;
  /** By file. */
  readonly #files = new Map<string, Claim>();
  /** Folders of numbered files. */
  readonly #numbering = new Map<string, Claim>();
  /** By folder: a file in it that has a number for its name. */
  readonly #numbered = new Map<string, Claim>();
  /** Folders that must exist, by who needs them. */
  readonly #folders = new Map<string, string>();
  /** Without their extensions: files of which only the run will know the extension, … */
  readonly #open = new Map<string, Claim>();
  /** … and the others, if there are such files. */
  readonly #stems = new Map<string, Claim>();

  /** `someOpen`: some downloads use `result.ext`. */
  constructor(someOpen = false) {
    this.#someOpen = someOpen;
  }

  /** Registers a file that is read, by its path below the output folder. Returns the conflict, if any. */
  read(what: string, path: string): Conflict | undefined {
    return this.#file({ by: what, said: JSON.stringify(path), path, isRead: true });
  }

  /** Registers a download's usable `to`. Returns the conflict, if any. */
  write(task: string, to: string): Conflict | undefined {
    const path = normalized(to);
    const hint = 'write a path below the output folder';
    if (!path.ok) return { code: 'SL509', message: `${task}: to: ${path.error}`, hint };
    const said = JSON.stringify(withMarkShown(to));
    const claim = { by: task, said, path: path.value, isRead: false };
    return to.endsWith('/') ? this.#folder(claim) : this.#file(claim);
  }

  #file(claim: Claim): Conflict | undefined {
    const name = seen(claim.path);
    const folder = numberedIn(name);
    const other =
      this.#files.get(name) ??
      (claim.isRead ? undefined : this.#sameStem(name, claim)) ??
      (folder === undefined ? undefined : this.#numbering.get(folder));
    if (other !== undefined && !(other.isRead && claim.isRead)) return conflict(claim, other);
    const inside = this.#folders.get(name);
    if (inside !== undefined) return needsFolder(inside, claim.said, claim.by);
    const clash = this.#needFolder(claim.by, folderOf(claim.path));
    if (clash !== undefined) return clash;
    if (folder !== undefined) this.#numbered.set(folder, claim);
    this.#files.set(name, claim);
    return undefined;
  }

  /** Who may write the same file, depending on the extension that the run finds. */
  #sameStem(name: string, claim: Claim): Claim | undefined {
    if (!this.#someOpen) return undefined;
    const isOpen = name.endsWith(`.${extensionMark}`);
    const stem = isOpen ? name.slice(0, -extensionMark.length - 1) : stemOf(name);
    const other = this.#open.get(stem) ?? (isOpen ? this.#stems.get(stem) : undefined);
    (isOpen ? this.#open : this.#stems).set(stem, claim);
    return other;
  }

  #folder(claim: Claim): Conflict | undefined {
    const name = seen(claim.path);
    const other = this.#numbering.get(name);
    if (other !== undefined) return conflict(claim, other);
    const file = this.#numbered.get(name);
    if (file !== undefined) return conflict({ ...file, by: claim.by, isRead: false }, file);
    const clash = this.#needFolder(claim.by, claim.path);
    if (clash === undefined) this.#numbering.set(name, claim);
    return clash;
  }

  /** Registers a folder and its parents. Returns the conflict if one of them is a file. */
  #needFolder(by: string, folder: string): Conflict | undefined {
    for (let path = folder; path !== ''; path = folderOf(path)) {
      const name = seen(path);
      const file = this.#files.get(name);
      if (file !== undefined) return needsFolder(by, JSON.stringify(path), file.by);
      if (!this.#folders.has(name)) this.#folders.set(name, by);
    }
    return undefined;
  }
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

function conflict(one: Claim, other: Claim): Conflict {
  const [writer, read] = one.isRead ? [other, one] : [one, other];
  if (read.isRead)
    return {
      code: 'SL511',
      message: `${writer.by} would overwrite ${one.said}, which is ${read.by}`,
      hint: 'choose another to:, or another output folder',
    };
  const areAlike = one.path !== other.path && seen(one.path) === seen(other.path);
  const what = areAlike
    ? `would write ${one.said} and ${other.said}, which many disks take for one file`
    : `would both write ${one.said}`;
  return {
    code: 'SL510',
    message: `${one.by} and ${other.by} ${what}`,
    hint: 'use a value in to: that differs between them',
    between: [one.by, other.by],
  };
}

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

/** The best names first: fields of a file, '' for the columns of a row, and last what differs between all items. */
const fieldsByRank = ['stem', 'dir', 'ext', '', 'name', 'path', 'index', 'key'];

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
  const rankOf = ([name]: readonly [string, Json]): number =>
    fieldsByRank.indexOf(fieldsByRank.includes(name) ? name : '');
  const sorted = Object.entries(fields).sort((one, other) => rankOf(one) - rankOf(other));
  return difference('item', Object.fromEntries(sorted), others);
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
