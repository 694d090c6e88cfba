// A soft tone for sound that a rehearsal does not make: it has the right length, and says nothing else.

/** Samples per second of a tone in a file of its own, one channel. */
export const toneRate = 16_000;
/** Loudness, of full scale. */
const loudness = 0.25;

/** The sample of a moment in seconds, from -1 to 1. `pitch` in hertz. */
export const toneAt = (seconds: number, pitch: number): number =>
  loudness * Math.sin(2 * Math.PI * pitch * seconds);

/** `pitch` in hertz. */
export function toneOf(seconds: number, pitch: number): Float32Array {
  const samples = new Float32Array(Math.max(1, Math.round(seconds * toneRate)));
  return samples.map((_, index) => toneAt(index / toneRate, pitch));
}

// Sound as a WAV file: PCM, 16 bit, mono.

const headerBytes = 44;

/** `samples` are from -1 to 1, `rate` of them a second. */
export function wavOf(samples: ArrayLike<number>, rate: number): Buffer {
  const wav = Buffer.alloc(headerBytes + samples.length * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples.length * 2, 40);
  // A DataView is ten times as fast as the methods of a Buffer.
  const view = new DataView(wav.buffer, wav.byteOffset + headerBytes);
  for (let index = 0; index < samples.length; index++) {
    view.setInt16(index * 2, Math.round((samples[index] ?? 0) * 32_767), true);
  }
  return wav;
}
