// Where downloads land: below the output folder, under names that the user chose, never the server's.
import { extensionOf } from '../api/asset.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { OutputLine } from '../journal/line.ts';

/**
 * The path of one download below the output folder. `extension` is only used where `to` is a folder.
 * Errors: a path that would leave the folder, or that no file system takes.
 */
export function outputPath(
  to: string,
  { index, count, extension }: { index: number; count: number; extension: string },
): Result<string, string> {
  const place = normalized(to);
  if (!place.ok) return place;
  if (to.endsWith('/')) return ok(join(place.value, `${index + 1}.${extension}`));
  if (place.value === '') return err(`${JSON.stringify(to)} names no file`);
  if (count <= 1) return place;
  const own = extensionOf(place.value);
  const stem = own === '' ? place.value : place.value.slice(0, -own.length - 1);
  return ok(`${stem}-${index + 1}${own === '' ? '' : `.${own}`}`);
}

const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Checks a path and takes "." parts out of it. */
export function normalized(to: string): Result<string, string> {
  const said = JSON.stringify(to);
  if (to.startsWith('/') || /^[A-Za-z]:/.test(to) || to.startsWith('\\'))
    return err(`${said} is not below the output folder`);
  const parts = to.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  for (const part of parts) {
    if (part === '..') return err(`${said} would leave the output folder`);
    if (/\p{Cc}/u.test(part)) return err(`${said} has a control character in it`);
    if (Buffer.byteLength(part) > 240) return err(`${said} has a name of over 240 bytes`);
    if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(part))
      return err(`${said} has a reserved name in it`);
  }
  return ok(parts.join('/'));
}

/** Where `to` wants one of a job's outputs now, below the output folder; undefined: nowhere. */
export function wantedPath(output: OutputLine, to: string, count: number): string | undefined {
  const { index, path } = output;
  const wanted = outputPath(to, { index, count, extension: extensionOf(path) });
  return wanted.ok ? wanted.value : undefined;
}
