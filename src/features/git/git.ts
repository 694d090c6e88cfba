// Runs git so that it runs nothing else. A repository may come from a stranger, and its configuration can name programs:
// hooks (update-ref runs reference-transaction, and writing an index runs post-index-change), a file system monitor, the
// transport of a partial clone, filters (even writing an index may compare a file with its entry through one). All are
// switched off here. The environment is a short list, so git never sees the API key, and no variable leads it to another
// repository.
import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { text } from 'node:stream/consumers';
import { err, ok, type Result } from '../../base/result.ts';
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

const settings = [
  ...['-c', `core.hooksPath=${devNull}`, '-c', 'core.fsmonitor=false'],
  ...['-c', 'protocol.allow=never', '-c', 'safe.bareRepository=explicit'],
  ...['-c', 'user.useConfigOnly=true', '-c', 'core.quotePath=false', '-c', 'index.sparse=false'],
  ...['-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
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

/** In milliseconds: more than any of these commands takes on a healthy disk. */
const timeoutMs = 120_000;

/** The output of a git command. The error is a sentence with git's own words. */
export async function git(
  folder: string,
  args: readonly string[],
  { env, input, index, filters = [], alsoFine }: GitOptions,
): Promise<Result<string, string>> {
  const own = Object.fromEntries(passed.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const child = spawn('git', [...settings, ...filters.flatMap(noFilter), ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    windowsHide: true,
    env: {
      ...own,
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
      ...{ LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1' },
      ...{ GIT_OPTIONAL_LOCKS: '0', GIT_NO_REPLACE_OBJECTS: '1' },
    },
  });
  const ended = new Promise<Result<number | null, string>>((resolve) => {
    child.once('error', (error) => {
      const missing = systemCode(error) === 'ENOENT';
      resolve(err(missing ? 'git is not installed, or not in PATH' : error.message));
    });
    child.once('close', (code) => resolve(ok(code)));
  });
  // If git ends without reading everything, its exit code says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const [code, output, said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (!code.ok) return code;
  if (code.value === 0 || code.value === alsoFine) return ok(output);
  const reason = said
    .trim()
    .split('\n')[0]
    ?.replace(/^(?:fatal|error): /, '');
  return err(`git ${args[0]}: ${reason || `it ended with code ${code.value ?? 'none'}`}`);
}
