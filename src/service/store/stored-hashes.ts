// The hashes of stored files, which storage sends with every download.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Crc32c } from '../../contract/base/crc32c.ts';

export interface StoredHashes {
  /** Hexadecimal. */
  readonly md5: string;
  /** Base64. */
  readonly crc32c: string;
}

/** Files whose hashes are remembered. */
const mostRemembered = 10_000;

export class HashesOfFiles {
  readonly #known = new Map<string, Promise<StoredHashes>>();

  /** `version` differs between all files that ever had this name. */
  of(file: string, version: string): Promise<StoredHashes> {
    const key = `${version} ${file}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= mostRemembered) this.#known.delete(oldest);
    const read = hashesOf(file);
    this.#known.set(key, read);
    read.catch(() => this.#known.delete(key));
    return read;
  }
}

async function hashesOf(file: string): Promise<StoredHashes> {
  const md5 = createHash('md5');
  const crc32c = new Crc32c();
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 18 })) {
    md5.update(chunk);
    crc32c.update(chunk);
  }
  return { md5: md5.digest('hex'), crc32c: crc32c.digest().toString('base64') };
}
