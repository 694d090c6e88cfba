// The paths of downloads: below the output folder, under names that the user chose, never the
// server's.

import { err, ok, type Result } from '../base/result.ts';
import { extensionOf } from '../contract/api/asset.ts';
import { reservedFolder, toolPart } from '../language/reserved-name.ts';
import { extensionMark, withMarkShown } from '../language/result-name.ts';

/**
 * The path of one download below the output folder. `extension` is the extension of the file: it
 * replaces `result.ext`, and ends the names of numbered files. Errors: a path that leaves the
 * folder, or that some file system does not accept.
 */
export function outputPath(
  to: string,
  { index, count, extension }: { index: number; count: number; extension: string },
): Result<string, string> {
  const place = normalized(to.replaceAll(extensionMark, extension));
  if (!place.ok) return place;
  if (to.endsWith('/')) return normalized(join(place.value, `${index + 1}.${extension}`));
  if (place.value === '') return err(`${JSON.stringify(to)} does not name a file`);
  if (count <= 1) return place;
  const own = extensionOf(place.value);
  const stem = own === '' ? place.value : place.value.slice(0, -own.length - 1);
  return ok(`${stem}-${index + 1}${own === '' ? '' : `.${own}`}`);
}

const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** The longest path that every file system accepts, in bytes: macOS allows the fewest, 1024. */
export const longestPath = 1000;

/**
 * Checks a path and removes "." parts. The rules are the same on every platform, because pipelines
 * and state files travel. Refused are paths that leave the folder; control characters, which
 * falsify listings; a backslash, which is a separator on some systems; "~", which a shell expands;
 * names of devices on Windows; a final dot or space, which Windows drops, so that two names become
 * one; names that shotlist uses; and names of code and of settings of tools.
 */
export function normalized(to: string): Result<string, string> {
  // One path is asked about several times in a row.
  if (last?.to !== to) last = { to, result: judged(to) };
  return last.result;
}

let last: { readonly to: string; readonly result: Result<string, string> } | undefined;

function judged(to: string): Result<string, string> {
  const wrong = (why: string): Result<string, string> =>
    err(`${JSON.stringify(withMarkShown(to))} ${why}`);
  if (to.startsWith('/') || /^[A-Za-z]:/.test(to) || to.startsWith('\\'))
    return wrong(`is not below the output folder`);
  if (to.includes('\\'))
    return wrong(
      `contains a backslash, which no name on Windows can have: write "/" between folders, or rename the file`,
    );
  const parts = to.split('/').filter((part) => part !== '' && part !== '.');
  if (parts[0] === '~')
    return wrong(
      `begins with "~", which only a shell expands: write a path below the output folder`,
    );
  for (const part of parts) {
    if (part === '..') return wrong(`would leave the output folder`);
    if (/\p{Cc}/u.test(part)) return wrong(`contains a control character`);
    if (Buffer.byteLength(part) > 240) return wrong(`contains a name over 240 bytes`);
    if (/[. ]$/.test(part)) return wrong(`contains a name that ends in a dot or a space`);
    const reserved = reservedFolder(part);
    if (reserved === '.git') return wrong(`contains a name that git reserves`);
    if (reserved === '.shotlist' || /^\.shotlist/i.test(part))
      return wrong(`contains a name that shotlist reserves`);
    if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(part))
      return wrong(`contains a name that Windows reserves`);
  }
  const path = parts.join('/');
  const tool = toolPart(to.endsWith('/') ? `${path}/1` : path);
  if (tool !== undefined)
    return wrong(`contains ${JSON.stringify(tool)}, a name of code or of settings of a tool`);
  if (Buffer.byteLength(path) > longestPath)
    return err(
      `${JSON.stringify(withMarkShown(to)).slice(0, 80)}… is a path of over ${longestPath} bytes`,
    );
  return ok(path);
}

/**
 * Why a path cannot be used on this platform; undefined if it can. On Windows, names cannot contain
 * `<>"|?*`, and a `:` hides the file behind another; on other platforms, people use these in names
 * of photos.
 */
export function unusableName(path: string, platform: string): string | undefined {
  const bad = platform === 'win32' ? /[<>:"|?*]/.exec(path)?.[0] : undefined;
  return bad === undefined ? undefined : `contains ${bad}, which no name on Windows can have`;
}
