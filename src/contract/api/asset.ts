// Media files as the service sees them: which extensions it takes, and as what (facts.md, Uploads).
import type { RecordKind } from './project.ts';

export type MediaType = RecordKind;

const extensions: Readonly<Record<MediaType, readonly string[]>> = {
  image: 'png jpg jpeg jfif heic heif webp avif jp2 tiff tif bmp'.split(' '),
  video: 'mp4 m4v mov webm gif'.split(' '),
  audio: 'mp3 mpeg wav aac aiff flac m4a ogg opus weba oga amr'.split(' '),
};

/** The extension of a path in lower case and without its dot; empty when it has none. */
export function extensionOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** What the service takes a file of this extension as; undefined: it does not take it. */
export function mediaTypeOf(extension: string): MediaType | undefined {
  return (['image', 'video', 'audio'] as const).find((type) =>
    extensions[type].includes(extension),
  );
}

/**
 * Whether a file may be given where this medium is asked for: webm may be only sound, a GIF may be a clip or a
 * picture, and a clip brings its sound along (facts.md, Uploads).
 */
export function fitsAs(media: MediaType, extension: string): boolean {
  const own = mediaTypeOf(extension);
  if (own === undefined || own === media) return true;
  return (media === 'audio' && own === 'video') || (media === 'image' && extension === 'gif');
}

export const knownExtensions: readonly string[] = Object.values(extensions).flat();

/**
 * What an address of the account's library stands for, such as `https://magichour.ai/my-library?imageId=…`; undefined:
 * it is none. It has no extension (models.md, Other tools).
 */
export function libraryMediaOf(reference: string): MediaType | undefined {
  if (!URL.canParse(reference)) return undefined;
  const { protocol, hostname, pathname, searchParams } = new URL(reference);
  if (protocol !== 'https:' || !/^(www\.)?magichour\.ai$/.test(hostname)) return undefined;
  if (!/^\/my-library\/?$/.test(pathname)) return undefined;
  return (['image', 'video', 'audio'] as const).find(
    (media) => (searchParams.get(`${media}Id`) ?? '') !== '',
  );
}

/** How long an uploaded asset is kept by the service (facts.md, Uploads), in milliseconds. */
export const assetLifetimeMs = 7 * 24 * 3_600_000;

const contentTypes: readonly (readonly [string, string])[] = [
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
  ['image/avif', 'avif'],
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['audio/mpeg', 'mp3'],
  ['audio/wav', 'wav'],
];

export function extensionOfContentType(type: string): string | undefined {
  const essence = type.split(';')[0]?.trim().toLowerCase();
  return contentTypes.find(([name]) => name === essence)?.[1];
}

/** Of a file that is none of these: a browser saves it. */
export const unknownType = 'application/octet-stream';

export function contentTypeOf(extension: string): string {
  const wanted = extension === 'jpeg' ? 'jpg' : extension;
  return contentTypes.find(([, known]) => known === wanted)?.[0] ?? unknownType;
}
