// The cause in a sentence about one task: the same for all tasks that fail for the same reason.

/** The sentence without the names of the task's own files, so that equal causes are equal texts. */
export function causeOf(why: string, named: readonly string[]): string {
  const longestFirst = named.filter((name) => name !== '').sort((a, b) => b.length - a.length);
  return longestFirst.reduce((text, name) => text.replaceAll(name, 'its file'), why);
}
