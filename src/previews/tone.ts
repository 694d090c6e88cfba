// A sound: a tone as long as a text takes to say, as a WAV file of 16 bits, one channel and 16,000 samples a second.

const rate = 16_000;
const header = Buffer.from(
  '524946460000000057415645666d74201000000001000100803e0000007d0000020010006461746100000000',
  'hex',
);
/** Of speech. */
const lettersPerSecond = 15;

export const secondsToSay = (text: string): number =>
  Math.min(600, Math.max(1, [...text].length / lettersPerSecond));

/** `pitch`: in hertz. It swells and fades three times a second, like syllables. */
export function tone(seconds: number, pitch: number): Buffer {
  const samples = Math.round(seconds * rate);
  const file = Buffer.concat([header, Buffer.alloc(samples * 2)]);
  file.writeUInt32LE(file.length - 8, 4);
  file.writeUInt32LE(samples * 2, 40);
  for (let index = 0; index < samples; index += 1) {
    const angle = (index / rate) * 2 * Math.PI;
    const loudness = 3000 * (1 - Math.cos(angle * 3));
    file.writeInt16LE(Math.round(loudness * Math.sin(angle * pitch)), header.length + index * 2);
  }
  return file;
}
