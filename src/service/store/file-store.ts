// The files of the service: uploaded assets and project outputs, in one data folder. The key of a file is its path below
// that folder. Keys are made here or come from addresses that the service signed; none leads out of the folder.
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The names that the service makes, and so may remove: incomplete uploads, uploads and crops, projects. */
const incomingName = /^[0-9a-f]{24}$/;
const assetKey =
  /^api-assets\/(?:[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/[\w-]+\.\w+$/;
const projectName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An upload is larger than allowed. */
export class TooLarge extends Error {
  readonly code = 'TOO_LARGE';
}

/** Only the user who runs the service can read uploads and outputs. */
const ownFolder = { recursive: true, mode: 0o700 };
const ownFile = { mode: 0o600 };

export type FileStore = Awaited<ReturnType<typeof openFileStore>>;

export async function openFileStore(folder: string) {
  const root = resolve(folder);
  const incoming = join(root, 'incoming');
  await mkdir(incoming, ownFolder);
  // A crash leaves incomplete uploads.
  for (const entry of await readdir(incoming, { withFileTypes: true }))
    if (entry.isFile() && incomingName.test(entry.name)) await unlink(join(incoming, entry.name));

  /** The absolute path of a key. */
  function fileOf(key: string): string {
    const file = resolve(root, key);
    if (!file.startsWith(root + sep)) throw new Error(`bug: ${key} is outside the data folder`);
    return file;
  }

  /** The key of a project's output folder. */
  const outputKey = (project: string): string => `outputs/${project}`;

  /** The file appears whole or not at all. */
  async function place(key: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const file = fileOf(key);
    const temporary = join(incoming, randomBytes(12).toString('hex'));
    try {
      await write(temporary);
      await mkdir(dirname(file), ownFolder);
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  return {
    fileOf,
    outputKey,
    /** A new key: `api-assets/<id>/<name>.<ext>` (facts.md, Uploads). */
    newAssetKey: (extension: string): string =>
      `api-assets/${randomBytes(12).toString('hex')}/${randomBytes(6).toString('hex')}.${extension}`,
    /**
     * Writes a stream to a key, `through` the transform of a fault. Returns its length in bytes; throws `TooLarge` if it is
     * longer than allowed.
     */
    async receive(
      key: string,
      content: Readable,
      maxBytes: number,
      through: Transform | undefined,
    ): Promise<number> {
      let bytes = 0;
      await place(key, async (temporary) => {
        const sink = createWriteStream(temporary, { ...ownFile, flags: 'wx' });
        const steps = through === undefined ? [] : [through];
        await pipeline([content, ...steps, atMost(maxBytes), sink]);
        bytes = sink.bytesWritten;
      });
      return bytes;
    },
    /** Writes bytes in memory to a key. */
    save: (key: string, content: Uint8Array): Promise<void> =>
      place(key, (temporary) => writeFile(temporary, content, { ...ownFile, flag: 'wx' })),
    /** The keys of all uploads and crops on disk. */
    async assetKeys(): Promise<readonly string[]> {
      const folderOfAssets = join(root, 'api-assets');
      await mkdir(folderOfAssets, ownFolder);
      const entries = await readdir(folderOfAssets, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .filter((key) => assetKey.test(key));
    },
    /** An empty folder for the outputs of a project. */
    async makeOutputFolder(project: string): Promise<string> {
      if (!projectName.test(project)) throw new Error(`bug: ${project} is not the id of a project`);
      const output = fileOf(outputKey(project));
      await rm(output, { recursive: true, force: true });
      await mkdir(output, ownFolder);
      return output;
    },
    /** Makes a renderer's files in that folder readable for their owner only. */
    async closeOutputs(project: string, names: readonly string[]): Promise<void> {
      for (const name of names) await chmod(fileOf(`${outputKey(project)}/${name}`), ownFile.mode);
    },
    async removeOutputs(project: string): Promise<void> {
      if (projectName.test(project))
        await rm(fileOf(outputKey(project)), { recursive: true, force: true });
    },
    async remove(key: string): Promise<void> {
      if (assetKey.test(key)) await rm(fileOf(key), { force: true });
    },
  };
}

function atMost(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new TooLarge());
      else done(null, chunk);
    },
  });
}
