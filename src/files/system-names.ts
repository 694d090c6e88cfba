// Folders and files that NAS, operating systems and photo programs keep among a person's photos: thumbnails, deleted
// files, previews, notes. They look like media, and nobody wants to pay for them.
import { grouped } from '../base/text.ts';

/** In lower case; `*` stands for any text. A name that a person may choose for a folder of their own is not among them. */
const patterns: readonly string[] = [
  // Synology, QNAP, Asustor, TerraMaster, Western Digital, Buffalo, Samba; snapshots of ZFS, btrfs, NetApp
  ...['@eadir', '*@synoeastream', '*@synoresource', '#recycle', '#snapshot', '@sharebin', '@tmp'],
  ...['@__thumb', '.@__thumb', '@recycle', '.@upload_cache', '.@not.remove', '@recently-snapshot'],
  ...[
    '.wdmc',
    'trashbox',
    '.recycle',
    '.recycle.bin',
    '.snapshot',
    '.snapshots',
    '~snapshot',
    '.zfs',
  ],
  // Windows
  ...['$recycle.bin', 'system volume information', 'found.0*', 'msdownld.tmp', 'desktop.ini'],
  ...['thumbs.db', 'thumbs.db:encryptable', 'ehthumbs.db', 'ehthumbs_vista.db', 'wpsettings.dat'],
  // macOS, and the servers that serve it
  ...['.trash', '.trashes', '.ds_store', '._*', '__macosx', '.appledouble', '.appledb', ':2e*'],
  ...[
    '.appledesktop',
    '.spotlight-v100',
    '.fseventsd',
    '.documentrevisions-v100',
    '.mobilebackups',
  ],
  ...['.temporaryitems', 'temporary items', 'network trash folder', 'thefindbyconten', 'icon\r'],
  // Linux and Android
  ...['.trash-*', 'lost+found', '.thumbnails', '.thumbs', '.trashed-*', '.xvpics', '.directory'],
  // Photo programs: the library of Photos and Aperture, previews of Lightroom, what Picasa and digiKam keep
  ...['*.photoslibrary', '*.photolibrary', '*.aplibrary', '*.migratedphotolibrary', '*.lrdata'],
  ...['.picasaoriginals', 'picasa.ini', '.picasa.ini', '.dtrash', '.comments'],
  // Programs that synchronize folders
  ...['.stversions', '.stfolder', '.dropbox.cache', '.sync', '.tmp.drivedownload', '.caltrash'],
];

/** Windows 9x wrote them like this; in lower case they are words. */
const shouted: ReadonlySet<string> = new Set(['RECYCLER', 'RECYCLED']);

const whole: ReadonlySet<string> = new Set(patterns.filter((pattern) => !pattern.includes('*')));
const open = patterns
  .filter((pattern) => pattern.includes('*'))
  .map((pattern) => pattern.split('*') as readonly string[]);

/** The part of a name by which a system keeps it, in lower case; undefined if the name is a person's. */
function markOf(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (whole.has(lower) || shouted.has(name)) return lower;
  const found = open.find(
    ([start = '', end = '']) =>
      lower.length > start.length + end.length && lower.startsWith(start) && lower.endsWith(end),
  );
  return found?.join('');
}

export const isSystemName = (name: string): boolean => markOf(name) !== undefined;

/** Whether a name is one that a system keeps, and that the glob does not name. */
export function systemNames(glob: string): (name: string) => boolean {
  const said = glob.replaceAll('\\', '').toLowerCase();
  return (name) => {
    const mark = markOf(name);
    return mark !== undefined && !said.includes(mark);
  };
}

/** A file that a glob matches, and that is no item because of a name in its path. */
export interface LeftOut {
  readonly path: string;
  readonly name: string;
}

const maxNamed = 3;

/** Undefined if nothing is left out. */
export function leftOutSentence(left: readonly LeftOut[]): string | undefined {
  if (left.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const { name } of left) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const named = sorted.slice(0, maxNamed).map(([name, n]) => `${grouped(n)} in ${name}`);
  const rest = sorted.slice(maxNamed).reduce((sum, [, n]) => sum + n, 0);
  const where = [...named, ...(rest > 0 ? [`${grouped(rest)} elsewhere`] : [])].join(', ');
  const [files, are] = left.length === 1 ? ['file', 'is'] : ['files', 'are'];
  return `${grouped(left.length)} ${files} that a system keeps (thumbnails, previews, deleted files) ${are} left out: ${where}; a glob that names such a folder finds them`;
}
