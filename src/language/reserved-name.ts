// Recognizes names with a meaning of their own. No pipeline may write to the folders of git, which runs programs there, and
// of shotlist, which trusts their content; and nobody else may ask for secrets.

import { knownExtensions } from '../contract/api/asset.ts';

/** Characters that some file systems of macOS ignore in names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * The folder that a name means on some file system: in another case, as a short name or stream of
 * Windows.
 */
export function reservedFolder(name: string): '.git' | '.shotlist' | undefined {
  // In nearly all names, nothing is to be taken away, and neither is in it.
  if (/^[\x20-\x7e]*$/.test(name) && !/git|shotli/i.test(name)) return undefined;
  const plain = name
    .replace(ignored, '')
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
  if (plain === '.git' || /^git~\d+$/.test(plain)) return '.git';
  return plain === '.shotlist' || /^shotli~\d+$/.test(plain) ? '.shotlist' : undefined;
}

/** Folders whose content tools run or obey. */
const toolFolders =
  /^(node_modules|bower_components|site-packages|__pycache__|\.(github|gitlab|gitea|forgejo|circleci|buildkite|husky|vscode|idea|devcontainer|config|ssh|gnupg|aws|azure|kube|docker|cargo|yarn|venv))$/;

/** Code, and settings of tools: no result of a media service has such a name. */
const toolFiles = [
  /^(make|docker|container|gem|rake|proc|jenkins|vagrant|just|brew|pod|fast|pip|caddy|tilt)file$|^(codeowners|gradlew|mvnw)$/,
  /^(package|package-lock|npm-shrinkwrap|composer|deno|jsr|lerna|nx|turbo|vercel|firebase|angular|[jt]sconfig.*)\.json$/,
  /\.([cm]?[jt]sx?|vue|svelte|astro|wasm|node|py[cdowx]?|ipynb|rb|gemspec|php|phar|pl|pm|lua|tcl|go|rs|java|kts?|jar|class|scala|groovy|gradle|cs|csproj|sln|swift|exs?|clj|hs|[ch](pp|xx|c)?|mm?)$/,
  /\.(sh|bash|zsh|fish|ksh|csh|ps[dm]?1|bat|cmd|com|exe|msi|scr|vbs|wsf|hta|lnk|desktop|service|timer|so|dll|dylib|deb|rpm|apk)$/,
  /\.(ya?ml|toml|ini|cfg|conf|config|properties|env|lock|mk|cmake|nix|tf|tfvars|plist|reg|html?|xhtml|state\.jsonl)$/,
];

const plainly = (part: string): string => part.replace(ignored, '').toLowerCase();

/** The part of a path to a folder that belongs to a tool. */
export const toolFolderIn = (path: string): string | undefined =>
  path.split(/[/\\]/).find((part) => toolFolders.test(plainly(part)));

/**
 * The part of a path below an output folder that belongs to a tool, which would run the file or obey it. Names that begin
 * with a dot are settings, unless they are those of media.
 */
export function toolPart(path: string): string | undefined {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const folder = parts.find(
    (part) => toolFolders.test(plainly(part)) || plainly(part).startsWith('.'),
  );
  if (folder !== undefined) return folder;
  const plain = plainly(name);
  const isMedia = knownExtensions.some((extension) => plain.endsWith(`.${extension}`));
  if (isMedia) return undefined;
  return plain.startsWith('.') || toolFiles.some((pattern) => pattern.test(plain))
    ? name
    : undefined;
}
