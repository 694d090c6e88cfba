// Names of folders in which nothing is written for a pipeline: git runs programs that it finds in its own, and shotlist
// trusts what is in its own.

/** Characters that some file systems of macOS ignore in names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Which of the two a name stands for on some file system: in another case, as a short name or stream of Windows. */
export function reservedFolder(name: string): '.git' | '.shotlist' | undefined {
  const plain = name
    .replace(ignored, '')
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
  if (plain === '.git' || /^git~\d+$/.test(plain)) return '.git';
  return plain === '.shotlist' || /^shotli~\d+$/.test(plain) ? '.shotlist' : undefined;
}
