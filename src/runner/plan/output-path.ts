// Where downloads land: below the output folder, under names that the user chose, never the server's.
import { extensionOf } from '../../contract/api/asset.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { OutputLine } from '../journal/line.ts';
import { extensionMark, withMarkShown } from '../language/result-name.ts';
import { reservedFolder } from './reserved-name.ts';

/**
 * The path of one download below the output folder. `extension` is what was fetched: the name of a file in a folder
 * ends in it, and it stands for `result.ext`.
 * Errors: a path that would leave the folder, or that no file system takes.
 */
export function outputPath(
  to: string,
  { index, count, extension }: { index: number; count: number; extension: string },
): Result<string, string> {
  const place = normalized(to.replaceAll(extensionMark, extension));
  if (!place.ok) return place;
  if (to.endsWith('/')) return ok(join(place.value, `${index + 1}.${extension}`));
  if (place.value === '') return err(`${JSON.stringify(to)} names no file`);
  if (count <= 1) return place;
  const own = extensionOf(place.value);
  const stem = own === '' ? place.value : place.value.slice(0, -own.length - 1);
  return ok(`${stem}-${index + 1}${own === '' ? '' : `.${own}`}`);
}

const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Bytes of a whole path that every file system takes: macOS allows the fewest, 1024. */
export const longestPath = 1000;

/**
 * Checks a path and takes "." parts out of it. What is refused here is refused everywhere, because pipelines and state
 * files travel: what leaves the folder; control characters, which make a listing lie; a backslash, which is part of a
 * name here and a separator elsewhere; "~", which a shell takes for the home folder; what Windows takes for a device; a
 * dot or a space at the end of a name, which Windows drops, so that two names become one; and names of our own.
 */
export function normalized(to: string): Result<string, string> {
  const said = JSON.stringify(withMarkShown(to));
  if (to.startsWith('/') || /^[A-Za-z]:/.test(to) || to.startsWith('\\'))
    return err(`${said} is not below the output folder`);
  if (to.includes('\\'))
    return err(
      `${said} has a backslash in it, which no name on Windows can have: write "/" between folders, or rename the file`,
    );
  const parts = to.split('/').filter((part) => part !== '' && part !== '.');
  if (parts[0] === '~')
    return err(
      `${said} begins with "~", which only a shell expands: write a path below the output folder`,
    );
  for (const part of parts) {
    if (part === '..') return err(`${said} would leave the output folder`);
    if (/\p{Cc}/u.test(part)) return err(`${said} has a control character in it`);
    if (Buffer.byteLength(part) > 240) return err(`${said} has a name of over 240 bytes`);
    if (/[. ]$/.test(part)) return err(`${said} has a name that ends in a dot or a space`);
    const reserved = reservedFolder(part);
    if (reserved === '.git') return err(`${said} has a name that git uses itself`);
    if (reserved === '.shotlist' || /^\.shotlist/i.test(part))
      return err(`${said} has a name that shotlist uses itself`);
    if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(part))
      return err(`${said} has a reserved name in it`);
  }
  const path = parts.join('/');
  if (Buffer.byteLength(path) > longestPath)
    return err(`${said.slice(0, 80)}… is a path of over ${longestPath} bytes`);
  return ok(path);
}

/**
 * Why a path cannot be used on this platform; undefined: it can. On Windows `<>"|?*` are in no name, and a `:` hides
 * the file behind another; elsewhere people name photos so.
 */
export function unusableName(path: string, platform: string): string | undefined {
  const bad = platform === 'win32' ? /[<>:"|?*]/.exec(path)?.[0] : undefined;
  return bad === undefined ? undefined : `has a ${bad} in it, which no name on Windows may have`;
}

/** Where `to` wants one of a job's outputs now, below the output folder; undefined: nowhere. */
export function wantedPath(output: OutputLine, to: string, count: number): string | undefined {
  const { index, path } = output;
  const wanted = outputPath(to, { index, count, extension: extensionOf(path) });
  return wanted.ok ? wanted.value : undefined;
}
