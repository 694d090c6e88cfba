// Runs git so that it runs nothing else. A repository may come from a stranger, and its configuration can name programs:
// hooks (update-ref runs reference-transaction, and writing an index runs post-index-change), a file system monitor, the
// transport of a partial clone, filters (even writing an index may compare a file with its entry through one). All are
// switched off here. The environment is a short list, so git never sees the API key, and no variable leads it to another
// repository.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { devNull } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { systemCode } from '../../base/system-error.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
  readonly env: Env;
  /** Written to git's standard input. */
  readonly input?: string | Buffer;
  /** The index that git uses instead of the repository's own. */
  readonly index?: string;
  /** The names of the filters in the configuration, to be switched off. */
  readonly filters?: readonly string[];
  /** An exit code that is an answer too, and no failure. */
  readonly alsoFine?: number;
}

/** Why something cannot be done with git; the message is a sentence, if git refused with its own words. */
export class GitFailure extends Error {
  readonly code = 'GIT_FAILED';
}

const settings = [
  ...['-c', `core.hooksPath=${devNull}`, '-c', 'core.fsmonitor=false'],
  ...['-c', 'protocol.allow=never', '-c', 'safe.bareRepository=explicit'],
  ...['-c', 'user.useConfigOnly=true', '-c', 'core.quotePath=false', '-c', 'index.sparse=false'],
  ...['-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
  ...['-c', 'log.diffMerges=separate', '-c', 'log.follow=false', '-c', `diff.orderFile=${devNull}`],
];

/** The user's own: where git and its settings are, the identity, and the language of nothing. */
const passed = [
  ...['PATH', 'HOME', 'USERPROFILE', 'SystemRoot', 'XDG_CONFIG_HOME', 'TMPDIR', 'TEMP', 'TMP'],
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES'],
];

const noFilter = (name: string): readonly string[] =>
  ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((set) => [
    '-c',
    `filter.${name}.${set}`,
  ]);

/** More than any of these commands takes on a healthy disk. */
const timeoutMs = 120_000;

/** The output of a git command. Throws `GitFailure`. */
export async function git(
  folder: string,
  args: readonly string[],
  options: GitOptions,
): Promise<string> {
  const { child, ended } = start(folder, args, options);
  const [output] = await Promise.all([text(child.stdout), ended]);
  return output;
}

/** The lines of an output that may be larger than the largest text, many at once. Throws `GitFailure`. */
export async function* gitLines(
  folder: string,
  args: readonly string[],
  options: GitOptions,
): AsyncGenerator<readonly string[]> {
  const { child, ended } = start(folder, args, options);
  try {
    let rest = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      yield lines;
    }
    if (rest !== '') yield [rest];
    await ended;
  } finally {
    // Whoever has seen enough does not wait for the rest.
    child.kill();
  }
}

interface StartedGit {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<void>;
}

function start(
  folder: string,
  args: readonly string[],
  { env, input, index, filters = [], alsoFine }: GitOptions,
): StartedGit {
  const own = Object.fromEntries(passed.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const child = spawn('git', [...settings, ...filters.flatMap(noFilter), ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    windowsHide: true,
    env: {
      ...own,
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: '',
      GIT_NO_LAZY_FETCH: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
    },
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => {
      const missing = systemCode(error) === 'ENOENT';
      reject(new GitFailure(missing ? 'git is not installed, or not in PATH' : error.message));
    });
    child.once('close', resolve);
  });
  // If git ends without reading everything, its exit code says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const ended = endOf(args[0], Promise.all([closed, text(child.stderr)]), alsoFine);
  // Whoever reads the output hears of it, if they read to the end.
  ended.catch(() => undefined);
  return { child, ended };
}

async function endOf(
  command: string | undefined,
  ending: Promise<readonly [code: number | null, said: string]>,
  alsoFine: number | undefined,
): Promise<void> {
  const [code, said] = await ending;
  if (code === 0 || code === alsoFine) return;
  const reason = said
    .trim()
    .split('\n')[0]
    ?.replace(/^(?:fatal|error): /, '');
  throw new GitFailure(`git ${command}: ${reason || `it ended with code ${code ?? 'none'}`}`);
}

/** For a question to which a failure is an answer: undefined. */
export async function gitAnswer(
  folder: string,
  args: readonly string[],
  options: GitOptions,
): Promise<string | undefined> {
  try {
    return await git(folder, args, options);
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
}

// The checkout that a file is in, and whether a commit can be made there.

export interface Checkout {
  /** The top folder, links resolved. */
  readonly top: string;
  /** `.git`, or that of a worktree. */
  readonly gitFolder: string;
  /** The names of the filters in the configuration. */
  readonly filters: readonly string[];
}

/** Throws `GitFailure` if there is none. */
export async function checkoutOf(folder: string, options: GitOptions): Promise<Checkout> {
  const asked = ['rev-parse', '--show-toplevel', '--absolute-git-dir'];
  const [top = '', gitFolder = ''] = (await git(folder, asked, options)).split('\n');
  if (top === '') throw new GitFailure(`${folder} is in no checkout of a git repository`);
  return { top, gitFolder, filters: await filtersIn(top, options) };
}

async function filtersIn(top: string, options: GitOptions): Promise<readonly string[]> {
  const asked = ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'];
  const found = await git(top, asked, { ...options, alsoFine: 1 });
  const keys = found.split('\0').filter((key) => key !== '');
  const names = keys.map((key) => key.slice('filter.'.length, key.lastIndexOf('.')));
  const odd = names.find((name) => /[=\n]/.test(name));
  if (odd === undefined) return [...new Set(names)];
  throw new GitFailure(
    `the filter ${JSON.stringify(odd)} in its configuration cannot be switched off`,
  );
}

/** What stands in `.git` while a person is in the middle of something. */
const unfinished: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'a merge'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase or git am'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
];

/** Why no commit can be made now; undefined if one can. */
export async function busyWith(
  { top, gitFolder }: Checkout,
  options: GitOptions,
): Promise<string | undefined> {
  const open = unfinished.find(([name]) => existsSync(join(gitFolder, name)));
  if (open !== undefined) return `${open[1]} is in progress`;
  if (existsSync(join(gitFolder, 'index.lock')))
    return 'another git command is working on the index, or one was killed (.git/index.lock)';
  // Git follows these, and an archive can hold them: a commit would write where they lead.
  const link = ['HEAD', 'index', 'objects', 'refs', 'logs'].find(
    (name) =>
      lstatSync(join(gitFolder, name), { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
  if (link !== undefined) return `${join(gitFolder, link)} is a link`;
  const committer = await gitAnswer(top, ['var', 'GIT_COMMITTER_IDENT'], options);
  const author = await gitAnswer(top, ['var', 'GIT_AUTHOR_IDENT'], options);
  return committer === undefined || author === undefined
    ? 'git does not know who you are: set user.name and user.email with git config'
    : undefined;
}

/**
 * Where a file is in a checkout: the path relative to the top, with `/`; undefined if git could not have it: it is outside, in
 * a folder of git or shotlist, or in a repository inside this one. Links in the folders are followed, since git does not commit
 * through them.
 */
export function placeIn(top: string, file: string): string | undefined {
  const realTop = realPathOr(top);
  const folder = realPathOr(dirname(file));
  if (!isWithin(folder, realTop)) return undefined;
  const path = relative(realTop, join(folder, basename(file))).split(sep);
  const own = (name: string): boolean => ['.git', '.shotlist'].includes(name.toLowerCase());
  if (path.some(own)) return undefined;
  for (let above = folder; above !== realTop; above = dirname(above))
    if (lstatSync(join(above, '.git'), { throwIfNoEntry: false }) !== undefined) return undefined;
  return path.join('/');
}
