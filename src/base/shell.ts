// Lines for a person to paste into a shell. What is in them may come from strangers: names of files, cells of tables.
import { isAbsolute, relative, sep } from 'node:path';
import { unsafe } from './printable.ts';

/**
 * A text as one word of a POSIX shell, which runs nothing in it. Unsafe characters become the bytes of `$'…'`. A shell
 * that does not know this takes it for another text and runs nothing either: a quotation mark never stands in it.
 * Nor does a backslash stand before a closing quotation mark, because fish would take both for one character.
 */
export function shellWord(text: string): string {
  if (/^[\w./@%+:,-][\w./@%+=:,-]*$/.test(text)) return text;
  if (text.search(unsafe) >= 0) {
    const bytes = text.replace(/['\\!]/g, octal).replace(unsafe, octal);
    return `$'${bytes}'`;
  }
  const quoted = text.replace(/\\{2,}|\\(?='|$)|'/g, (run) => `'${run.replace(/./g, '\\$&')}'`);
  return `'${quoted}'`;
}

/** Three digits a byte: a digit that follows belongs to the text. */
const octal = (characters: string): string =>
  [...Buffer.from(characters)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** A path for a command that would take a dash at its beginning for a flag. */
export const shellPath = (path: string): string =>
  shellWord(path.startsWith('-') ? `./${path}` : path);

/** A placeholder, such as `<its id>`, is what the person replaces; it stands there as it is. */
export type ShellWord = string | { readonly placeholder: string };

/** A flag with its value; none without a value. */
export function option(name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value];
}

/** A command line of shotlist. `names`: the pipeline file, a task and the like; a dash makes none of them a flag. */
export function shotlistLine(
  command: string,
  names: readonly ShellWord[] = [],
  flags: readonly ShellWord[] = [],
): string {
  const isFlagLike = names.some((name) => typeof name === 'string' && name.startsWith('-'));
  const rest = isFlagLike ? [...flags, '--', ...names] : [...names, ...flags];
  const words = [command, ...rest].map((word) =>
    typeof word === 'string' ? shellWord(word) : word.placeholder,
  );
  return [ownCommand(), ...words].join(' ');
}

/**
 * How this shotlist is called from the working folder. npx, npm and other package managers start what a project has
 * installed from its `node_modules`, and npx starts everything else from a cache of its own.
 */
export function ownCommand(
  started = process.argv[1] ?? '',
  folder = process.cwd(),
): 'npx shotlist' | 'shotlist' {
  const [, project, own] =
    /^(.*?)[\\/]node_modules[\\/](?:.*[\\/])?(\.bin[\\/]shotlist|shotlist[\\/]bin[\\/]shotlist)(\.\w+)?$/.exec(
      started,
    ) ?? [];
  if (project === undefined || own === undefined) return 'shotlist';
  const isCached = /[\\/]_npx[\\/]\w+$/.test(project);
  return isCached || isWithin(folder, project) ? 'npx shotlist' : 'shotlist';
}

function isWithin(folder: string, project: string): boolean {
  const way = relative(project, folder);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
