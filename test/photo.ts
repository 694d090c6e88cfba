// Photos that need no file: small, real, and each different from the others. Of its own, because the torture needs
// them where no test runs.
import { crc32, deflateSync } from 'node:zlib';
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

/** A picture of one pixel that carries a text or any bytes, so that each is another picture. For tests and benchmarks that read no pixel. */
export function pictureWith(content: string | Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), Buffer.from(content)])),
    chunk('IDAT', deflateSync(Buffer.from([0, 128]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

const picture = /\.(png|jpe?g|jfif|hei[cf]|webp|avif|jp2|tiff?|bmp|gif)$/i;

/** What a test writes under a name: a text under the name of a picture becomes a picture, unless it is empty or a page. */
export const contentFor = (name: string, content: string | Buffer): string | Buffer =>
  typeof content === 'string' && /^[^<]/.test(content) && picture.test(name)
    ? pictureWith(content)
    : content;
