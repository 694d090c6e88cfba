// Recognizes the folders that no pipeline may write to: git runs programs in its own folder, and
// shotlist trusts the content of its own.

/** Characters that some file systems of macOS ignore in names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * The folder that a name means on some file system: in another case, as a short name or stream of
 * Windows.
 */
export function reservedFolder(name: string): '.git' | '.shotlist' | undefined {
  const plain = name
    .replace(ignored, '')
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
  if (plain === '.git' || /^git~\d+$/.test(plain)) return '.git';
  return plain === '.shotlist' || /^shotli~\d+$/.test(plain) ? '.shotlist' : undefined;
}
