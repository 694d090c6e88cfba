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

export interface ReceiveOptions {
  /** The maximum number of bytes. */
  readonly most: number;
  /** A transform that a fault puts into the transfer. */
  readonly through?: Transform;
}

export interface FileStore {
  /** The absolute path of a key. */
  fileOf(key: string): string;
  /** A new key: `api-assets/<id>/<name>.<ext>` (facts.md, Uploads). */
  newAssetKey(extension: string): string;
  /**
   * Writes a stream to a key. The file appears whole or not at all. Returns its length in bytes; throws `TooLarge` if the
   * stream is longer than allowed.
   */
  receive(key: string, content: Readable, limits: ReceiveOptions): Promise<number>;
  /** Writes bytes in memory to a key, in the same way. */
  save(key: string, content: Uint8Array): Promise<void>;
  /** The keys of all uploads and crops on disk. */
  assetKeys(): Promise<readonly string[]>;
  /** The key of a project's output folder. */
  outputKey(project: string): string;
  /** An empty folder for the outputs of a project. */
  makeOutputFolder(project: string): Promise<string>;
  /** Makes a renderer's files in that folder readable for their owner only. */
  closeOutputs(project: string, names: readonly string[]): Promise<void>;
  removeOutputs(project: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/** Only the user who runs the service can read uploads and outputs. */
const ownFolder = { recursive: true, mode: 0o700 };
const ownFile = { mode: 0o600 };

export async function openFileStore(folder: string): Promise<FileStore> {
  const root = resolve(folder);
  const incoming = join(root, 'incoming');
  await mkdir(incoming, ownFolder);
  // A crash leaves incomplete uploads.
  for (const entry of await readdir(incoming, { withFileTypes: true }))
    if (entry.isFile() && incomingName.test(entry.name)) await unlink(join(incoming, entry.name));

  const fileOf = (key: string): string => {
    const file = resolve(root, key);
    if (!file.startsWith(root + sep)) throw new Error(`bug: ${key} is outside the data folder`);
    return file;
  };
  const outputKey = (project: string): string => `outputs/${project}`;

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
    newAssetKey: (extension) =>
      `api-assets/${randomBytes(12).toString('hex')}/${randomBytes(6).toString('hex')}.${extension}`,
    receive: async (key, content, { most, through }) => {
      let bytes = 0;
      await place(key, async (temporary) => {
        const sink = createWriteStream(temporary, { ...ownFile, flags: 'wx' });
        const steps = through === undefined ? [] : [through];
        await pipeline([content, ...steps, atMost(most), sink]);
        bytes = sink.bytesWritten;
      });
      return bytes;
    },
    assetKeys: async () => {
      await mkdir(join(root, 'api-assets'), ownFolder);
      const entries = await readdir(join(root, 'api-assets'), {
        recursive: true,
        withFileTypes: true,
      });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .filter((key) => assetKey.test(key));
    },
    save: (key, content) =>
      place(key, (temporary) => writeFile(temporary, content, { ...ownFile, flag: 'wx' })),
    outputKey,
    makeOutputFolder: async (project) => {
      if (!projectName.test(project)) throw new Error(`bug: ${project} is not the id of a project`);
      const output = fileOf(outputKey(project));
      await rm(output, { recursive: true, force: true });
      await mkdir(output, ownFolder);
      return output;
    },
    closeOutputs: async (project, names) => {
      for (const name of names) await chmod(fileOf(`${outputKey(project)}/${name}`), ownFile.mode);
    },
    removeOutputs: async (project) => {
      if (projectName.test(project))
        await rm(fileOf(outputKey(project)), { recursive: true, force: true });
    },
    remove: async (key) => {
      if (assetKey.test(key)) await rm(fileOf(key), { force: true });
    },
  };
}

function atMost(most: number): Transform {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes > most) done(new TooLarge());
      else done(null, chunk);
    },
  });
}
