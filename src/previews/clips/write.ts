// Writes a clip one picture at a time, so memory use does not depend on the length of the clip. The same pictures and
// sound always give the same bytes.
import type { Picture } from '../pictures/picture.ts';
import { type ClipFormat, encodingFor } from './encoding.ts';
import { loadAv, must, setOptions } from './library.ts';
import { pictureTrackOf } from './picture-track.ts';
import { isHeard, type Sound } from './sound.ts';
import { soundTrackOf } from './sound-track.ts';

export interface ClipToWrite extends ClipFormat {
  /** Its extension says how it is written: mp4 or webm. */
  readonly file: string;
  /** All of the clip's size. */
  readonly frames: AsyncIterable<Picture>;
  readonly sound?: Sound | undefined;
}

/** Returns how many pictures were written. */
export async function writeClip({ file, frames, sound, ...pace }: ClipToWrite): Promise<number> {
  const av = await loadAv();
  const writing = encodingFor(file);
  const format = new av.FormatContext();
  const closing: (() => void)[] = [() => format.freeContext()];
  try {
    must(av, format.allocOutputContext2(null, writing.muxer, `file:${file}`), 'prepare a clip');
    format.setFlags(av.AVFMT_FLAG_BITEXACT);
    const pictures = pictureTrackOf(av, format, writing, pace);
    closing.push(() => pictures.close());
    const heard = sound !== undefined && isHeard(av, sound);
    const voice = heard ? soundTrackOf(av, format, writing.audio, sound) : undefined;
    closing.push(() => voice?.close());
    must(av, format.openOutputSync(), 'open a clip');
    closing.push(() => format.closeOutputSync());
    setOptions(av, format, writing.muxerOptions);
    must(av, format.writeHeaderSync(), 'begin a clip');
    let count = 0;
    for await (const picture of frames) {
      pictures.write(picture);
      count += 1;
      voice?.writeUntil(count / pace.fps);
    }
    pictures.end();
    voice?.end();
    must(av, format.writeTrailerSync(), 'finish a clip');
    return count;
  } finally {
    for (const close of closing.reverse()) close();
  }
}
