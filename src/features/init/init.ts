// `init`: writes a first pipeline file for what is in a folder. Sends nothing, and overwrites nothing.
import { existsSync, lstatSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { makeFolder } from '../../base/folder.ts';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { repositoryOf } from '../../base/repository.ts';
import { systemCode } from '../../base/system-error.ts';
import { toolNamed } from '../../contract/tools/all.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { namePattern } from '../../language/schema.ts';
import { readTopFile, withLines } from '../git/top-file.ts';
import { addUnion, attributesOf, hasUnion, unionLine } from '../git/union.ts';
import { refuse, refuseSystemError } from '../refuse.ts';
import { mediaNoun, type Starter, starters, starterText } from './starter.ts';
import { candidateFor, type MediaFound, mediaBelow, survey } from './survey.ts';

export interface InitOptions {
  /** One of the 27 tools. */
  readonly tool: string;
  /** The folder of the photos, clips or sounds. Default: where most of them are, below the working folder. */
  readonly media?: string | undefined;
  /** The name of the pipeline. Default: the tool's. */
  readonly name?: string | undefined;
  /** The pipeline file. Default: `<name>.yaml` in the working folder. */
  readonly output?: string | undefined;
  /** The working folder, which other paths are relative to. Default: the process's. */
  readonly folder?: string | undefined;
}

export interface Initialized {
  /** The pipeline file, as the options name it. */
  readonly file: string;
  readonly pipeline: string;
  readonly tool: string;
  /** The number of items. */
  readonly items: number;
  /** The line that .gitattributes got, with which git merges state files. */
  readonly attributes?: string;
  /** The lines that .gitignore got. */
  readonly ignored: readonly string[];
  /** Inputs without a file: `--input` must name one. */
  readonly missing: readonly string[];
  /** True if the files are outside the repository of the pipeline file, so that commands need `--allow-outside`. */
  readonly outside: boolean;
  readonly text: string;
}

/**
 * Writes a pipeline file that is valid, with a budget and comments. Overwrites nothing. In a git repository, it adds the
 * folder of the results and `.shotlist/` to .gitignore.
 *
 * @example
 * ```ts
 * import { init } from 'shotlist';
 *
 * const made = await init({ tool: 'ai-qr-code-generator', output: 'codes.yaml' });
 * console.log(made.file, made.items);
 * ```
 */
export async function init(options: InitOptions): Promise<Initialized> {
  const { tool, name = tool, output = `${name}.yaml` } = options;
  const folder = resolve(options.folder ?? '.');
  const file = resolve(folder, output);
  const starter = starters.find((one) => one.tool === tool);
  if (starter === undefined) return refuseTool(tool);
  if (!new RegExp(namePattern).test(name) || name.length > 100)
    refuse(
      `--name ${JSON.stringify(name)} cannot be the name of a pipeline`,
      'a name has letters, digits, ".", "_" and "-", and begins with a letter or a digit',
    );
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) refuseTaken(output);
  const results = join(dirname(file), 'out', name);
  const media = await chooseMedia(starter, folder, file, options.media);
  const title = toolNamed(tool)?.title ?? tool;
  const schema = schemaFor(dirname(file));
  const text = starterText({ ...media, starter, title, name, schema, output: `out/${name}` });
  await writeNew(file, output, text);
  const ignored = await keepOutOfGit(dirname(file), results);
  const attributes = await mergeInGit(join(dirname(file), `${name}.state.jsonl`));
  return {
    file: output,
    pipeline: name,
    tool,
    items: media.count,
    ignored,
    ...(attributes === undefined ? {} : { attributes }),
    text,
    missing: missingInputs(starter, media),
    outside: media.reads.some((path) => !isInside(path, dirname(file))),
  };
}

const isInside = (path: string, folder: string): boolean =>
  isWithin(realPathOr(path), repositoryOf(folder));

const missingInputs = ({ inputs }: Starter, media: MediaChoice): readonly string[] =>
  inputs.map(({ name }) => name).filter((name) => media.inputs[name] === undefined);

function refuseTool(tool: string): never {
  const names = starters.map((one) => one.tool);
  const hint = suggestion(tool, names) ?? 'shotlist tools lists them';
  return refuse(`--tool ${JSON.stringify(tool)} is not a tool`, hint);
}

const refuseTaken = (output: string): never =>
  refuse(
    `${output} already exists; it was left as it is`,
    'choose another file with --output, or another name with --name',
  );

/** Where editors find the schema: in the installed package, else at its published address. */
function schemaFor(folder: string): string {
  const path = join('node_modules', 'shotlist', 'schemas', 'pipeline.schema.json');
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(join(above, path)))
      return relative(folder, join(above, path)).split(sep).join('/');
    if (dirname(above) === above) return 'https://shotlist.dev/schemas/pipeline.schema.json';
  }
}

async function writeNew(file: string, output: string, text: string): Promise<void> {
  try {
    makeFolder(dirname(file));
    // Fails if the name is taken meanwhile, also by a link.
    await using handle = await open(file, 'wx', 0o644);
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && lstatSync(file, { throwIfNoEntry: false }))
      refuseTaken(output);
    refuseSystemError(error, `the pipeline file ${basename(output)}`);
  }
}

/** Returns the lines that .gitignore got. Git is not asked: it runs programs that a repository's configuration names. */
async function keepOutOfGit(folder: string, results: string): Promise<readonly string[]> {
  const top = repositoryOf(folder);
  if (!existsSync(join(top, '.git'))) return [];
  const path = relative(top, realPathOr(folder)).split(sep).join('/');
  const below = relative(folder, results).split(sep).join('/');
  const patterns = ['.shotlist/', `/${path === '' ? '' : `${path}/`}${below}/`];
  const file = join(top, '.gitignore');
  const read = readTopFile(file);
  if (!read.ok) return refuse(read.error);
  const known = new Set(read.value.toString('utf8').split(/\r?\n/).map(bare));
  const isKnown = (pattern: string): boolean =>
    aboveOf(bare(pattern)).some((one) => known.has(one));
  const lacking = patterns.filter((pattern) => !isKnown(pattern));
  if (lacking.length === 0) return [];
  try {
    await replaceFile(file, withLines(read.value, lacking));
    return lacking;
  } catch (error) {
    return refuseSystemError(error, file);
  }
}

/** Returns the line that .gitattributes got; undefined if it has one, or if there is no repository. */
async function mergeInGit(state: string): Promise<string | undefined> {
  const attributes = attributesOf(state);
  if (attributes === undefined || hasUnion(state)) return undefined;
  const added = await addUnion(attributes);
  return added.ok ? unionLine : refuse(added.error);
}

/** `/out/`, `out/` and `out` are the same folder at the top. */
const bare = (line: string): string => line.trim().replace(/^\/|\/$/g, '');

/** The folder and those above it: what is below an ignored folder is ignored. */
const aboveOf = (path: string): readonly string[] =>
  path.split('/').map((_name, index, names) => names.slice(0, index + 1).join('/'));

// Which files a first pipeline is about.

interface MediaChoice {
  /** Relative to the pipeline file. */
  readonly glob: string;
  readonly count: number;
  readonly alike: boolean;
  /** Relative to the pipeline file. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Absolute: every file and folder that the pipeline reads. */
  readonly reads: readonly string[];
}

/** `folder`: the working folder; `file`: the pipeline file. Both are absolute. */
async function chooseMedia(
  starter: Starter,
  folder: string,
  file: string,
  media: string | undefined,
): Promise<MediaChoice> {
  const output = join(dirname(file), 'out');
  const near = (path: string): string => relative(dirname(file), path).split(sep).join('/');
  const around = await mediaBelow(folder, (path) => path === output);
  if (starter.of === 'prompt') return { ...nothing, count: starter.prompts.length };
  const root = resolve(folder, media ?? '.');
  if (!existsSync(root) || !statSync(root).isDirectory())
    refuse(`--media ${media}: there is no such folder`);
  const paths = root === folder ? around : await mediaBelow(root, (path) => path === output);
  // Results below the folder would become items.
  const whole = media !== undefined && !isWithin(output, root);
  const found = survey(paths, whole).find((one) => one.media === starter.of);
  if (found === undefined)
    return refuse(
      `${starter.tool} needs ${mediaNoun[starter.of]}s, and ${media ?? 'this folder'} has none`,
      `name the folder that has them with --media, or choose a tool that needs none: shotlist init --tool ai-image-generator`,
    );
  const place = join(root, found.folder);
  const items = new Set(found.files.map((path) => join(root, path)));
  const others = around.filter((path) => !items.has(join(folder, path)));
  const chosen = starter.inputs.flatMap((input): (readonly [string, string])[] => {
    const candidate = candidateFor(input.media, others);
    return candidate === undefined ? [] : [[input.name, join(folder, candidate)]];
  });
  return {
    glob: globOf(near(place), found),
    count: found.count,
    alike: found.alike,
    inputs: Object.fromEntries(chosen.map(([name, path]) => [name, near(path)])),
    reads: [place, ...chosen.map(([, path]) => path)],
  };
}

const nothing = { glob: '', alike: false, inputs: {}, reads: [] };

/** Brackets and stars in the names of folders are not patterns. */
function globOf(folder: string, { formats, flat }: MediaFound): string {
  const literal = folder.replace(/[\\*?[\]{}!+@]/g, '\\$&');
  const names = formats.length === 1 ? `*.${formats[0]}` : `*.{${formats.join(',')}}`;
  return [literal, ...(flat ? [] : ['**']), names].filter((part) => part !== '').join('/');
}
