// The media files that the service accepts, by extension (facts.md, Uploads).
import type { RecordKind } from './project.ts';

export type MediaType = RecordKind;

const extensions: Readonly<Record<MediaType, readonly string[]>> = {
  image: 'png jpg jpeg jfif heic heif webp avif jp2 tiff tif bmp'.split(' '),
  video: 'mp4 m4v mov webm gif'.split(' '),
  audio: 'mp3 mpeg wav aac aiff flac m4a ogg opus weba oga amr'.split(' '),
};

/** The extension of a path, in lower case and without the dot; empty if there is none. */
export function extensionOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The medium of a file with this extension; undefined if the service does not accept it. */
export function mediaTypeOf(extension: string): MediaType | undefined {
  return (['image', 'video', 'audio'] as const).find((type) =>
    extensions[type].includes(extension),
  );
}

/**
 * Whether a file with this extension can be used as this medium: WebM may be sound only, a GIF may
 * be a clip or a picture, and a clip contains its sound (facts.md, Uploads).
 */
export function fitsAs(media: MediaType, extension: string): boolean {
  const own = mediaTypeOf(extension);
  if (own === undefined || own === media) return true;
  return (media === 'audio' && own === 'video') || (media === 'image' && extension === 'gif');
}

export const knownExtensions: readonly string[] = Object.values(extensions).flat();

/**
 * The medium of an address in the account's library, such as
 * `https://magichour.ai/my-library?imageId=…`, which has no extension (models.md, Other tools).
 * Undefined for any other address.
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

/** The type of any other file: a browser saves it. */
export const unknownType = 'application/octet-stream';

export function contentTypeOf(extension: string): string {
  const wanted = extension === 'jpeg' ? 'jpg' : extension;
  return contentTypes.find(([, known]) => known === wanted)?.[0] ?? unknownType;
}

/**
 * A rectangle in a picture, such as a detected face: its upper left corner and its size, as fractions of the picture's width and
 * height (0 to 1).
 */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
