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
  for (let index = 0; index < samples.length; index++) {
    const value = Math.max(-1, Math.min(1, samples[index] ?? 0));
    wav.writeInt16LE(Math.round(value * 32_767), headerBytes + index * 2);
  }
  return wav;
}
