// What the header of a media file says: the size of a picture or clip as it is shown, and the length of a clip or sound.
import type { MediaInfo } from 'mediainfo.js';
import { NotRegularFile, openRegular } from '../base/regular-file.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';

// How long a saved sound is, by the header of its WAV file.

/** The header and what may stand between it and the sound. */
const headBytes = 1 << 16;

/** Seconds, to the millisecond; undefined if the file is no WAV file, or does not say. */
export async function soundSeconds(path: string): Promise<number | undefined> {
  try {
    const file = await openRegular(path);
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return wavSeconds(buffer.subarray(0, bytesRead), size);
    } finally {
      await file.close();
    }
  } catch (error) {
    // The file is saved all the same; whoever needs it says that it cannot be read.
    if (isSystemProblem(error) || error instanceof NotRegularFile) return undefined;
    throw error;
  }
}

/** `head`: the beginning of a file of `size` bytes. */
export function wavSeconds(head: Buffer, size: number): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE')
    return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    const content = at + 8;
    if (name === 'fmt ' && content + 12 <= head.length)
      bytesPerSecond = head.readUInt32LE(content + 8);
    if (name === 'data') {
      // A stream whose length was not known at its beginning says the greatest length.
      const bytes = Math.min(length, size - content);
      if (bytesPerSecond === 0 || bytes <= 0) return undefined;
      return Math.round((bytes / bytesPerSecond) * 1000) / 1000 || undefined;
    }
    // Chunks begin at even positions.
    at = content + length + (length % 2);
  }
  return undefined;
}

type HeaderField = 'width' | 'height' | 'duration';

/** Pixels, or seconds. The error is the end of a sentence about the file. */
export async function headerOf(path: string, field: HeaderField): Promise<Result<number, string>> {
  const extension = extensionOf(path);
  const isPicture = mediaTypeOf(extension) === 'image' || extension === 'gif';
  try {
    const found =
      isPicture && field !== 'duration' ? await pictureHeader(path) : await clipHeader(path);
    const value = found[field];
    return value === undefined ? err(`has no ${field} in its header`) : ok(value);
  } catch (error) {
    // The libraries throw errors of many kinds for headers that they cannot read.
    return err(
      isSystemProblem(error) ? systemReason(error) : `has no ${field}: its header cannot be read`,
    );
  }
}

type Header = { readonly [field in HeaderField]?: number };

interface ClipHeader extends Header {
  /** Frames per second. */
  readonly fps?: number;
}

async function pictureHeader(path: string): Promise<Header> {
  const { imageSizeFromFile } = await import('image-size/fromFile');
  const { width, height, orientation = 1 } = await imageSizeFromFile(path);
  // EXIF: from 5 on, the picture is shown on its side.
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

let library: Promise<MediaInfo<'object'>> | undefined;
/** The library reads one file at a time. */
let last: Promise<unknown> = Promise.resolve();

/** Of a clip or a sound. Throws what its library throws for a header that it cannot read. */
export async function clipHeader(path: string): Promise<ClipHeader> {
  library ??= import('mediainfo.js').then(
    async ({ default: open }) => await open({ format: 'object' }),
  );
  const before = last;
  const turn = Promise.withResolvers<void>();
  last = turn.promise;
  await before;
  try {
    return await analyzed(await library, path);
  } finally {
    turn.resolve();
  }
}

async function analyzed(info: MediaInfo<'object'>, path: string): Promise<ClipHeader> {
  await using file = await openRegular(path);
  const { size } = await file.stat();
  const { media } = await info.analyzeData(size, async (length, position) => {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  });
  const tracks = media?.track ?? [];
  const general = tracks.find((track) => track['@type'] === 'General');
  const video = tracks.find((track) => track['@type'] === 'Video');
  const duration = general?.['@type'] === 'General' ? general.Duration : undefined;
  const seconds = duration === undefined ? {} : { duration };
  if (video?.['@type'] !== 'Video') return seconds;
  const { Width: width, Height: height, Rotation: rotation, FrameRate: fps } = video;
  if (width === undefined || height === undefined) return seconds;
  const rate = fps === undefined ? seconds : { ...seconds, fps };
  const onItsSide = Math.abs(Math.round(Number(rotation ?? 0))) % 180 === 90;
  return { ...rate, ...(onItsSide ? { width: height, height: width } : { width, height }) };
}
