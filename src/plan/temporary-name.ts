// Names of files that are still being written: browsers, editors and copy programs rename the file when it is complete.

const endings: readonly string[] = [
  ...['.part', '.partial', '.filepart', '.crdownload', '.download', '.tmp', '.temp', '.swp', '~'],
];

/** `name`: without a folder. */
export function isTemporaryName(name: string): boolean {
  const lower = name.toLowerCase();
  return name.startsWith('.') || endings.some((ending) => lower.endsWith(ending));
}
