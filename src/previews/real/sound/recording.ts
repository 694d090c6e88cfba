// Recordings that can be heard without a decoder: WAV files of 16-bit PCM, whatever their channels.

export interface Recording {
  /** From -1 to 1; of several channels, the first. */
  readonly samples: Float32Array;
  readonly rate: number;
}

/** What a WAV file's beginning says; undefined for another file, and for other encodings than 16-bit PCM. */
export function recordingOf(head: Buffer): Recording | undefined {
  if (!isWav(head)) return undefined;
  let format: { readonly channels: number; readonly rate: number } | undefined;
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    const body = at + 8;
    if (name === 'fmt ' && body + 16 <= head.length) {
      const plain = head.readUInt16LE(body) === 1 && head.readUInt16LE(body + 14) === 16;
      const channels = head.readUInt16LE(body + 2);
      if (!plain || channels === 0) return undefined;
      format = { channels, rate: head.readUInt32LE(body + 4) };
    }
    if (name === 'data')
      return format === undefined
        ? undefined
        : firstChannel(head.subarray(body, body + length), format.channels, format.rate);
    at = body + length + (length % 2);
  }
  return undefined;
}

export const isWav = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE';

function firstChannel(data: Buffer, channels: number, own: number): Recording {
  const count = Math.floor(data.length / (2 * channels));
  const samples = new Float32Array(count);
  for (let i = 0; i < count; i++) samples[i] = data.readInt16LE(i * 2 * channels) / 32_768;
  return { samples, rate: own };
}
