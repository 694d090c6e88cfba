// The video library, loaded when the first clip comes: it is large, and optional.
import type { CodecContext, FormatContext } from 'node-av';

export type Av = typeof import('node-av');

export async function loadAv(): Promise<Av> {
  const av = await import('node-av');
  // What a broken clip makes it say is no news to anybody.
  av.Log.setLevel(av.AV_LOG_QUIET);
  return av;
}

/** An error of a native call, as an exception: the disk is full, or we have a bug. */
export function must(av: Av, code: number, doing: string): void {
  av.FFmpegError.throwIfError(code, doing);
}

/**
 * Sets what an encoder, a decoder or a file is opened with. Not by a Dictionary where it is opened: the library
 * frees that one twice.
 */
export function setOptions(
  av: Av,
  context: CodecContext | FormatContext,
  options: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(options))
    must(
      av,
      av.Option.set(context.getNative(), name, value, av.AV_OPT_SEARCH_CHILDREN),
      `set ${name} to ${value}`,
    );
}
