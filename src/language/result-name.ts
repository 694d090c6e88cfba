// `result.ext`, whose value is known only after a download. Until then, a mark takes its place in
// the path.

/** A private-use character, which people do not use in names and every file system accepts. */
export const extensionMark = '\u{f0000}';

/** The value of `result` in an expression. */
export const resultNames = { ext: extensionMark };

/** A path for people: `cat.<ext>`. */
export const withMarkShown = (path: string): string => path.replaceAll(extensionMark, '<ext>');
