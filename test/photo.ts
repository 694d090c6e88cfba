// Photos that need no file: small, real, and each different from the others. Of its own, because the torture needs
// them where no test runs.
import sharp from 'sharp';

const made = new Map<number, Promise<Buffer>>();

/** A small picture whose content depends on the number; each is made once. */
export function photo(number: number): Promise<Buffer> {
  const known = made.get(number) ?? make(number);
  made.set(number, known);
  return known;
}

async function make(number: number): Promise<Buffer> {
  const colour = { r: (number * 53) % 256, g: (number * 97) % 256, b: (number * 31) % 256 };
  const background = sharp({ create: { width: 48, height: 48, channels: 3, background: colour } });
  const spot = await sharp({ create: { width: 12, height: 12, channels: 3, background: '#d9a' } })
    .png()
    .toBuffer();
  return await background
    .composite([{ input: spot, left: 4 + (number % 30), top: 10 }])
    .png()
    .toBuffer();
}
