// The odd corpus (test/fixtures/odd/): what is wrong with the files, folders and command lines that people have, and
// what the command shall say. Each manifest is one theme.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeNamedPipe } from '../named-pipe.ts';
import { photo } from '../photo.ts';

/** What stands in a place: text, bytes, something repeated, a link, a folder, a named pipe, or a real PNG. */
type Thing =
  | string
  | { readonly hex: string }
  | { readonly repeat: string; readonly times: number; readonly after?: string }
  | { readonly link: string }
  | { readonly folder: true }
  | { readonly fifo: true }
  | { readonly photo: number };

/** By path; what is no text in a path is written %XX, byte by byte. */
type Things = Readonly<Record<string, Thing>>;

export interface Expected {
  readonly code: number;
  /** Regular expressions: each finds something in what was printed. */
  readonly says: readonly string[];
}

export interface Case extends Expected {
  /** The theme and the case: "folders: a broken link". */
  readonly name: string;
  readonly argv: readonly string[];
  /** Environment variables beside the usual ones. */
  readonly env?: Readonly<Record<string, string>>;
  readonly files: Things;
  /** What shotlist is to find in its private folder. */
  readonly private?: Things;
  /** A process of its own, and where its output goes. */
  readonly apart?: 'process' | 'full' | 'closed';
}

interface Manifest {
  /** What all its cases have. */
  readonly files?: Things;
  readonly cases: readonly (Omit<Case, 'files'> & { readonly files?: Things })[];
}

const root = fileURLToPath(new URL('../fixtures/odd/', import.meta.url));

const json = (path: string): string => readFileSync(join(root, path), 'utf8');

export function oddCases(): readonly Case[] {
  const themes = readdirSync(root).filter((name) => name.endsWith('.json'));
  return [...pipelineCases(), ...themes.flatMap(themeCases)];
}

function themeCases(manifest: string): readonly Case[] {
  const { files = {}, cases }: Manifest = JSON.parse(json(manifest));
  const theme = manifest.slice(0, -'.json'.length);
  return cases.map((one) => ({
    ...one,
    name: `${theme}: ${one.name}`,
    files: { ...files, ...one.files },
  }));
}

/** Each file of pipelines/ is a case: it is validated, or what `argv` says is done with it. */
function pipelineCases(): readonly Case[] {
  const expected: Readonly<Record<string, Expected & { readonly argv?: readonly string[] }>> =
    JSON.parse(json('pipelines/expect.json'));
  const files = readdirSync(join(root, 'pipelines')).filter((name) => name !== 'expect.json');
  return files.map((file) => {
    const { code, says, argv = ['validate'] } = expected[file] ?? { code: -1, says: [] };
    const hex = readFileSync(join(root, 'pipelines', file)).toString('hex');
    return {
      ...{ name: `pipelines: ${file}`, code, says },
      argv: [...argv, file],
      files: { [file]: { hex } },
    };
  });
}

/** Makes what a case needs in a folder. */
export async function furnish(folder: string, files: Things): Promise<void> {
  for (const [name, thing] of Object.entries(files)) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), bytesOf(name)]);
    mkdirSync(Buffer.from(dirname(path.toString('latin1')), 'latin1'), { recursive: true });
    if (typeof thing === 'string') writeFileSync(path, thing);
    else if ('hex' in thing) writeFileSync(path, Buffer.from(thing.hex, 'hex'));
    else if ('repeat' in thing)
      writeFileSync(path, thing.repeat.repeat(thing.times) + (thing.after ?? ''));
    else if ('link' in thing) symlinkSync(thing.link, path);
    else if ('folder' in thing) mkdirSync(path, { recursive: true });
    else if ('fifo' in thing) makeNamedPipe(path.toString());
    else writeFileSync(path, await photo(thing.photo));
  }
}

function bytesOf(name: string): Buffer {
  const parts = name.split(/%([0-9A-F]{2})/);
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part) : Buffer.from(part, 'hex'))),
  );
}
