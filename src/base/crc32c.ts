// CRC-32C (RFC 3720, appendix B.4), which hosted storage sends for every file. node:zlib has only CRC-32.

const reversedPolynomial = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++)
    value = (value & 1) === 1 ? (value >>> 1) ^ reversedPolynomial : value >>> 1;
  return value;
});

export class Crc32c {
  #value = 0xffff_ffff;

  update(bytes: Uint8Array): this {
    let value = this.#value;
    for (let at = 0; at < bytes.length; at++)
      value = (table[(value ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (value >>> 8);
    this.#value = value;
    return this;
  }

  /** Four bytes, most significant first, as `x-goog-hash` has them. */
  digest(): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(~this.#value >>> 0);
    return bytes;
  }
}
